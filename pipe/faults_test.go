package pipe_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/internal/budget"
	"github.com/spoolmedia/spool/pipe/stats"
)

var faultRuns = flag.Int("faults", 300, "random pipelines for each of the tests of faults; a tenth with -short")

// faults builds a random pipeline of all kinds of stages, in which everything fails now and then.
type faults struct {
	*rand.Rand
	seed   uint64
	stock  *stock
	p      *pipe.Pipeline
	budget *budget.Bytes
	names  int
	cancel context.CancelCauseFunc
	calls  atomic.Int64
	killAt int64                                      // the call that ends the run; 0 for none
	pause  func(context.Context, time.Duration) error // waits for some time

	stallTimeout time.Duration // of an admission; 0 for the default
}

var (
	errBusy   = busy{errors.New("busy")}
	errSource = errors.New("source")
)

func (f *faults) name(kind string) string {
	f.names++
	return fmt.Sprintf("%d %s", f.names, kind)
}

// workerSettings returns settings of a stage with a random number of workers, or with one that changes at random.
func (f *faults) workerSettings(most int) pipe.Stage {
	if f.IntN(3) == 0 {
		return pipe.Stage{Workers: pipe.Auto, MaxWorkers: 1 + f.IntN(most)}
	}
	return pipe.Stage{Workers: f.IntN(most)}
}

// set returns random settings of a stage.
func (f *faults) set() (s pipe.Stage) {
	s = f.workerSettings(10)
	s.Queue, s.AsCompleted = f.IntN(12), f.IntN(2) == 1
	if f.IntN(4) == 0 {
		s.QueueBytes = 1 + f.Int64N(100)
	}
	if f.IntN(3) == 0 {
		s.Retry = pipe.Retry{Attempts: 1 + f.IntN(4), Backoff: time.Millisecond}
	}
	if f.IntN(4) == 0 {
		s.Timeout = 2 * time.Millisecond
	}
	if f.IntN(20) == 0 {
		s.MaxFailures = 5
	}
	return s
}

// fault returns the failure of an item at a stage, or nil.
func (f *faults) fault(ctx context.Context, stage, n int) error {
	call := f.calls.Add(1)
	if call == f.killAt {
		f.cancel(errKilled)
	}
	r := rand.New(rand.NewPCG(f.seed+uint64(stage)<<32, uint64(n)))
	if call%5 == 0 {
		f.p.Restaff(r)
	}
	if r.IntN(4) == 0 {
		d := time.Duration(r.IntN(1000)) * time.Microsecond
		if r.IntN(20) == 0 {
			d *= 10
		}
		if r.IntN(8) == 0 {
			ctx = context.Background() // ignores its context
		}
		if err := f.pause(ctx, d); err != nil {
			return err
		}
	}
	switch r.IntN(60) {
	case 0:
		return errTorn
	case 1:
		panic("torn")
	case 2, 3:
		if call%3 > 0 {
			return errBusy
		}
	}
	return nil
}

func (f *faults) source() *pipe.Flow[*item] {
	n, epochs, badAt := f.IntN(150), 1+f.IntN(3)*f.IntN(2), -1
	if f.IntN(8) == 0 {
		badAt = f.IntN(150)
	}
	return pipe.FromEpochs(f.p, f.name("source"), pipe.Stage{Queue: f.IntN(70)}, epochs,
		func(context.Context, int) iter.Seq2[*item, error] {
			return func(yield func(*item, error) bool) {
				for i := range n {
					if i == badAt {
						yield(nil, errSource)
						return
					}
					if !yield(f.stock.make(i), nil) {
						return
					}
				}
			}
		})
}

func (f *faults) mapping(flow *pipe.Flow[*item], s pipe.Stage) *pipe.Flow[*item] {
	name := f.name("map")
	stage := f.names
	return pipe.Map(flow, name, s, func(ctx context.Context, i *item) (*item, error) {
		return i, f.fault(ctx, stage, i.n)
	})
}

// grow appends a random stage to a flow.
func (f *faults) grow(flow *pipe.Flow[*item]) *pipe.Flow[*item] {
	one := func(flow *pipe.Flow[*item]) *pipe.Flow[*item] {
		s := f.set()
		s.AsCompleted = false
		return f.mapping(flow, s)
	}
	choose := func(n int) func(context.Context, *item) (int, error) {
		name := f.names
		return func(ctx context.Context, i *item) (int, error) { return i.n % n, f.fault(ctx, name, i.n) }
	}
	share := func(i *item) *item { return f.stock.make(i.n) }
	pair := func(flow *pipe.Flow[*item]) *pipe.Flow[*item] {
		s := pipe.Stage{Queue: f.IntN(5)}
		by := pipe.BatchOptions[*item]{Count: 1 + f.IntN(9), DropLast: f.IntN(4) == 0,
			Wait: time.Duration(f.IntN(2)) * time.Millisecond}
		return pipe.Unbatch(pipe.BatchBy(flow, f.name("batch"), s, by), f.name("unbatch"), f.workerSettings(4))
	}
	switch f.IntN(12) {
	default:
		return f.mapping(flow, f.set())
	case 0:
		name := f.name("filter")
		stage := f.names
		return pipe.Filter(flow, name, f.set(), func(ctx context.Context, i *item) (bool, error) {
			return i.n%3 > 0, f.fault(ctx, stage, i.n)
		})
	case 1:
		s := f.workerSettings(10)
		s.Queue, s.AsCompleted = f.IntN(12), f.IntN(2) == 1
		name := f.name("flatmap")
		stage := f.names
		return pipe.FlatMap(flow, name, s, func(ctx context.Context, i *item) iter.Seq2[*item, error] {
			return func(yield func(*item, error) bool) {
				defer i.Release()
				for n := range i.n % 4 {
					if err := f.fault(ctx, stage, 10*i.n+n); err != nil {
						yield(nil, err)
						return
					}
					if !yield(f.stock.make(i.n), nil) {
						return
					}
				}
			}
		})
	case 2:
		return pair(flow)
	case 3:
		return pipe.Shuffle(flow, f.name("shuffle"), pipe.Stage{}, 1+f.IntN(30), f.seed)
	case 4:
		return pipe.MergeAny(f.name("merge"), pipe.Stage{Queue: f.IntN(4)},
			pipe.Tee(flow, f.name("tee"), pipe.Stage{}, 1+f.IntN(3), share)...)
	case 5:
		return pipe.Merge(f.name("merge"), pipe.Stage{}, pipe.MergeOptions{StopAtFirst: f.IntN(2) == 0},
			pipe.Tee(flow, f.name("tee"), pipe.Stage{}, 2, share)...)
	case 6:
		return pipe.Route(flow, f.name("route"), pipe.Stage{Queue: f.IntN(4)}, choose(3), one,
			func(f *pipe.Flow[*item]) *pipe.Flow[*item] { return f }, one)
	case 7:
		return pipe.Route(flow, f.name("route"), pipe.Stage{AsCompleted: true}, choose(2), pair, f.grow)
	case 8:
		tees := pipe.Tee(flow, f.name("tee"), pipe.Stage{}, 2, share)
		name := f.name("sink")
		stage := f.names
		pipe.To(tees[0], name, f.workerSettings(4), func(ctx context.Context, i *item) error {
			if err := f.fault(ctx, stage, i.n); err != nil {
				return err
			}
			i.Release()
			return nil
		})
		return tees[1]
	case 9:
		mix := pipe.MergeOptions{Weights: []float64{1 + float64(f.IntN(3)), 1}}
		return pipe.Merge(f.name("merge"), pipe.Stage{}, mix, flow, f.source())
	case 10:
		return pipe.Admit(flow, f.name("admit"), pipe.Stage{}, func(ctx context.Context, i *item) (*item, error) {
			share, err := f.budget.Get(ctx, 1+i.n%7)
			if err != nil {
				return nil, err
			}
			if i.share != nil {
				share.Release() // it has reserved bytes already
				return i, nil
			}
			i.share = share
			return i, nil
		})
	}
}

// run builds and runs a pipeline, and checks what must hold for every end.
func (f *faults) run(t *testing.T) {
	options := pipe.Options{OnFailure: pipe.Policy(1 - f.IntN(6)/5), MaxFailureRate: float64(f.IntN(6)/5) * 0.1}
	if f.IntN(3) == 0 {
		options.Watch = pipe.Watch{After: time.Millisecond, Tell: func(stats.Stuck) {}}
	}
	if f.IntN(4) == 0 {
		options.CPUShare = 0.1 + 0.9*f.Float64()
	}
	ledger := &pipe.MemoryLedger{}
	options.Ledger = ledger
	f.p, f.budget = pipe.New(options), budget.New(1+f.IntN(200))
	if options.CPUShare > 0 {
		start := time.Now()
		// it always uses one core, and may use a share of it
		f.p.OnMachine(1, func() time.Duration { return time.Since(start) })
	}
	if f.stallTimeout > 0 {
		f.p.Hurry(f.stallTimeout)
	}
	if f.IntN(3) == 0 {
		f.killAt = f.Int64N(500)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	f.cancel = cancel

	flow := f.source()
	for range f.IntN(7) {
		flow = f.grow(flow)
	}
	f.calls.Store(0)
	breakAt, got := -1, 0
	if f.IntN(4) == 0 {
		breakAt = f.IntN(100)
	}
	var last error
	broken := false
	for _, items := range flow.Epochs(ctx) {
		for i, err := range items {
			require.NoError(t, last, "an error comes last")
			if last = err; err != nil {
				continue
			}
			i.Release()
			if got++; got%16 == 0 {
				f.p.Report()
				f.budget.Resize(1 + f.IntN(200))
			}
			if broken = got == breakAt; broken {
				break
			}
		}
		if broken {
			break
		}
	}

	f.stock.checkReleased(t)
	assert.Zero(t, f.budget.InUse(), "bytes")
	f.account(t, f.p.Report(), got, len(ledger.Failures()))
	if last != nil {
		known := errors.Is(last, errKilled) || errors.Is(last, errSource) || errors.Is(last, pipe.ErrTooManyFailures) ||
			errors.Is(last, pipe.ErrBudget)
		failure := (*pipe.Failure)(nil)
		assert.True(t, known || options.OnFailure == pipe.Fail && errors.As(last, &failure), "%v", last)
	}
}

// account checks that all items are accounted for: in every stage, between stages, and in the ledger.
func (f *faults) account(t *testing.T, r stats.Report, got, failures int) {
	t.Helper()
	var in, out, unused, failed int64
	for _, s := range r.Stages {
		if s.In > 0 {
			assert.Equal(t, s.In, s.Items+s.Failures+s.Dropped, "%s: in = done + failed + dropped", s.Name)
		} else {
			assert.Zero(t, s.Failures+s.Dropped, s.Name)
		}
		in, out, unused, failed = in+s.In, out+s.Out, unused+s.Unused, failed+s.Failures
	}
	assert.Equal(t, int64(got), r.Consumer.Items)
	assert.Equal(t, out, in+unused+int64(got), "what was handed on was taken or released")
	assert.EqualValues(t, failures, failed, "the ledger has every failure")
	assert.Equal(t, failed, r.Failures)
}

// TestFaults runs in simulated time, so a deadlock is found at once, and a goroutine that remains fails the test.
func TestFaults(t *testing.T) {
	seed := seed.Of(t)
	for n := range max(1, *faultRuns/short.Of(1, 10)) {
		bubble.Test(t, func(t *testing.T) {
			stuck := time.AfterFunc(time.Hour, func() { panic("nothing but clocks moves") })
			defer stuck.Stop()
			f := &faults{Rand: rand.New(rand.NewPCG(seed, uint64(n))), seed: seed + uint64(n), stock: &stock{}}
			f.pause = func(ctx context.Context, d time.Duration) error {
				select {
				case <-time.After(d):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			f.run(t)
		})
		if t.Failed() {
			t.Fatalf("seed %d, run %d", seed, n)
		}
	}
}

// TestFaultsInRealTime runs the same in real time, to find races. A pipeline that runs for ten minutes is a deadlock.
func TestFaultsInRealTime(t *testing.T) {
	seed := seed.Of(t)
	for n := range max(1, *faultRuns/short.Of(1, 10)) {
		stuck := time.AfterFunc(10*time.Minute, func() { panic(fmt.Sprintf("seed %d, run %d does not end", seed, n)) })
		f := &faults{Rand: rand.New(rand.NewPCG(seed, uint64(n))), seed: seed + uint64(n), stock: &stock{}}
		f.pause = func(ctx context.Context, d time.Duration) error {
			yields(int(d / (100 * time.Microsecond)))
			return ctx.Err()
		}
		f.stallTimeout = 20 * time.Millisecond
		f.run(t)
		stuck.Stop()
		if t.Failed() {
			t.Fatalf("seed %d, run %d", seed, n)
		}
	}
}
