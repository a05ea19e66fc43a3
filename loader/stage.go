package loader

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/pipe"
)

// work is what a stage does to an item. The item stays the stage's, whatever happens.
type work func(context.Context, *item) error

// stage makes a pipe's function of work: an item on which it fails, or panics, is bad.
func (l *Loader) stage(name string, f work) func(context.Context, *item) (*item, error) {
	return func(ctx context.Context, it *item) (*item, error) {
		if it.over { // bad already, and only passing through
			return it, nil
		}
		if err := attempt(ctx, f, it); err != nil {
			return l.bad(ctx, it, name, err)
		}
		return it, nil
	}
}

// attempt is f with its panic as an error.
func attempt(ctx context.Context, f work, it *item) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &pipe.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f(ctx, it)
}

// bad deals with an item that err has stopped. What comes of the end of the run is no failure: pipe
// drops it. Else the policy decides.
//
// A placeholder goes on like a sample. So does a skipped item that completes an epoch (in Any order, by
// the last slot settled): only the gatherer can hand on batches.
func (l *Loader) bad(ctx context.Context, it *item, stage string, err error) (*item, error) {
	err = spool.InFile(err, it.sample.Name)
	if ctx.Err() != nil || l.options.OnError == Fail {
		return nil, err
	}
	it.drop()
	it.over = true
	if it.failed == nil && l.assembler != nil && !it.placed && l.options.OnError == Placeholder {
		it.failed = &setback{stage, err} // it has no slot yet: see seat
		return it, nil
	}
	action := pipe.ActionSkip
	if l.blank(ctx, it, err) {
		it.sample.State, action = batch.Placeholder, "placeholder"
	} else if it.settle(); len(it.batches) == 0 {
		return nil, err
	}
	l.pipeline.Record(pipe.Failure{ID: it.ID(), File: it.File(), Stage: stage, Action: action, Epoch: it.epoch, Occurrence: it.occurrence, Err: err})
	return it, nil
}

// setback is what stopped a sample before it had a slot.
type setback struct {
	stage string
	err   error
}

// blank makes a placeholder of an item with bad input, where that is the policy.
func (l *Loader) blank(ctx context.Context, it *item, err error) bool {
	return l.options.OnError == Placeholder && it.placed && spool.ClassOf(err) != "" &&
		l.medium.blank(ctx, l.decoder, it.slot.Bytes()) == nil
}

// Describe gives a ledger what the error knows: the class, the file and a text without either. It is for pipelines of
// one's own, as their Options.Describe; loaders do so by themselves.
func Describe(f *pipe.Failure) {
	f.Class = string(spool.ClassOf(f.Err))
	if e, ok := errors.AsType[*spool.Error](f.Err); ok {
		f.File, f.Text = e.File, e.Detail()
	}
}
