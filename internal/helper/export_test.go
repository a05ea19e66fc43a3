package helper

// Tasks returns the number of tasks that have a helper or wait for its start.
func (p *Pool) Tasks() int { return len(p.busy) }

// Capacity returns the most tasks at a time.
func (p *Pool) Capacity() int { return cap(p.busy) }
