package shard

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// failed returns an error of a class. The caller that knows the file adds its name: see spool.InFile.
func failed(op string, class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: op, Class: class, Text: fmt.Sprintf(format, args...)}
}

// ended returns the error of an operation whose context has ended.
func ended(err error) error {
	return &spool.Error{Op: "read", Class: spool.ClassOf(err), Err: err}
}
