package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"math"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/receipt"
	"github.com/spoolmedia/spool/loader"
)

// papers is a file of receipts. A nil one does nothing.
type papers struct {
	*receipt.Writer
	file *os.File
}

func openPapers(name string, digests bool) (*papers, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, spool.FileError("write", name, err)
	}
	w, err := receipt.NewWriter(file, name, nil, digests)
	if err != nil {
		return nil, errors.Join(spool.FileError("write", name, err), file.Close())
	}
	return &papers{w, file}, nil
}

func (p *papers) write(rows []receipt.Row, before loader.State) error {
	if p == nil {
		return nil
	}
	return p.failed(p.Write(rows, before))
}

func (p *papers) failed(err error) error {
	if err == nil {
		return nil
	}
	return spool.FileError("write", p.file.Name(), err)
}

func (p *papers) close() error {
	if p == nil {
		return nil
	}
	return p.failed(errors.Join(p.Writer.Close(), p.file.Close()))
}

// past is how many bad samples were left out before the batches that C got. It has an entry where the number changes.
type past []struct{ epoch, batch, left int }

// note notes the state before a batch.
func (p *past) note(before loader.State) {
	epoch := int(before.State.Epoch)
	if p.left(epoch, before.Batch) != before.Bad {
		*p = append(*p, struct{ epoch, batch, left int }{epoch, before.Batch, before.Bad})
	}
}

// left returns the number before a batch; 0 if it is unknown.
func (p *past) left(epoch, batch int) (left int) {
	at := -1
	for _, x := range *p {
		if x.epoch == epoch && x.batch <= batch && x.batch >= at {
			at, left = x.batch, x.left
		}
	}
	return left
}

// again makes the batch of a step again, in a run of its own: of the steps from epoch 0 on or, if a file of receipts is
// given, of those in the file. It also returns how the batch differs from its receipt.
func (l *spool_loader) again(ctx context.Context, step int, receipts string) (ready batchForC, different []string,
	err error) {
	var paper *receipt.Receipt
	if receipts != "" {
		if paper, err = receipt.Read(ctx, receipts, step); err != nil {
			return ready, nil, err
		}
		if l.device.copies() {
			paper.WithoutDigests()
		}
	}
	var ld *loader.Loader
	if err := l.serial.do(ctx, func() (err error) {
		ld, err = l.openAgain(step, paper)
		return err
	}); err != nil {
		return ready, nil, err
	}
	run := newLoaderRun(ld, l.device, false, l.forC)
	defer func() { err = errors.Join(err, run.Close()) }()
	d, more, err := run.next(ctx, math.MaxInt64)
	switch {
	case err != nil:
		return ready, nil, err
	case d.err != nil:
		return ready, nil, d.err
	case !more || d.batch == nil:
		return ready, nil, &spool.Error{Op: "batch", Class: spool.ErrEmpty, Text: "the epoch has no such batch any more"}
	}
	if paper != nil {
		different = paper.Differences(d.batch)
	}
	return d.ready, different, nil
}

// openAgain opens a loader at a step, or at the state in its receipt.
func (l *spool_loader) openAgain(step int, paper *receipt.Receipt) (*loader.Loader, error) {
	var from loader.State
	if paper != nil {
		from = *paper.Rows[0].Before
	} else {
		n := max(1, l.run.EpochBatches())
		var err error
		if from, err = l.run.StateBefore(step/n, step%n, l.past.left(step/n, step%n)); err != nil {
			return nil, err
		}
	}
	epoch := int(from.State.Epoch)
	if c := l.selection; c != nil && c.epochs != math.MaxInt32 && c.epochs != epoch+1 {
		return nil, invalid.Errorf("sampler: step %d is of epoch %d, whose samples the sampler has not chosen", step, epoch)
	}
	with := l.position([]loader.State{from}, 0)
	with.Prefetch = 1
	return l.Open(l.source, with)
}

//export goLoaderAgain
func goLoaderAgain(l C.uintptr_t, step C.int64_t, receipts *C.char, cancel C.uintptr_t, to *C.spool_batch,
	differences **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "batch", func() error {
		return use(l, func(ctx context.Context, l *spool_loader) error {
			if step < 0 || step > math.MaxInt32 {
				return invalid.Errorf("step %d", step)
			}
			name := ""
			if receipts != nil {
				name = C.GoString(receipts)
			}
			return withCancel(ctx, cancel, func(ctx context.Context) error {
				ready, different, err := l.again(ctx, int(step), name)
				if err != nil {
					return err
				}
				if *differences, err = jsonArray(append([]string{}, different...)); err != nil {
					ready.release()
					return err
				}
				ready.hand(to)
				return nil
			})
		})
	})
}
