package decode

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// checkSize checks the size of an input.
func checkSize(l Limits, n int) error {
	switch {
	case n == 0:
		return &spool.Error{Op: "decode", Class: spool.ErrEmpty, Text: "zero bytes"}
	case int64(n) > l.MaxBytes:
		return tooLarge("%d bytes, the limit is %d", n, l.MaxBytes)
	}
	return nil
}

// checkPixels checks the dimensions in a header.
func checkPixels(l Limits, width, height int) error {
	if pixels := int64(width) * int64(height); pixels > l.MaxPixels {
		return tooLarge("%dx%d are %d pixels, the limit is %d", width, height, pixels, l.MaxPixels)
	}
	return nil
}

// tooLarge is the error for input beyond a limit.
func tooLarge(format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: spool.ErrTooLarge, Text: fmt.Sprintf(format, args...)}
}
