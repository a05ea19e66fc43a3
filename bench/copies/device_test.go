package copies_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench/copies"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/transfer"
)

// realDevice reports whether tests measure the machine's first device and check the promised figures.
var realDevice = os.Getenv("SPOOL_TEST_CUDA") == "real"

// On a device, copies have to reach 0.9 of the bare driver's bandwidth from pinned memory, and a consumer that takes as
// long has to hide 0.95 of their time.
func TestCopiesOfADevice(t *testing.T) {
	need.GPU(t)
	results, err := copies.Measure(t.Context(), copies.Options{Rounds: 15})
	require.NoError(t, err)
	record(t, results)
	for _, r := range results {
		t.Logf("%-12s %9d bytes %9.1f us %7.2f GB/s %6.3f of the floor %6.3f hidden  %s", r.Step, r.Bytes, r.UsPerItem,
			r.GBPerS, r.FloorRatio, r.Hidden, r.Engine)
		if r.Bytes < 4<<20 {
			continue // less than a batch of 32 small images
		}
		switch r.Step {
		case "h2d":
			assert.LessOrEqual(t, r.FloorRatio, 1/0.9, "%d bytes", r.Bytes)
			assert.Equal(t, "spool, registered", r.Engine)
		case "overlap":
			assert.GreaterOrEqual(t, r.Hidden, 0.95, "%d bytes", r.Bytes)
		}
	}
}

// record writes results to the file that SPOOL_RESULTS names, a line of JSON each.
func record(t *testing.T, results []copies.Result) {
	t.Helper()
	name := os.Getenv("SPOOL_RESULTS")
	if name == "" {
		return
	}
	file, err := os.Create(name)
	require.NoError(t, err)
	lines := json.NewEncoder(file)
	for _, r := range results {
		require.NoError(t, lines.Encode(r))
	}
	require.NoError(t, file.Close())
}

// A loop that decodes images into batches takes at most 3 % longer if it copies them to a device, which gets its
// pixels.
func TestImageLoop(t *testing.T) {
	driver, rounds, batches := "", 5, 40
	if !realDevice {
		driver, rounds, batches = fake.New(t, fake.Settings{}).File, 1, 4
	}
	l := newLoop(t, driver)
	without, with := time.Duration(0), time.Duration(0)
	for range rounds {
		for _, device := range []bool{false, true} {
			took, fastest := l.run(t, batches, device), &without
			if device {
				fastest = &with
			}
			if *fastest == 0 || took < *fastest {
				*fastest = took
			}
		}
	}
	images := float64(batches * loopBatch)
	t.Logf("%.0f images a second on the host, %.0f with a device: %.3f of the time", images/without.Seconds(),
		images/with.Seconds(), with.Seconds()/without.Seconds())
	if realDevice {
		assert.LessOrEqual(t, with.Seconds()/without.Seconds(), 1.03)
	}
}

const loopBatch, loopWorkers = 32, 8

// loop decodes images of one size, as stored, into batches.
type loop struct {
	images [][]byte
	want   [sha256.Size]byte // of a batch
	pool   *spool.Pool
	copier *transfer.Copier
	sample spool.Desc
}

func newLoop(t *testing.T, driver string) *loop {
	t.Helper()
	files, err := filepath.Glob("../../testdata/photos/*/*.jpg")
	require.NoError(t, err)
	l := &loop{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		h, err := jpeg.ReadHeader(data)
		require.NoError(t, err)
		if d := (spool.Desc{Shape: spool.Shape{334, 500, 3}, Layout: spool.HWC}); h.Height == d.Shape[0] &&
			h.Width == d.Shape[1] {
			l.images, l.sample = append(l.images, data), d
		}
	}
	require.NotEmpty(t, l.images)
	device, err := transfer.Open("cuda:0", transfer.DeviceOptions{Driver: driver})
	require.NoError(t, err)
	l.pool, err = spool.NewPool(spool.PoolOptions{Allocator: transfer.NewPinnedMemory(device)})
	require.NoError(t, err)
	l.copier, err = transfer.NewCopier(device, transfer.CopierOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, l.copier.Close())
		assert.NoError(t, l.pool.Close())
		assert.NoError(t, device.Close())
	})
	n, _ := l.sample.Bytes()
	whole := make([]byte, loopBatch*n)
	for i := range loopBatch {
		require.NoError(t, l.decode(i, whole[i*n:(i+1)*n]))
	}
	l.want = sha256.Sum256(whole)
	return l
}

func (l *loop) decode(i int, slot []byte) error {
	c, err := call.Enter(context.Background(), 1)
	if err != nil {
		return err
	}
	defer c.Leave()
	_, err = jpeg.Decode(c, l.images[i%len(l.images)], jpeg.Options{Dst: slot})
	return err
}

// run decodes batches, copies them to the device if wanted, and returns the time. It checks the last batch.
func (l *loop) run(t *testing.T, batches int, device bool) time.Duration {
	t.Helper()
	type task struct {
		batch *spool.Buffer
		left  *atomic.Int32 // remaining slots of the batch
		i     int
	}
	n, _ := l.sample.Bytes()
	tasks, done := make(chan task), make(chan *spool.Buffer, 2)
	go func() {
		defer close(tasks)
		for range batches {
			b, err := l.pool.Get(context.Background(), loopBatch*n)
			if !assert.NoError(t, err) {
				return
			}
			left := &atomic.Int32{}
			left.Store(loopBatch)
			for i := range loopBatch {
				tasks <- task{b, left, i}
			}
		}
	}()
	var workers sync.WaitGroup
	for range loopWorkers {
		workers.Go(func() {
			for w := range tasks {
				assert.NoError(t, l.decode(w.i, w.batch.Bytes()[w.i*n:(w.i+1)*n]))
				if w.left.Add(-1) == 0 {
					done <- w.batch
				}
			}
		})
	}
	go func() { workers.Wait(); close(done) }()

	begin, arrived := time.Now(), 0
	for b := range done {
		if arrived++; arrived == batches {
			l.check(t, b.Bytes())
		}
		if !device {
			b.Release()
			continue
		}
		on, err := l.copier.CopyBuffer(context.Background(), b)
		require.NoError(t, err)
		if require.NoError(t, on.WaitOn(0)); arrived == batches {
			took := time.Since(begin)
			pixels, err := on.Fetch(context.Background(), 0, l.pool)
			require.NoError(t, err)
			l.check(t, pixels.Bytes())
			pixels.Release()
			begin = begin.Add(time.Since(begin) - took) // the check does not count
		}
		on.Release()
	}
	took := time.Since(begin)
	assert.Equal(t, batches, arrived)
	return took
}

func (l *loop) check(t *testing.T, pixels []byte) {
	t.Helper()
	assert.Equal(t, l.want, sha256.Sum256(pixels))
}
