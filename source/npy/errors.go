package npy

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// failed is an error of a class. Who knows the file names it: see spool.InFile.
func failed(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "read", Class: class, Text: fmt.Sprintf(format, args...)}
}
