//go:build unix

package pipe_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// stages are the settings of a pipeline, by name.
type stages map[string]pipe.Stage

// worker is a pipeline that does real work: on cores, and over a network.
type worker struct {
	name  string
	items int // number of results
	each  int // items of the source per result
	build func(*pipe.Pipeline, stages) *pipe.Flow[[]byte]
	tries []stages
}

// undisturbed repeats a measurement until no other process has run on the machine meanwhile, at most ten times.
func undisturbed(tb testing.TB, measure func()) {
	others := 0.0
	for range 10 {
		begun, before := time.Now(), elsewhere(tb)
		measure()
		others = (elsewhere(tb) - before) / time.Since(begun).Seconds()
		if others < 0.05 {
			return
		}
	}
	tb.Logf("disturbed: others have used %.2f cores", others)
}

// elsewhere returns the CPU time of other processes, in seconds; 0 if it is unknown.
func elsewhere(tb testing.TB) float64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	var user, nice, system, idle, wait, irq, soft, steal float64
	_, err = fmt.Sscanf(string(text), "cpu %f %f %f %f %f %f %f %f", &user, &nice, &system, &idle, &wait, &irq, &soft,
		&steal)
	require.NoError(tb, err)
	var own syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &own))
	const ticks = 100 // per second, on every Linux
	return (user+nice+system+irq+soft+steal)/ticks - time.Duration(own.Utime.Nano()+own.Stime.Nano()).Seconds()
}

func (w *worker) run(tb testing.TB, s stages) (r stats.Report) {
	undisturbed(tb, func() {
		p := pipe.New(pipe.Options{})
		for _, err := range pipe.Limit(w.build(p, s), "limit", pipe.Stage{}, w.items).All(tb.Context()) {
			require.NoError(tb, err)
		}
		r = p.Report()
	})
	return r
}

func (w *worker) profile(tb testing.TB) (r stats.Profile) {
	undisturbed(tb, func() {
		p := pipe.New(pipe.Options{})
		pipe.Limit(w.build(p, nil), "limit", pipe.Stage{}, math.MaxInt)
		var err error
		r, err = p.Profile(tb.Context(), pipe.ProfileOptions{Items: 200})
		require.NoError(tb, err)
	})
	return r
}

// images decodes JPEGs of different sizes, and shrinks and encodes them.
func images() worker {
	var files [][]byte
	for n := range 16 {
		r := rand.New(rand.NewPCG(uint64(n), 0))
		m := image.NewRGBA(image.Rect(0, 0, 100+20*n, 120+10*n))
		for i := range m.Pix {
			m.Pix[i] = uint8(i/7) + uint8(r.IntN(40))
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, m, nil); err != nil {
			panic(err)
		}
		files = append(files, b.Bytes())
	}
	return worker{name: "images", items: 1500, each: 1, build: func(p *pipe.Pipeline, s stages) *pipe.Flow[[]byte] {
		list := pipe.FromSeq(p, "list", func(yield func([]byte) bool) {
			for n := 0; yield(files[n%len(files)]); n++ {
			}
		})
		decoded := pipe.Map(list, "decode", s["decode"], func(_ context.Context, file []byte) (image.Image, error) {
			return jpeg.Decode(bytes.NewReader(file))
		})
		small := pipe.Map(decoded, "shrink", s["shrink"], func(_ context.Context, m image.Image) (image.Image, error) {
			out := image.NewRGBA(image.Rect(0, 0, 64, 64))
			for y := range 64 {
				for x := range 64 {
					r, g, b, _ := m.At(x*m.Bounds().Dx()/64, y*m.Bounds().Dy()/64).RGBA()
					out.Set(x, y, color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255})
				}
			}
			return out, nil
		})
		return pipe.Map(small, "encode", s["encode"], func(_ context.Context, m image.Image) ([]byte, error) {
			var b bytes.Buffer
			err := jpeg.Encode(&b, m, nil)
			return b.Bytes(), err
		})
	}, tries: []stages{
		{},
		{"decode": {Workers: 2}},
		{"decode": {Workers: 4, AsCompleted: true}, "shrink": {Workers: 2}},
		{"decode": {Workers: 2, Queue: 1}, "shrink": {Workers: 2, Queue: 1}, "encode": {Workers: 2}},
	}}
}

// network fetches compressed texts from a slow server, and decompresses and hashes them.
func network(tb testing.TB) worker {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	r := rand.New(rand.NewPCG(1, 0))
	for range 60_000 {
		fmt.Fprint(z, r.IntN(1000), " ")
	}
	require.NoError(tb, z.Close())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		n, _ := strconv.Atoi(q.URL.Path[1:])
		time.Sleep(time.Duration(10+n%17) * time.Millisecond)
		_, _ = w.Write(packed.Bytes()) // the client may be gone: a profile ends in the middle
	}))
	tb.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	tb.Cleanup(client.CloseIdleConnections)
	return worker{name: "network", items: 300, each: 1, build: func(p *pipe.Pipeline, s stages) *pipe.Flow[[]byte] {
		list := pipe.FromSeq(p, "list", count(math.MaxInt))
		fetched := pipe.Map(list, "fetch", s["fetch"], func(ctx context.Context, n int) ([]byte, error) {
			q, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/"+strconv.Itoa(n), nil)
			if err != nil {
				return nil, err
			}
			answer, err := client.Do(q)
			if err != nil {
				return nil, err
			}
			defer answer.Body.Close()
			return io.ReadAll(answer.Body)
		})
		return pipe.Map(fetched, "unpack", s["unpack"], func(_ context.Context, file []byte) ([]byte, error) {
			z, err := gzip.NewReader(bytes.NewReader(file))
			if err != nil {
				return nil, err
			}
			h := sha256.New()
			_, err = io.Copy(h, z)
			return h.Sum(nil), err
		})
	}, tries: []stages{
		{},
		{"fetch": {Workers: 4}},
		{"fetch": {Workers: 16}},
		{"fetch": {Workers: 32, AsCompleted: true}, "unpack": {Workers: 2}},
		{"fetch": {Workers: 8, Queue: 1}, "unpack": {Workers: 4}},
	}}
}

// archive compresses texts into batches. One in twenty is ten times as long.
func archive() worker {
	r := rand.New(rand.NewPCG(2, 0))
	text := make([]byte, 200_000)
	for i := range text {
		text[i] = "etaoin shrdlu"[r.IntN(13)]
	}
	writers := sync.Pool{New: func() any {
		z, err := flate.NewWriter(nil, 6)
		if err != nil {
			panic(err)
		}
		return z
	}}
	return worker{name: "archive", items: 500, each: 4, build: func(p *pipe.Pipeline, s stages) *pipe.Flow[[]byte] {
		list := pipe.FromSeq(p, "list", count(math.MaxInt))
		hashed := pipe.Map(list, "hash", s["hash"], func(_ context.Context, n int) ([]byte, error) {
			part := text[:20_000]
			if n%20 == 7 {
				part = text
			}
			sum := sha256.Sum256(part)
			for range 20 {
				sum = sha256.Sum256(append(sum[:], part...))
			}
			return part, nil
		})
		packed := pipe.Map(hashed, "pack", s["pack"], func(_ context.Context, part []byte) ([]byte, error) {
			var b bytes.Buffer
			z := writers.Get().(*flate.Writer)
			defer writers.Put(z)
			z.Reset(&b)
			if _, err := z.Write(part); err != nil {
				return nil, err
			}
			err := z.Close()
			return b.Bytes(), err
		})
		batches := pipe.Batch(packed, "batch", pipe.Stage{}, 4)
		return pipe.Map(batches, "join", s["join"], func(_ context.Context, parts [][]byte) ([]byte, error) {
			return bytes.Join(parts, nil), nil
		})
	}, tries: []stages{
		{},
		{"pack": {Workers: 2}},
		{"hash": {Workers: 2}, "pack": {Workers: 4, Queue: 1}},
		{"hash": {Workers: 2}, "pack": {Workers: 4, Queue: 64}},
	}}
}

// BenchmarkPrediction compares the predictions of models with measurements, for pipelines that do real work. The models
// are of a profile, and of a report of the first setting. The machine should be idle.
func BenchmarkPrediction(b *testing.B) {
	if testing.Short() {
		b.Skip("takes minutes")
	}
	for _, w := range []worker{images(), network(b), archive()} {
		b.Run(w.name, func(b *testing.B) {
			profile := w.profile(b)
			b.Logf("\n%s", profile)
			first := w.run(b, w.tries[0])
			for range b.N {
				worst := map[string]float64{}
				for i, s := range w.tries {
					measured := w.run(b, s)
					rate := float64(w.items) / measured.Elapsed.Seconds()
					for from, model := range map[string]stats.Model{"profile": profile.Model(), "report": first.Model("fetch")} {
						for name, set := range s {
							stage := model.Stage(name)
							stage.Workers, stage.Queue, stage.AsCompleted = max(set.Workers, 1), set.Queue, set.AsCompleted
							if set.Queue == 0 {
								stage.Queue = 2 * stage.Workers
							}
						}
						predicted := float64(w.items) / model.Simulate(w.items*w.each).Elapsed.Seconds()
						worst[from] = max(worst[from], math.Abs(predicted/rate-1))
						b.Logf("setting %d: %.4g/s measured, %.4g/s predicted by the %s (%+.1f %%)", i, rate, predicted, from,
							100*(predicted/rate-1))
					}
				}
				for from, e := range worst {
					b.ReportMetric(100*e, "worst-%-by-"+from)
				}
			}
		})
	}
}
