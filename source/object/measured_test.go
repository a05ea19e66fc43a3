package object_test

import (
	"flag"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source/object"
)

var measured = flag.Bool("tail", false,
	"measure late answers and storms on a server in this process: 40 s, on a machine without other work")

// paced is a server of images of 20,000 bytes. It takes 100 ms, with a jitter of 20 %, one in a hundred 20 times as
// long.
type paced struct {
	slow       float64
	begin, end atomic.Int64 // of a storm, in Unix nanoseconds
	requests   atomic.Int64
}

func (s *paced) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	wait := time.Duration(float64(100*time.Millisecond) * (0.8 + 0.4*rand.Float64()))
	if rand.Float64() < s.slow {
		wait *= 20
	}
	if rest(r.Context(), wait) != nil {
		return
	}
	if now := time.Now().UnixNano(); now > s.begin.Load() && now < s.end.Load() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Etag", `"1"`)
	_, _ = w.Write(make([]byte, 20_000))
}

// TestTailMeasured and TestStormMeasured are TestTail and TestStorm with real connections and clocks.
func TestTailMeasured(t *testing.T) {
	if !*measured {
		t.Skip("takes 40 s, and a machine without other work: -tail")
	}
	for _, share := range []float64{0, -1} {
		s := &paced{slow: 0.01}
		server := httptest.NewServer(s)
		c := newClient(t, object.Options{HedgeShare: share})
		r := simulatedLoader{client: c, url: server.URL, size: 20_000, readers: 256, window: 512, batch: 32,
			consumer: 80 * time.Millisecond}
		const objects = 32 * 200
		p50, p99 := quantiles(r.drive(t.Context(), t, objects))
		extra := float64(s.requests.Load())/objects - 1
		t.Logf("share %v: batches after %v, %v at p99: %.2f; %.2f %% more requests; %+v", share, p50, p99,
			float64(p99)/float64(p50), 100*extra, c.Stats())
		if share == 0 {
			assert.LessOrEqual(t, float64(p99)/float64(p50), 1.5)
			assert.LessOrEqual(t, extra, 0.05)
		}
		server.Close()
	}
}

func TestStormMeasured(t *testing.T) {
	if !*measured {
		t.Skip("takes 40 s, and a machine without other work: -tail")
	}
	s := &paced{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := newClient(t, object.Options{InFlight: 32, MaxInFlight: 32, RetryTime: time.Minute})
	begin := time.Now()
	s.begin.Store(begin.Add(5 * time.Second).UnixNano())
	s.end.Store(begin.Add(15 * time.Second).UnixNano())
	r := simulatedLoader{client: c, url: server.URL, size: 20_000, readers: 64, window: 128, batch: 8}
	const objects = 8 * 900 // 40 batches a second
	came := r.drive(t.Context(), t, objects)
	require.Len(t, came, objects/8)
	rate := func(from, to time.Duration) (n float64) {
		for _, at := range came {
			if d := at.Sub(begin); d >= from && d < to {
				n++
			}
		}
		return n / (to - from).Seconds()
	}
	before, later := rate(time.Second, 5*time.Second), rate(20*time.Second, 26*time.Second)
	var after []float64 // in each second
	for at := 15 * time.Second; at < 20*time.Second; at += time.Second {
		after = append(after, rate(at, at+time.Second))
	}
	t.Logf("%.1f batches a second before, %v in the seconds after, %.1f then; %+v", before, after, later, c.Stats())
	assert.GreaterOrEqual(t, after[len(after)-1], 0.9*before, "of 40 batches; one or two fall into the next second")
	assert.GreaterOrEqual(t, later, 0.95*before)
}
