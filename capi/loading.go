package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/transfer"
)

// loading is a run of a loader: from a state on, until it has come to its end, has failed, or is not wanted any more. A
// goroutine goes through it, one batch ahead of C.
type loading struct {
	*loader.Loader
	device *device
	out    chan delivery // closed at the end
	ended  chan struct{} // closed behind it, when nothing runs any more
	ctx    context.Context
	end    context.CancelFunc
	begin  sync.Once
}

// delivery is a batch, the end of an epoch, or why there are no more.
type delivery struct {
	batch *batch.Batch    // nil: the end of the epoch, or an error
	there *transfer.Batch // batch, where it lies on a device
	state loader.State    // behind it
	err   error
}

func newLoading(ld *loader.Loader, d *device) *loading {
	l := &loading{Loader: ld, device: d, out: make(chan delivery), ended: make(chan struct{})}
	l.ctx, l.end = context.WithCancel(context.Background())
	return l
}

// next gives what comes next; nothing does where more is false. It waits so long.
func (l *loading) next(ctx context.Context, wait time.Duration) (d delivery, more bool, err error) {
	l.begin.Do(func() { go l.run() })
	select { // what is there is given, however short the wait
	case d, more = <-l.out:
		return d, more, nil
	default:
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case d, more = <-l.out:
		return d, more, nil
	case <-timer.C:
		return d, true, context.DeadlineExceeded
	case <-ctx.Done():
		return d, true, ctx.Err()
	}
}

// run goes through the epochs.
func (l *loading) run() {
	defer close(l.ended)
	defer close(l.out)
	for epoch, batches := range l.Epochs(l.ctx) {
		good := 0
		for b, err := range batches {
			if err != nil {
				l.give(delivery{err: err})
				return
			}
			state, err := l.State()
			if err != nil { // samples in any order
				state = l.StateAt(epoch)
			}
			if !l.bring(delivery{batch: b, state: state}) {
				return
			}
			good++
		}
		if good == 0 && l.EpochBatches() != 0 && l.Report().Failures > 0 {
			l.give(delivery{err: &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: "not one sample of the epoch could be decoded"}})
			return
		}
		if !l.give(delivery{state: l.StateAt(epoch + 1)}) {
			return
		}
	}
}

// bring hands on a batch, from the device if there is one. The copy is under way while C has the batch before.
func (l *loading) bring(d delivery) bool {
	if l.device.copies() {
		about := *d.batch // its samples; the memory is the copier's from here on
		there, err := l.device.copier.Copy(l.ctx, d.batch)
		if err != nil {
			d.batch.Release()
			l.give(delivery{err: err})
			return false
		}
		d.batch, d.there = &about, there
	}
	given := l.give(d)
	if !given {
		d.release()
	}
	return given
}

// release gives up a batch that nobody takes.
func (d delivery) release() {
	if d.there != nil {
		d.there.Release()
	} else {
		d.batch.Release()
	}
}

func (l *loading) give(d delivery) bool {
	select {
	case l.out <- d:
		return true
	case <-l.ctx.Done():
		return false
	}
}

// Close ends the run. Batches that C holds stay valid.
func (l *loading) Close() error {
	l.end()
	started := true
	l.begin.Do(func() { started = false })
	if started {
		<-l.ended
	}
	err := l.Loader.Close()
	if errors.Is(err, spool.ErrLeaked) { // which is C's right
		return nil
	}
	return err
}
