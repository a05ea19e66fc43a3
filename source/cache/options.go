package cache

import (
	"cmp"
	"fmt"

	"github.com/spoolmedia/spool"
)

// Options are the settings of a folder.
type Options struct {
	// MaxBytes is how large the entries may be in all, as a disk counts them: in blocks of 4 KiB. Beside them the folder takes
	// 4 MiB. It holds for what this process writes: other processes may have other ceilings. 0 means 10 GiB.
	MaxBytes int64
	// Warn, if not nil, is told why nothing is kept any more: once, from any goroutine.
	Warn func(error)
}

const defaultBytes = 10 << 30

// Validate reports what is wrong with the options, as spool.ErrOptions.
func (o Options) Validate() error {
	if o.MaxBytes < 0 {
		return fmt.Errorf("%w: a disk cache of %d bytes", spool.ErrOptions, o.MaxBytes)
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultBytes)
	return o
}
