package ondevice

// State returns how many groups are in flight, and how many images wait for the next.
func (d *Images) State() (groups, waiting int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.turns), len(d.waiting)
}
