package tfrecord

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// failed returns an error of a class. The caller that knows the file adds its name: see spool.InFile.
func failed(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "read", Class: class, Text: fmt.Sprintf(format, args...)}
}

func corrupt(format string, args ...any) error { return failed(spool.ErrCorrupt, format, args...) }
