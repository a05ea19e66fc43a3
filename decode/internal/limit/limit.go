package limit

import (
	"fmt"
	"time"

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

// CPU is the processor time of an image, or a negative number for no limit.
func CPU(l decode.Limits, size, width, height int) time.Duration {
	if l.MaxCPU != 0 {
		return l.MaxCPU
	}
	return 10*time.Second + time.Duration(size+width*height)*time.Microsecond
}

// MediaCPU is the processor time of a request for so many frames of a video or any part of a sound file, or a
// negative number for no limit. It is that of a helper, see decode.Isolation.CPU. A size below 0 is that of a stream,
// which may be read for any time.
func MediaCPU(l decode.Limits, size int64, frames int) time.Duration {
	switch {
	case l.MaxCPU != 0:
		return l.MaxCPU
	case size < 0:
		return -1
	}
	return time.Minute + Extra(frames, size)
}

// Extra is what MediaCPU and a helper allow above their fixed part: a second of processor time for each part of the
// result that takes time, such as a frame, and a microsecond for each byte of the object.
func Extra(parts int, size int64) time.Duration {
	return time.Duration(parts)*time.Second + time.Duration(size)*time.Microsecond
}

// Exceeded is the error for input beyond a limit.
func Exceeded(format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: spool.ErrTooLarge, Text: fmt.Sprintf(format, args...)}
}
