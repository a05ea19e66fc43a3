package spool

// Usage is the memory of the buffers with one Purpose.
type Usage struct {
	Buffers int64 // in use now
	Bytes   int64 // in use now, rounded up to size classes
}

// PoolStats is a snapshot of a pool's counters.
type PoolStats struct {
	MaxBytes  int64             // PoolOptions.MaxBytes
	HeldBytes int64             // in use and kept for reuse
	KeptBytes int64             // kept for reuse
	PeakBytes int64             // highest HeldBytes so far
	Buffers   int64             // in use now
	Gets      int64             // calls of Get, GetFor and Sub so far, and those of TryGet that returned a buffer
	Reuses    int64             // blocks that were used again, without the allocator
	Waits     int64             // gets that waited at the ceiling
	Waiting   int               // callers waiting now
	Use       map[Purpose]Usage // without purposes that have no buffer in use
}

// Stats returns a snapshot of the pool's counters.
func (p *Pool) Stats() PoolStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := PoolStats{MaxBytes: p.max, HeldBytes: p.held, KeptBytes: p.kept, PeakBytes: p.peak,
		Gets: p.gets, Reuses: p.reuses, Waits: p.waits, Waiting: p.waiters.Len(), Use: map[Purpose]Usage{}}
	for purpose, u := range p.use {
		if u.Buffers > 0 {
			s.Use[Purpose(purpose)] = u
			s.Buffers += u.Buffers
		}
	}
	return s
}
