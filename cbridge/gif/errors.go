package gif

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

var errNotGIF = &spool.Error{Op: "decode", Class: spool.ErrNotMedia, Text: "no GIF signature"}

func failure(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: class, Text: fmt.Sprintf(format, args...)}
}

// classed converts an error that ended a walk at a frame into an error with a class.
func classed(err error, frame int) error {
	switch {
	case errors.Is(err, errCut):
		return failure(spool.ErrTruncated, "the data end before the pixels of frame %d", frame)
	case errors.Is(err, errEnd) && frame == 0:
		return failure(spool.ErrCorrupt, "the file has no frame")
	case errors.Is(err, errEnd):
		return failure(spool.ErrNoSuchFrame, "there is no frame %d: the image's frame count is %d", frame, frame)
	}
	return err
}

func cancelled(c *call.Call) error {
	err := c.Err()
	return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Err: err}
}
