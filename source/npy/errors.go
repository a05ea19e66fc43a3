package npy

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
)

// failed is an error of a class. Who knows the file names it: see spool.InFile.
func failed(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "read", Class: class, Text: fmt.Sprintf(format, args...)}
}

// Object is what an archive is read from: a source.Object is one. ReadAt returns fewer bytes only with an error, io.EOF
// at the end. Where it has a method Bytes() []byte, that is its memory, and stored arrays are parts of it.
type Object interface {
	ReadAt(ctx context.Context, p []byte, off int64) (int, error)
	Size() int64
}
