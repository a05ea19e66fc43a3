package cache

import "sync/atomic"

// Stats are what this process has done with a folder so far, and how full it is.
type Stats struct {
	Hits, Misses int64
	Read         int64 // bytes of hits
	Written      int64 // bytes of stored entries

	// Numbers of entries.
	Kept    int64 // stored
	Refused int64 // not stored: not worth the space, too large, or the folder cannot be written
	Evicted int64 // removed to make room
	Broken  int64 // removed because they were damaged

	Entries int64 // current entries of all processes
	Bytes   int64 // their disk space
	Ceiling int64
	Off     bool // nothing more is stored: Options.Warn got the reason
}

type counters struct {
	hits, misses, read, written, kept, refused, evicted, broken atomic.Int64
}

// Stats returns the current statistics. It may be called at any time.
func (f *Folder) Stats() Stats {
	c := &f.stats
	s := Stats{
		Hits: c.hits.Load(), Misses: c.misses.Load(), Read: c.read.Load(), Written: c.written.Load(), Kept: c.kept.Load(),
		Refused: c.refused.Load(), Evicted: c.evicted.Load(), Broken: c.broken.Load(), Ceiling: f.ceiling, Off: f.off.Load(),
	}
	if f.account != nil {
		if now, err := f.account.read(); err == nil {
			s.Entries, s.Bytes = now.entries, now.used
		}
	}
	return s
}
