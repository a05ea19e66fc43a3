package object_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// simulatedLoader reads objects as a loader does: in order, window objects ahead, in batches that each keep the
// consumer busy for some time. drive returns the time of each batch.
type simulatedLoader struct {
	client   *object.Client
	url      string
	size     int64
	readers  int // at a time
	window   int // objects that are being read, or were read and not yet taken
	batch    int
	consumer time.Duration
}

func (r simulatedLoader) drive(ctx context.Context, t *testing.T, objects int) (came []time.Time) {
	t.Helper()
	done := make([]chan error, objects)
	for i := range done {
		done[i] = make(chan error, 1)
	}
	next := make(chan int)
	room := make(chan struct{}, r.window)
	var wg sync.WaitGroup
	for range r.readers {
		wg.Go(func() {
			p := make([]byte, r.size)
			for i := range next {
				o, err := r.client.Open(ctx, source.Entry{URL: fmt.Sprintf("%s/%d", r.url, i), Size: r.size})
				if err == nil {
					_, err = o.ReadAt(ctx, p, 0)
					o.Close()
				}
				done[i] <- err
			}
		})
	}
	wg.Go(func() {
		defer close(next)
		for i := range objects {
			room <- struct{}{}
			next <- i
		}
	})
	for i := range objects {
		require.NoError(t, <-done[i])
		<-room
		if i%r.batch == r.batch-1 {
			came = append(came, time.Now())
			if r.consumer > 0 {
				<-time.After(r.consumer)
			}
		}
	}
	wg.Wait()
	return came
}

// quantiles returns those of the times between batches, without the first few, when the network is not yet measured.
func quantiles(came []time.Time) (p50, p99 time.Duration) {
	var times []time.Duration
	for i := len(came) / 10; i < len(came)-1; i++ {
		times = append(times, came[i+1].Sub(came[i]))
	}
	slices.Sort(times)
	return times[len(times)/2], times[len(times)*99/100]
}

// One answer in a hundred takes 20 times as long. A loader that reads 400 ms ahead does not notice it with hedges, and
// stalls without.
func TestTail(t *testing.T) {
	for _, test := range []struct {
		name  string
		share float64
		worst float64 // p99 / p50
		best  float64
	}{{"with second requests", 0, 1.5, 1}, {"without", -1, 1000, 3}} {
		t.Run(test.name, func(t *testing.T) {
			random := seed.Rand(t)
			bubble.Test(t, func(t *testing.T) {
				network := &cloud{size: 1000, latency: 100 * time.Millisecond, slow: 0.01, random: random}
				c, err := object.New(object.Options{Transport: network, HedgeShare: test.share})
				require.NoError(t, err)
				r := simulatedLoader{client: c, url: "http://store", size: 1000, readers: 512, window: 512, batch: 32,
					consumer: 25 * time.Millisecond}
				const objects = 32 * 500
				p50, p99 := quantiles(r.drive(t.Context(), t, objects))
				ratio := float64(p99) / float64(p50)
				t.Logf("batches after %v, %v at p99: %.2f; %+v", p50, p99, ratio, c.Stats())
				assert.LessOrEqual(t, ratio, test.worst)
				assert.GreaterOrEqual(t, ratio, test.best, "the test would see it")
				assert.LessOrEqual(t, float64(network.requests.Load()), 1.05*objects)
				require.NoError(t, c.Close())
			})
		})
	}
}

// A batch without prefetch takes as long as the last of its 32 answers. A hedge is sent when the first request is later
// than usual, and takes its own time: together about twice that of others, in place of 20 times.
func TestTailOfABatchAlone(t *testing.T) {
	random := seed.Rand(t)
	bubble.Test(t, func(t *testing.T) {
		network := &cloud{size: 1000, latency: 100 * time.Millisecond, slow: 0.01, random: random}
		c, err := object.New(object.Options{Transport: network})
		require.NoError(t, err)
		r := simulatedLoader{client: c, url: "http://store", size: 1000, readers: 32, window: 32, batch: 32}
		var came []time.Time
		for range 500 {
			came = append(came, r.drive(t.Context(), t, 32)...)
		}
		p50, p99 := quantiles(came)
		t.Logf("%v, %v at p99; %+v", p50, p99, c.Stats())
		assert.LessOrEqual(t, float64(p99)/float64(p50), 2.4)
		assert.LessOrEqual(t, float64(network.requests.Load()), 1.05*500*32)
		require.NoError(t, c.Close())
	})
}

// A store refuses everything for 10 s. The rates in the 5 s before, and from 5 s after it, are the same.
func TestStorm(t *testing.T) {
	latencies := []time.Duration{200 * time.Millisecond, 50 * time.Millisecond}
	for _, after := range []string{"", "1"} {
		for _, latency := range short.Some(latencies, 2) {
			t.Run(fmt.Sprintf("Retry-After %q at %v", after, latency), func(t *testing.T) {
				random := seed.Rand(t)
				bubble.Test(t, func(t *testing.T) {
					begin := time.Now()
					network := &cloud{size: 1000, latency: latency, random: random, after: after}
					network.stormBegin = begin.Add(10 * time.Second)
					network.stormEnd = begin.Add(20 * time.Second)
					c, err := object.New(object.Options{Transport: network, MaxInFlight: 32})
					require.NoError(t, err)
					r := simulatedLoader{client: c, url: "http://store", size: 1000, readers: 64, window: 128, batch: 8}
					objects := 8 * int(20*32/latency.Seconds()/8)
					came := r.drive(t.Context(), t, objects)
					rate := func(from, to time.Duration) (n float64) {
						for _, at := range came {
							if d := at.Sub(begin); d >= from && d < to {
								n++
							}
						}
						return n / (to - from).Seconds()
					}
					before, later := rate(5*time.Second, 10*time.Second), rate(25*time.Second, 29*time.Second)
					t.Logf("%.1f batches a second before, %.1f in the 5 s after, then %.1f; %d refused, %+v", before,
						rate(20*time.Second, 25*time.Second), later, network.refused.Load(), c.Stats())
					assert.GreaterOrEqual(t, later, 0.95*before)
					assert.Len(t, came, objects/8, "nothing is lost")
					assert.LessOrEqual(t, network.refused.Load(), int64(1500), "the store is left in peace")
					require.NoError(t, c.Close())
				})
			})
		}
	}
}

// A store that answers some hundred requests a second, and others by 503, gets about as many.
func TestThrottled(t *testing.T) {
	random := seed.Rand(t)
	bubble.Test(t, func(t *testing.T) {
		network := &cloud{size: 1000, latency: 100 * time.Millisecond, random: random, perSecond: 1000}
		c, err := object.New(object.Options{Transport: network})
		require.NoError(t, err)
		r := simulatedLoader{client: c, url: "http://store", size: 1000, readers: 512, window: 1024, batch: 32}
		const objects = 32 * 500
		came := r.drive(t.Context(), t, objects)
		rate := objects / 2 / came[len(came)-1].Sub(came[len(came)/2]).Seconds()
		t.Logf("%.0f a second of 1000, %d of %d refused, %+v", rate, network.refused.Load(), network.requests.Load(),
			c.Stats())
		assert.GreaterOrEqual(t, rate, 800.0)
		assert.LessOrEqual(t, float64(network.refused.Load()), 0.1*objects)
		require.NoError(t, c.Close())
	})
}
