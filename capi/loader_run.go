package main

import (
	"context"
	"errors"
	"iter"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/contactsheet"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/receipt"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/simulate"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/costs"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/transfer"
)

// loaderRun is a run of a loader, from a state until the end, a failure or Close. A goroutine iterates over the
// batches, one batch ahead of C.
type loaderRun struct {
	*loader.Loader
	epochs  iter.Seq2[int, iter.Seq2[*batch.Batch, error]]
	device  *device
	papers  *receipt.Writer       // nil: none
	viewers *contactsheet.Viewers // nil: none
	costs   *costs.Recorder       // nil: none

	workers  int    // that decode; 0: one for each core
	costFile string // of costs
	stores   func() object.Stats
	forC     func(delivery) (batchForC, error)
	offer    func(*loaderRun, delivery) bool // passes a delivery to C, if that is possible without a call; nil: never
	room     chan struct{}                   // C has released a batch, so it may have taken the one that was offered
	out      chan delivery                   // closed at the end
	ended    chan struct{}                   // closed after out, when nothing runs any longer
	ctx      context.Context
	end      context.CancelFunc
	begin    sync.Once
}

// delivery is a batch, the end of an epoch, or an error.
type delivery struct {
	batch       *batch.Batch    // nil: the end of the epoch, or an error
	deviceBatch *transfer.Batch // batch, if it is on a device
	ready       batchForC       // batch, which it owns
	state       loader.State    // after the batch
	paper       []receipt.Row   // of the batch, if there are receipts
	room        chan<- struct{} // of the run; nil: none
	err         error
}

// newLoaderRun returns a run, which decodes all batches, or a few if headspace is set. forC makes batches ready, and
// offer passes them to C.
func newLoaderRun(ld *loader.Loader, d *device, headspace bool, forC func(delivery) (batchForC, error),
	offer func(*loaderRun, delivery) bool) *loaderRun {
	l := &loaderRun{Loader: ld, device: d, forC: forC, offer: offer, room: make(chan struct{}, 1),
		out: make(chan delivery), ended: make(chan struct{})}
	l.ctx, l.end = context.WithCancel(context.Background())
	if l.epochs = ld.Epochs(l.ctx); headspace {
		l.epochs = ld.Headspace(l.ctx)
	}
	return l
}

// next returns the next delivery, and waits up to wait. more is false after the last one.
func (l *loaderRun) next(ctx context.Context, wait time.Duration) (d delivery, more bool, err error) {
	l.begin.Do(func() { go l.run() })
	select { // a ready delivery is returned even if wait is 0
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

// run iterates over the epochs.
func (l *loaderRun) run() {
	defer close(l.ended)
	defer close(l.out)
	defer cores.Spare(l.workers)()
	begin, err := l.State()
	resumed := err == nil && begin.Batch > 0 // within an epoch, of which only bad samples may be left
	for epoch, batches := range l.epochs {
		good := 0
		for b, err := range batches {
			if err != nil {
				l.send(delivery{err: err})
				return
			}
			if l.costs != nil {
				l.costs.Batch(b.Len(), len(b.Memory()))
			}
			state, err := l.State()
			if err != nil { // with "order": "any" or "headspace": true
				state = l.StateAt(epoch)
			}
			if !l.deliver(delivery{batch: b, state: state}) {
				return
			}
			good++
		}
		if good == 0 && !resumed && l.EpochBatches() != 0 && l.Report().Failures > 0 {
			l.send(delivery{err: &spool.Error{Op: "load", Class: spool.ErrEmpty,
				Text: "not one sample of the epoch could be decoded"}})
			return
		}
		if !l.send(delivery{state: l.StateAt(epoch + 1)}) {
			return
		}
		resumed = false
	}
}

// deliver delivers a batch, from the device if there is one. It is copied, and made ready, while C still has the batch
// before.
func (l *loaderRun) deliver(d delivery) bool {
	about := *d.batch // the metadata of samples, which remain when the memory is released
	l.viewers.Add(d.batch)
	if l.papers != nil {
		d.paper = l.papers.Of(d.batch)
	}
	var err error
	if l.device.copies() {
		if d.deviceBatch, err = l.device.copy(l.ctx, d.batch); err != nil {
			d.batch.Release()
			l.send(delivery{err: err})
			return false
		}
		d.batch = &about
	}
	d.room = l.room
	if d.ready, err = l.forC(d); err != nil {
		l.send(delivery{err: err})
		return false
	}
	d.batch = &about
	sent := l.send(d)
	if !sent {
		d.ready.release()
	}
	return sent
}

// release releases a batch that is not ready.
func (d delivery) release() {
	if d.deviceBatch != nil {
		d.deviceBatch.Release()
	} else {
		d.batch.Release()
	}
}

func (l *loaderRun) send(d delivery) bool {
	for l.offer == nil || !l.offer(l, d) {
		select {
		case l.out <- d:
			return true
		case <-l.room:
		case <-l.ctx.Done():
			return false
		}
	}
	return true
}

// Close ends the run. Batches that C holds stay valid.
func (l *loaderRun) Close() error {
	l.end()
	started := true
	l.begin.Do(func() { started = false })
	if started {
		<-l.ended
	}
	var err error
	if l.costs != nil {
		err = simulate.Write(l.costFile, l.costs, l.Loader, l.stores())
	}
	return errors.Join(err, unlessLeaked(l.Loader.Close()))
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
	run := newLoaderRun(ld, l.device, false, l.forC, nil)
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
		l.mu.Lock()
		l.settle()
		left := l.past.left(step/n, step%n)
		l.mu.Unlock()
		var err error
		if from, err = l.run.StateBefore(step/n, step%n, left); err != nil {
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

// defineProfile defines the options of a profile.
func defineProfile(set *settings.Set, o *pipe.ProfileOptions) {
	set.Number("items", &o.Items, "256", 1, "samples for each number of workers")
	set.Add("workers", "N,...", "", "numbers of workers to try, ascending; not given: 1, 2, 4 and so on up to 32, "+
		"until twice as many are less than a fifth faster", func(text string) error {
		o.Workers = nil
		for part := range strings.SplitSeq(text, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(part))
			if err != nil || n < 1 || len(o.Workers) > 0 && n <= o.Workers[len(o.Workers)-1] {
				return errors.New("must be whole numbers from 1 up, ascending")
			}
			o.Workers = append(o.Workers, n)
		}
		return nil
	})
}

// profile profiles a loader of its own, from epoch 0 on.
func (l *spool_loader) profile(ctx context.Context, o pipe.ProfileOptions) (made stats.Profile, err error) {
	if l.Streaming {
		return made, invalid.Errorf("profile: a stream cannot be read beside the loop")
	}
	var ld *loader.Loader
	if err := l.serial.do(ctx, func() (err error) {
		with := l.position(nil, 0)
		with.Epochs, with.Limit = math.MaxInt32, 0                    // there may be fewer samples than the profile needs
		with.Prefetch = (o.Items+with.Batch-1)/max(with.Batch, 1) + 1 // all samples of a round wait at the end
		ld, err = l.Open(l.source, with)
		return err
	}); err != nil {
		return made, err
	}
	made, err = ld.Profile(ctx, o)
	return made, errors.Join(err, unlessLeaked(ld.Close()))
}

// position returns the options of a run from states, or from the beginning of an epoch.
func (l *spool_loader) position(from []loader.State, epoch int) loader.Options {
	with := l.options(from)
	with.Caches.Memory, with.First, with.Allocator = l.cache, epoch, l.device.allocator()
	l.DiskCache.Keep(&with, l.disk)
	if c := l.selection; c != nil {
		with.Sampler, with.Shuffle, with.Epochs = c.sampler, false, min(with.Epochs, c.epochs)
	}
	return with
}
