package limit

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// Size checks the size of an input.
func Size(l decode.Limits, n int) error {
	switch {
	case n == 0:
		return &spool.Error{Op: "decode", Class: spool.ErrEmpty, Text: "zero bytes"}
	case int64(n) > l.MaxBytes:
		return Exceeded("%d bytes, the limit is %d", n, l.MaxBytes)
	}
	return nil
}

// Pixels checks the dimensions in a header.
func Pixels(l decode.Limits, width, height int) error {
	if pixels := int64(width) * int64(height); pixels > l.MaxPixels {
		return Exceeded("%dx%d are %d pixels, the limit is %d", width, height, pixels, l.MaxPixels)
	}
	return nil
}

// Exceeded is the error for input beyond a limit.
func Exceeded(format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: spool.ErrTooLarge, Text: fmt.Sprintf(format, args...)}
}
