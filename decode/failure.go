package decode

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool"
)

// ended adds a class to a context's error, and returns others unchanged.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Text: "stopped", Err: err}
}

// isDamage reports whether an error may be accepted as damage.
func isDamage(err error) bool {
	class := spool.ClassOf(err)
	return class == spool.ErrTruncated || class == spool.ErrCorrupt
}
