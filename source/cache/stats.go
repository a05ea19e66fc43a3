package cache

import "sync/atomic"

// Stats are what this process has done with a folder so far, and how full it is.
type Stats struct {
	Hits, Misses int64
	Read         int64 // bytes of hits
	Written      int64 // bytes of entries that were kept
	Kept         int64 // entries
	Refused      int64 // that were not worth what would have had to go, or too large, or there was nobody to write them
	Evicted      int64 // that had to go
	Broken       int64 // that were not whole, and were removed

	Entries int64 // that there are now, of all processes
	Bytes   int64 // room that they take
	Ceiling int64
	Off     bool // nothing is kept any more: Options.Warn was told why
}

type counters struct {
	hits, misses, read, written, kept, refused, evicted, broken atomic.Int64
}

// Stats may be called at any time.
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
