package shard

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// failed is an error of a class. Who knows the file names it: see spool.InFile.
func failed(op string, class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: op, Class: class, Text: fmt.Sprintf(format, args...)}
}

// ended is the error of an operation whose context is over.
func ended(err error) error {
	return &spool.Error{Op: "read", Class: spool.ClassOf(err), Err: err}
}
