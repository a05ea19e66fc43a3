package pipe_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/pipe"
)

// testPipeline is a realistic pipeline: its stages' functions, and the numbers of workers of a sweep.
type testPipeline struct {
	name   string
	share  float64
	names  []string
	tasks  []func(context.Context, []byte) ([]byte, error)
	try    [][]int
	object []byte
}

// photo returns an image with noise, as a compressed JPEG.
func photo(r *rand.Rand) []byte {
	m := image.NewRGBA(image.Rect(0, 0, 256, 192))
	for y := range 192 {
		for x := range 256 {
			m.Set(x, y, color.RGBA{R: uint8(x + r.IntN(32)), G: uint8(y + r.IntN(32)), B: uint8(x ^ y), A: 255})
		}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_ = jpeg.Encode(z, m, nil)
	_ = z.Close()
	return packed.Bytes()
}

// fetch waits like a request to a store: 10 ms on average, log-normal.
func fetch(r *rand.Rand) func(context.Context, []byte) ([]byte, error) {
	waits := make(chan time.Duration, 1024)
	for range cap(waits) {
		waits <- time.Duration(math.Exp(0.5*r.NormFloat64()-0.125) * float64(10*time.Millisecond))
	}
	return func(ctx context.Context, data []byte) ([]byte, error) {
		d := <-waits
		waits <- d
		select {
		case <-time.After(d):
			return data, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func unpack(_ context.Context, data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// decode decodes an image, which may be packed, and looks at its pixels.
func decode(ctx context.Context, data []byte) (_ []byte, err error) {
	if data[0] == 0x1f {
		if data, err = unpack(ctx, data); err != nil {
			return nil, err
		}
	}
	m, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(m.(*image.YCbCr).Y)
	return sum[:], nil
}

// digest computes about as long as decode.
func digest(_ context.Context, data []byte) ([]byte, error) {
	sum := sha256.Sum256(data)
	for range 40 {
		sum = sha256.Sum256(append(sum[:], data...))
	}
	if sum == [32]byte{} {
		return nil, io.ErrUnexpectedEOF
	}
	return data, nil
}

func testPipelines(r *rand.Rand) []testPipeline {
	type tasks = []func(context.Context, []byte) ([]byte, error)
	few, many := []int{1, 2, 4, 8}, []int{4, 8, 16, 32, 64}
	object := photo(r)
	return []testPipeline{
		{"decode", 0, []string{"decode"}, tasks{decode}, [][]int{few}, object},
		{"fetch-decode", 0, []string{"fetch", "decode"}, tasks{fetch(r), decode}, [][]int{many, few[:3]}, object},
		{"fetch-digest-decode", 0, []string{"fetch", "digest", "decode"}, tasks{fetch(r), digest, decode},
			[][]int{many[1:4], few[:3], few[:3]}, object},
		{"fetch-decode-share", 0.4, []string{"fetch", "decode"}, tasks{fetch(r), decode}, [][]int{many[:3], few[:2]}, object},
	}
}

// testRun is a testPipeline that runs for one slice of time after the other.
type testRun struct {
	tb    testing.TB
	p     *pipe.Pipeline
	next  func() ([]byte, error, bool)
	stop  func()
	items int
	spent time.Duration
	used  time.Duration // CPU time
}

func (w testPipeline) begin(tb testing.TB, workers []int) *testRun {
	p := pipe.New(pipe.Options{CPUShare: w.share})
	flow := pipe.FromSeq(p, "list", func(yield func([]byte) bool) {
		for yield(w.object) {
		}
	})
	for i, f := range w.tasks {
		flow = pipe.Map(flow, w.names[i], pipe.Stage{Workers: workers[i]}, f)
	}
	next, stop := iter.Pull2(flow.All(context.Background()))
	return &testRun{tb: tb, p: p, next: next, stop: stop}
}

// drive takes results for some time, and counts them if measured is set.
func (r *testRun) drive(d time.Duration, measured bool) {
	begin, used := time.Now(), processTime(r.tb)
	n := 0
	for time.Since(begin) < d {
		_, err, _ := r.next()
		require.NoError(r.tb, err)
		n++
	}
	if measured {
		r.items, r.spent, r.used = r.items+n, r.spent+time.Since(begin), r.used+processTime(r.tb)-used
	}
}

func (r *testRun) rate() float64 { return float64(r.items) / r.spent.Seconds() }

func processTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// best returns the fastest setting, after two runs of each, and a setting of the same length with Auto.
func (w testPipeline) best(tb testing.TB) (best, auto []int) {
	most := 0.0
	var sweep func([]int)
	sweep = func(setting []int) {
		if n := len(setting); n < len(w.try) {
			for _, workers := range w.try[n] {
				sweep(append(setting[:n:n], workers))
			}
			return
		}
		r := w.begin(tb, setting)
		defer r.stop()
		r.drive(300*time.Millisecond, false)
		r.drive(700*time.Millisecond, true)
		if rate := r.rate(); rate > most {
			most, best = rate, setting
		}
	}
	sweep(nil)
	sweep(nil)
	for range best {
		auto = append(auto, pipe.Auto)
	}
	return best, auto
}

// BenchmarkAuto compares the throughput of Auto after ten seconds with that of the best fixed setting of a sweep. Both
// take turns of half a second, because a machine's speed varies.
func BenchmarkAuto(b *testing.B) {
	if testing.Short() {
		b.Skip("takes minutes")
	}
	for _, w := range testPipelines(seed.Rand(b)) {
		b.Run(w.name, func(b *testing.B) {
			for range b.N {
				best, auto := w.best(b)
				tuned, fixed := w.begin(b, auto), w.begin(b, best)
				tuned.drive(10*time.Second, false)
				found := tuned.p.Report()
				for range 16 {
					for _, r := range []*testRun{fixed, tuned} {
						r.drive(100*time.Millisecond, false)
						r.drive(500*time.Millisecond, true)
					}
				}
				for _, m := range found.Moves {
					b.Logf("%6.2fs %s from %d to %d: %s", m.At.Seconds(), m.Stage, m.From, m.To, m.Reason)
				}
				b.Logf("best %v; %s", best, found.Verdict())
				b.ReportMetric(tuned.rate(), "items/s")
				b.ReportMetric(tuned.used.Seconds()/tuned.spent.Seconds(), "cores")
				b.ReportMetric(tuned.rate()/fixed.rate(), "of-best")
				tuned.stop()
				fixed.stop()
			}
		})
	}
}
