package main

/*
#include "handoff.h"
*/
import "C"

import (
	"cmp"
	"context"
	"io"
	"time"
)

// handoff is where C finds the next batch of a loader without entering Go. The loader's mutex guards it.
type handoff struct {
	loader C.uintptr_t // the loader's handle; 0: none yet
	batch  *delivery   // put there; nil: none
	waits  bool        // a call in Go takes the next delivery
}

// offer puts a delivery of a run where C finds it, and reports whether it did. When C takes the batch, Go does not
// notice, so settle notes it later.
func (l *spool_loader) offer(from *loaderRun, d delivery) bool {
	if d.batch == nil || l.papers != nil { // C gets a batch after its receipt is written
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.settle()
	h := &l.handoff
	if h.loader == 0 || h.batch != nil || h.waits || l.run != from {
		return false
	}
	d.ready.exempt()
	if C.spool_handoff_put(h.loader, &d.ready.batch) == 0 {
		return false
	}
	h.batch = &d
	return true
}

// settle notes that C has taken the batch that was put. The mutex is locked.
func (l *spool_loader) settle() {
	if h := &l.handoff; h.batch != nil && C.spool_handoff_holds(h.loader) == 0 {
		l.took(*h.batch)
		h.batch = nil
	}
}

// took notes that C has a delivery. The mutex is locked.
func (l *spool_loader) took(d delivery) {
	l.before, l.state, l.inEpoch = l.state, d.state, d.batch != nil
	if d.batch != nil {
		l.past.note(l.before)
		l.tally.Add(d.batch)
	}
}

// recall takes the batch back, if C has not taken it. The mutex is locked.
func (l *spool_loader) recall() (d delivery, ok bool) {
	h := &l.handoff
	var batch C.spool_batch
	if h.batch != nil && C.spool_handoff_take(h.loader, &batch) != 0 {
		d, h.batch = *h.batch, nil
		return d, true
	}
	l.settle()
	return d, false
}

// discard releases the batch, if C has not taken it. The mutex is locked.
func (l *spool_loader) discard() {
	if d, ok := l.recall(); ok {
		d.ready.release()
	}
}

// next returns the next batch of the epoch, and waits up to wait. It returns io.EOF at the end of each epoch, and again
// after the last.
func (l *spool_loader) next(ctx context.Context, wait time.Duration) (got delivery, err error) {
	err = l.serial.do(ctx, func() error {
		if l.failed != nil {
			return l.failed
		}
		l.mu.Lock()
		l.handoff.waits = true
		d, more := l.recall() // C has just looked, in vain
		l.mu.Unlock()
		var err error
		if !more {
			d, more, err = l.run.next(ctx, wait)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.handoff.waits = false
		switch {
		case err != nil:
			return cmp.Or(l.device.ringError(), err)
		case !more:
			return io.EOF
		case d.err != nil:
			l.failed = d.err
			return d.err
		}
		l.took(d)
		if d.batch == nil {
			return io.EOF
		}
		got = d
		return l.papers.write(d.paper, l.before)
	})
	return got, err
}
