package run

import (
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe/trace"
)

// openTrace has a loader write a trace to a file, until end; an empty name means none.
func openTrace(name string, options *loader.Options) (end func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	w := trace.NewWriter(file)
	options.Observer = w
	return func() (err error) {
		defer cli.Closing(&err, func() error { return spool.InFile(file.Close(), name) })
		return spool.InFile(w.Close(), name)
	}, nil
}
