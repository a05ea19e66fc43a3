package failure

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool"
)

// Ended adds a class to a context's error, and returns others unchanged.
func Ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Text: "stopped", Err: err}
}

// IsDamage reports whether an error may be accepted as damage.
func IsDamage(err error) bool {
	class := spool.ClassOf(err)
	return class == spool.ErrTruncated || class == spool.ErrCorrupt
}
