package loader

import "github.com/spoolmedia/spool"

// Files are the counters of the pool of compressed bytes.
func (l *Loader) Files() spool.PoolStats { return l.files.Stats() }

// Slabs are those of the pool of batches.
func (l *Loader) Slabs() spool.PoolStats { return l.slabs.Stats() }
