package annotation

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/jsonscan"
)

// failed returns an error of a class. The caller that knows the file adds its name: see spool.InFile.
func failed(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "read", Class: class, Text: fmt.Sprintf(format, args...)}
}

// classified returns the error of a scanner with its class.
func classified(err error) error {
	if e, ok := errors.AsType[*jsonscan.Error](err); ok {
		return failed(spool.ErrCorrupt, "%v", e)
	}
	return err
}
