package decode

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// Limits bound the cost of one input. In each field 0 means the default, and a negative number means no limit.
type Limits struct {
	MaxPixels int64 // width x height of an image; default 178956970, Pillow's limit
	MaxBytes  int64 // size of a file; default 1 GiB
	MaxFrames int64 // frames of an animation, when all are requested or one beyond the limit; default 4096
	MaxMemory int64 // scratch and result of one decode; default 2 GiB
}

const unlimited = 1 << 62

func (l *Limits) setDefaults() {
	for _, x := range []struct {
		field *int64
		value int64
	}{{&l.MaxPixels, 178956970}, {&l.MaxBytes, 1 << 30}, {&l.MaxFrames, 4096}, {&l.MaxMemory, 2 << 30}} {
		switch {
		case *x.field == 0:
			*x.field = x.value
		case *x.field < 0:
			*x.field = unlimited
		}
	}
}

// file checks the size of an input.
func (l Limits) file(n int) error {
	switch {
	case n == 0:
		return &spool.Error{Op: "decode", Class: spool.ErrEmpty, Text: "zero bytes"}
	case int64(n) > l.MaxBytes:
		return tooLarge("%d bytes, the limit is %d", n, l.MaxBytes)
	}
	return nil
}

// picture checks the dimensions in a header, and the memory that the lane's library takes to decode the image.
func (l Limits) picture(i ImageInfo) error {
	pixels := int64(i.Width) * int64(i.Height)
	if pixels > l.MaxPixels {
		return tooLarge("%dx%d are %d pixels, the limit is %d", i.Width, i.Height, pixels, l.MaxPixels)
	}
	if n := i.memory; n > l.MaxMemory {
		return tooLarge("decoding %dx%d takes about %d bytes of memory, the limit is %d", i.Width, i.Height, n, l.MaxMemory)
	}
	return nil
}

func tooLarge(format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: spool.ErrTooLarge, Text: fmt.Sprintf(format, args...)}
}
