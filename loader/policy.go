package loader

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/record"
)

// Policy is what a bad sample means for a run.
type Policy uint8

const (
	Skip        Policy = iota // it is recorded in the ledger, and the next sample takes its slot
	Fail                      // it ends the run
	Placeholder               // it is recorded in the ledger, and its slot is filled with Spec.Fill or with silence
)

// failed decides what happens to an item on which a stage failed, as pipe.Options.Replace.
//
// A placeholder continues like a sample. So does a skipped item whose last settled slot completes an epoch in Any
// order, because only the collector can deliver batches.
func (l *Loader) failed(ctx context.Context, x any, f *pipe.Failure) any {
	it := x.(*item)
	f.Err = spool.InFile(late(f.Err, f.Stage), it.sample.Name)
	if it.segment != nil {
		f.Start, f.End, f.Stream = bound(it.segment.Start), bound(it.segment.End), it.segment.Stream
	}
	if l.options.OnError == Fail {
		return nil
	}
	it.drop()
	if !it.failed && l.blank(ctx, it, f) {
		it.failed, it.sample.State, f.Action = true, batch.Placeholder, pipe.ActionPlaceholder
		return it
	}
	it.failed = true
	if it.settle(); len(it.batches) == 0 {
		return nil
	}
	return it
}

// late returns the error of a step that passed its deadline: it has the class ErrTimeout, whatever the step made of the
// end of its context. Other errors stay.
func late(err error, stage string) error {
	t, ok := errors.AsType[*pipe.TimeoutError](err)
	if !ok {
		return err
	}
	passed := &spool.Error{Op: stage, Class: spool.ErrTimeout, Text: fmt.Sprintf("not done after %v", t.After)}
	if e, ok := errors.AsType[*record.FieldError](err); ok {
		return &record.FieldError{Field: e.Field, Err: passed}
	}
	return passed
}

// bound returns an end of a segment; nil if it is that of the file.
func bound(seconds float64) *float64 {
	if math.IsInf(seconds, 0) {
		return nil
	}
	return &seconds
}

// blank makes a placeholder of an item with bad input, if that is the policy. An item that has no slot yet is filled in
// the stage slot.
func (l *Loader) blank(ctx context.Context, it *item, f *pipe.Failure) bool {
	if l.options.OnError != Placeholder || spool.ClassOf(f.Err) == "" {
		return false
	}
	if !it.placed {
		return f.Stage != slotStage
	}
	return l.mediumSpec.blank(ctx, l.decoder, it) == nil
}

// Describe sets a failure's class, field, file and text in a ledger from a spool.Error. Use it as Options.Describe of
// your own pipelines; loaders set it themselves.
func Describe(f *pipe.Failure) {
	f.Class = string(spool.ClassOf(f.Err))
	if e, ok := errors.AsType[*record.FieldError](f.Err); ok {
		f.Field = e.Field
	}
	if e, ok := errors.AsType[*spool.Error](f.Err); ok {
		f.File, f.Text = e.File, e.Detail()
	}
}
