package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/transfer"
)

var schedules = flag.Int("schedules", 250, "random schedules to run")

// schedule is a random run from decoder to consumer.
type schedule struct {
	random   *rand.Rand // for the consumer
	driver   string
	batches  int
	sizes    []int // of each batch
	slabs    int
	cancels  bool // contexts may end at any time
	both     bool // every batch is used in two streams
	early    bool // the copier is closed while streams may still use batches
	pageable bool // decoders write to plain memory
	floats   bool // batches become floats on the device

	mu   sync.Mutex
	errs []error
}

func draw(random *rand.Rand, driver string) *schedule {
	s := &schedule{random: rand.New(rand.NewPCG(random.Uint64(), 1)), driver: driver, batches: 1 + random.IntN(12),
		slabs: 1 + random.IntN(4), cancels: random.IntN(3) == 0, early: random.IntN(2) == 0, pageable: random.IntN(8) == 0,
		floats: random.IntN(2) == 0}
	most := 1 + random.IntN(20000)
	for range s.batches {
		s.sizes = append(s.sizes, 1+random.IntN(most))
	}
	return s
}

// want returns the expected content of batch i on the device.
func (s *schedule) want(i int) []byte {
	bytes := content(i, s.sizes[i])
	if s.floats {
		return normalized(bytes, flipsOf(i))
	}
	return bytes
}

func flipsOf(i int) []transfer.Flip { return []transfer.Flip{transfer.Flip(i % 4)} }

// onKernels converts flips to the type of package kernels.
func onKernels(flips []transfer.Flip) (all []kernels.Flip) {
	for _, f := range flips {
		all = append(all, kernels.Flip(f))
	}
	return all
}

// normalized returns the result of a Normalizer for images of one row, one for each flip.
func normalized(b []byte, flips []transfer.Flip) []byte {
	n := kernels.Normalize{Samples: len(flips), Height: 1, Width: len(b) / len(flips), Channels: 1,
		Scale: kernels.Scale{DType: spool.Float16}, Flips: onKernels(flips)}
	out := make([]byte, 2*len(b))
	if err := n.OnHost(b, out); err != nil {
		panic(err)
	}
	return out
}

func (s *schedule) note(err error) bool {
	if err != nil {
		s.mu.Lock()
		s.errs = append(s.errs, err)
		s.mu.Unlock()
	}
	return err == nil
}

// context returns a context that may end early.
func (s *schedule) context(random *rand.Rand) (context.Context, context.CancelFunc) {
	if s.cancels && random.IntN(4) == 0 {
		return context.WithTimeout(context.Background(), time.Duration(random.IntN(300))*time.Microsecond)
	}
	return context.WithTimeout(context.Background(), time.Minute)
}

// consumer is a program that uses batches in its own streams.
type consumer struct {
	*schedule
	context *cuda.Context
	streams []cuda.Stream
	pool    *spool.Pool
	results []result
}

// result is a copy that was queued in a stream, from a batch that may be released by now.
type result struct {
	buffer *spool.Buffer
	index  int
	good   bool // queued without an error
}

// run runs the whole pipeline. It returns wrong results; it records errors of the driver.
func (s *schedule) run() (wrong error) {
	d, err := transfer.Open("cuda:0", transfer.DeviceOptions{Driver: s.driver})
	if !s.note(err) {
		return nil
	}
	defer func() { s.note(d.Close()) }()
	pinned := transfer.NewPinnedMemory(d)
	defer func() { s.note(pinned.Stats().Why) }()
	decoders := spool.PoolOptions{MaxBytes: 3 * 20480, Allocator: pinned} // at most three buffers, for quick reuse
	if s.pageable {
		decoders.Allocator = spool.Mmap{}
	}
	pool, err := spool.NewPool(decoders)
	if err != nil {
		return err
	}
	defer func() { wrong = errors.Join(wrong, pool.Close()) }()
	results, err := spool.NewPool(spool.PoolOptions{Allocator: pinned})
	if err != nil {
		return err
	}
	defer func() { wrong = errors.Join(wrong, results.Close()) }()
	copier, err := transfer.NewCopier(d, transfer.CopierOptions{Slabs: s.slabs, SlabBytes: s.random.IntN(2) * 5000})
	if !s.note(err) {
		return nil
	}
	defer func() {
		err := copier.Close()
		s.note(err)
		if errors.Is(err, spool.ErrLeaked) {
			wrong = errors.Join(wrong, err)
		}
	}()
	driver, err := cuda.Load(s.driver)
	if !s.note(err) {
		return nil
	}
	theirs, err := driver.Open(0)
	if !s.note(err) {
		return nil
	}
	defer func() { s.note(theirs.Close()) }()
	c := &consumer{schedule: s, context: theirs, pool: results}
	streams := 1 + s.random.IntN(2)
	if s.both {
		streams = 2
	}
	for range streams {
		stream, err := theirs.NewStream()
		if !s.note(err) {
			break
		}
		c.streams = append(c.streams, stream)
	}

	copyBatch := copier.Copy
	if s.floats {
		n, err := transfer.NewNormalizer(copier, transfer.NormalizerOptions{DType: spool.Float16})
		if s.note(err) {
			copyBatch = func(ctx context.Context, b *batch.Batch) (*transfer.Batch, error) {
				return n.Copy(ctx, b, flipsOf(b.Index))
			}
		} else {
			copyBatch = func(context.Context, *batch.Batch) (*transfer.Batch, error) { return nil, err }
		}
	}
	ready := make(chan *transfer.Batch, s.random.IntN(3))
	producing := rand.New(rand.NewPCG(s.random.Uint64(), 2))
	go func() {
		defer close(ready)
		s.produce(producing, pool, copyBatch, ready)
	}()
	wrong = c.consume(ready)
	if s.early {
		s.note(copier.Close())
	}
	return errors.Join(wrong, c.finish())
}

// produce copies batches until the device fails; a batch whose context ended is copied again.
func (s *schedule) produce(random *rand.Rand, pool *spool.Pool,
	copyBatch func(context.Context, *batch.Batch) (*transfer.Batch, error), ready chan<- *transfer.Batch) {
	for i, n := range s.sizes {
		d := spool.Desc{Shape: spool.Shape{n}}
		if s.floats {
			d = spool.Desc{Shape: spool.Shape{1, n, 1}, Layout: spool.HWC}
		}
		b, err := decodedAs(context.Background(), pool, i, d)
		if !s.note(err) {
			return
		}
		for {
			ctx, cancel := s.context(random)
			on, err := copyBatch(ctx, b)
			cancel()
			if err == nil {
				ready <- on
				break
			}
			if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
				s.note(err)
				b.Release()
				return
			}
		}
	}
}

// consume uses batches and releases them in random order.
func (c *consumer) consume(ready <-chan *transfer.Batch) (wrong error) {
	var held []*transfer.Batch
	drop := func(i int) {
		held[i].Release()
		held = append(held[:i], held[i+1:]...)
	}
	next := 0
	for b := range ready {
		if b.Index != next {
			wrong = errors.Join(wrong, fmt.Errorf("batch %d in place of %d", b.Index, next))
		}
		next++
		wrong = errors.Join(wrong, c.use(b))
		held = append(held, b)
		for len(held) > 0 && (len(held) >= c.slabs || c.random.IntN(2) == 0) {
			drop(c.random.IntN(len(held)))
		}
	}
	for len(held) > 0 {
		drop(0)
	}
	return wrong
}

// use does with a batch what consumers do.
func (c *consumer) use(b *transfer.Batch) error {
	if c.both {
		for _, s := range c.streams {
			c.note(c.queue(b, s))
		}
		return nil
	}
	for range c.random.IntN(3) {
		ctx, cancel := c.schedule.context(c.random)
		var err error
		switch c.random.IntN(4) {
		case 0:
			err = b.Wait(ctx)
		case 1:
			var got *spool.Buffer
			if got, err = b.Fetch(ctx, 0, c.pool); err == nil {
				same := bytes.Equal(got.Bytes(), c.want(b.Index))
				got.Release()
				if !same {
					cancel()
					return fmt.Errorf("batch %d came back as another", b.Index)
				}
			}
		default:
			if len(c.streams) > 0 {
				err = c.queue(b, c.streams[c.random.IntN(len(c.streams))])
			}
		}
		if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			c.note(err)
		}
		cancel()
	}
	return nil
}

// queue makes a stream copy the batch to the host, to be compared when the stream has finished.
func (c *consumer) queue(b *transfer.Batch, stream cuda.Stream) error {
	if err := b.WaitOn(spool.DeviceStream(stream)); err != nil {
		return err
	}
	buffer, err := c.pool.Get(context.Background(), len(c.want(b.Index)))
	if err != nil {
		return err
	}
	err = c.context.ToHost(buffer.Bytes(), cuda.Pointer(b.Arrays()[0].Pointer), stream)
	c.results = append(c.results, result{buffer, b.Index, err == nil})
	return err
}

// finish compares the results that the streams have copied.
func (c *consumer) finish() (wrong error) {
	failed := false
	for _, s := range c.streams {
		if !c.note(c.context.Finish(s)) {
			failed = true
			_ = c.context.Finish(s) // the error had another cause, or the device is lost
		}
		c.note(c.context.CloseStream(s))
	}
	c.mu.Lock()
	failed = failed || len(c.errs) > 0
	c.mu.Unlock()
	for _, r := range c.results {
		if r.good && !failed && !bytes.Equal(r.buffer.Bytes(), c.want(r.index)) {
			wrong = errors.Join(wrong, fmt.Errorf("a stream saw another batch than %d", r.index))
		}
		r.buffer.Release()
	}
	return wrong
}

// No slab is used too early, nothing leaks, order is kept and errors are reported, for any durations, releases,
// cancellations and failures. The simulated driver detects each access that is not ordered.
func TestSchedules(t *testing.T) {
	needsFake(t)
	awaitNoHandles(t)
	random := seed.Rand(t)
	f := fake.New(t, fake.Settings{})
	failures := 0
	for n := range *schedules {
		settings := fake.Settings{DelayMicros: random.IntN(4) * 60, Seed: random.Uint64()}
		switch random.IntN(4) {
		case 0:
			settings.FailCall, settings.Lost = 1+random.IntN(400), random.IntN(2) == 0
		case 1:
			settings.FailOp = 1 + random.IntN(40)
		}
		f.Reset(t, settings)
		s := draw(random, f.File)
		require.NoError(t, s.run(), "schedule %d, %+v", n, settings)
		c := f.Counters()
		require.Zero(t, c.Violations, "schedule %d, %+v: %s", n, settings, c.Violation)
		require.Zero(t, c.InUse(), "schedule %d, %+v: %+v", n, settings, c)
		require.Zero(t, handles(), "schedule %d, %+v", n, settings)
		if c.FailedCall != "" || settings.FailOp > 0 && c.Operations >= int64(settings.FailOp) {
			failures++
			require.NotEmpty(t, s.errs, "schedule %d, %+v: nobody was told of %s", n, settings, c.FailedCall)
			continue
		}
		require.Empty(t, s.errs, "schedule %d, %+v", n, settings)
		total := int64(0)
		for _, n := range s.sizes {
			total += int64(n)
		}
		require.Equal(t, [2]int64{int64(s.batches), total}, [2]int64{c.ToDeviceCopies, c.ToDeviceBytes}, "schedule %d, %+v",
			n, settings)
	}
	require.Greater(t, failures, *schedules/10, "too few schedules failed to say much")
}

// The same on a real device, without injected failures.
func TestSchedulesOnADevice(t *testing.T) {
	need.GPU(t)
	awaitNoHandles(t)
	random := seed.Rand(t)
	for n := range *schedules {
		s := draw(random, "")
		require.NoError(t, s.run(), "schedule %d", n)
		require.Empty(t, s.errs, "schedule %d", n)
		require.Zero(t, handles(), "schedule %d", n)
	}
}

// If any call of the driver or any operation fails, the result is an error and a clean stop.
func TestEveryCallCanFail(t *testing.T) {
	needsFake(t)
	awaitNoHandles(t)
	f := fake.New(t, fake.Settings{})
	both, floats := false, false
	run := func(settings fake.Settings) fake.Counters {
		settings.DelayMicros = 50
		f.Reset(t, settings)
		s := &schedule{both: both, floats: floats, early: true, random: rand.New(rand.NewPCG(7, 7)), driver: f.File,
			batches: 6, sizes: []int{1000, 3000, 500, 6000, 100, 6000}, slabs: 2}
		require.NoError(t, s.run(), "%+v", settings)
		c := f.Counters()
		require.Zero(t, c.Violations, "%+v: %s, after %s", settings, c.Violation, c.FailedCall)
		require.Zero(t, c.InUse(), "%+v: %+v", settings, c)
		require.Zero(t, handles(), "%+v", settings)
		failed := c.FailedCall != "" || settings.FailOp > 0 && c.Operations >= int64(settings.FailOp)
		require.Equal(t, failed, len(s.errs) > 0, "%+v: %s: %v", settings, c.FailedCall, s.errs)
		for _, err := range s.errs {
			require.ErrorIs(t, err, spool.ErrDevice, "%+v", settings)
		}
		return c
	}
	step := short.Of(1, 8)
	for n := range 3 {
		both, floats = n == 1, n == 2
		whole := run(fake.Settings{})
		require.Greater(t, whole.Calls, int64(100))
		for call := n % step; call <= int(whole.Calls); call += step { // other calls each time, if not all
			run(fake.Settings{FailCall: call + 1})
			run(fake.Settings{FailCall: call + 1, Lost: true})
		}
		for op := n % step; op <= int(whole.Operations); op += step {
			run(fake.Settings{FailOp: op + 1})
		}
	}
}
