package cache

import (
	"cmp"

	"github.com/spoolmedia/spool/internal/invalid"
)

// Options are the settings of a folder.
type Options struct {
	// MaxBytes limits the disk space of all entries together, in blocks of 4 KiB. The folder takes another 4 MiB. This
	// process stores nothing beyond the limit; another process may have another limit. 0 means 10 GiB.
	MaxBytes int64
	// Warn, if not nil, is called with the reason why nothing more is stored: once, from any goroutine.
	Warn func(error)
}

const defaultBytes = 10 << 30

// Validate reports invalid options, as spool.ErrOptions.
func (o Options) Validate() error {
	var bad invalid.Options
	if o.MaxBytes < 0 {
		bad.Value("MaxBytes", o.MaxBytes, "must not be negative")
	}
	return bad.Err()
}

func (o Options) withDefaults() Options {
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultBytes)
	return o
}
