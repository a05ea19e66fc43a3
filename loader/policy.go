package loader

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/pipe"
)

// Policy says what a bad sample means.
type Policy uint8

const (
	Skip        Policy = iota // it goes to the ledger, and the next sample takes its slot
	Fail                      // it ends the run
	Placeholder               // it goes to the ledger, and its slot is filled: with Spec.Fill, or with silence
)

// failed says what becomes of an item on which a stage has failed, as pipe.Options.Replace.
//
// A placeholder goes on like a sample. So does a skipped item that completes an epoch (in Any order, by the last slot
// settled): only the gatherer can hand on batches.
func (l *Loader) failed(ctx context.Context, x any, f *pipe.Failure) any {
	it := x.(*item)
	f.Err = spool.InFile(f.Err, it.sample.Name)
	if l.options.OnError == Fail {
		return nil
	}
	it.drop()
	if !it.over && l.blank(ctx, it, f) {
		it.over, it.sample.State, f.Action = true, batch.Placeholder, pipe.ActionPlaceholder
		return it
	}
	it.over = true
	if it.settle(); len(it.batches) == 0 {
		return nil
	}
	return it
}

// blank makes a placeholder of an item with bad input, where that is the policy: now, or, of one that comes to the
// stage slot yet, there.
func (l *Loader) blank(ctx context.Context, it *item, f *pipe.Failure) bool {
	if l.options.OnError != Placeholder || spool.ClassOf(f.Err) == "" {
		return false
	}
	if !it.placed {
		return f.Stage != slotStage
	}
	return l.medium.blank(ctx, l.decoder, it.slot.Bytes()) == nil
}

// Describe gives a ledger what the error knows: the class, the file and a text without either. It is for pipelines of
// one's own, as their Options.Describe; loaders do so by themselves.
func Describe(f *pipe.Failure) {
	f.Class = string(spool.ClassOf(f.Err))
	if e, ok := errors.AsType[*spool.Error](f.Err); ok {
		f.File, f.Text = e.File, e.Detail()
	}
}
