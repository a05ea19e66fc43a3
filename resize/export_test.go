package resize

// Part is the part of the source that the spec resizes: left, top, right, bottom.
func (s Spec) Part(width, height int) [4]float32 {
	x, y := s.sides(width, height)
	return [4]float32{x.lo, y.lo, x.hi, y.hi}
}

// Resized is the size of the whole resized picture, before a crop.
func (s Spec) Resized(width, height int) [2]int {
	x, y := s.sides(width, height)
	return [2]int{x.out, y.out}
}

// Kept is the number of axes in the cache and their bytes, counted anew.
func (t *Tables) Kept() (axes, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.order.Front(); e != nil; e = e.Next() {
		bytes += e.Value.(*keptTable).table.bytes()
	}
	return len(t.kept), bytes
}
