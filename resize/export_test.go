package resize

// Part returns the crop of the source that the spec resizes: left, top, right, bottom.
func (s Spec) Part(width, height int) [4]float32 {
	x, y := s.sides(width, height)
	return [4]float32{x.lo, y.lo, x.hi, y.hi}
}

// Resized returns the size of the whole resized image, before a crop.
func (s Spec) Resized(width, height int) [2]int {
	x, y := s.sides(width, height)
	return [2]int{x.out, y.out}
}

// Kept returns the number of axes in the cache and their bytes, recounted.
func (t *Tables) Kept() (axes, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.order.Front(); e != nil; e = e.Next() {
		bytes += e.Value.(*cachedTable).table.bytes()
	}
	return len(t.cached), bytes
}
