package run

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe/trace"
)

// openTrace has a loader write a trace to a file, until end; an empty name means none.
func openTrace(name string, options *loader.Options) (end func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	w, err := trace.Create(name)
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	options.Observer = w
	return func() error { return spool.InFile(w.Close(), name) }, nil
}
