package object

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

// network is a store behind a link: each answer has a latency, and all share a bandwidth.
type network struct {
	latency time.Duration
	perByte time.Duration

	mu   sync.Mutex
	free time.Time // when the link is idle

	jitter int64
	random *rand.Rand // if not nil, the times of bytes vary
}

func (n *network) request(bytes int64) {
	n.mu.Lock()
	n.jitter = (n.jitter + 7919) % 10_000 // equal times fail a check of the race detector
	jitter := time.Duration(n.jitter) * time.Nanosecond
	n.mu.Unlock()
	<-time.After(n.latency + jitter)
	n.mu.Lock()
	now := time.Now()
	if n.free.Before(now) {
		n.free = now
	}
	share := time.Duration(bytes) * n.perByte
	if n.random != nil {
		share = time.Duration(2 * float64(share) * n.random.Float64())
	}
	n.free = n.free.Add(share)
	until := n.free
	n.mu.Unlock()
	<-time.After(time.Until(until))
}

// load sends requests of many readers for some time, and returns their number and the most in flight.
func load(t *testing.T, l *limiter, n *network, readers int, bytes int64, d time.Duration) (requests, most int) {
	t.Helper()
	end := time.Now().Add(d)
	var wg sync.WaitGroup
	var mu sync.Mutex
	now := 0
	for range readers {
		wg.Go(func() {
			for time.Now().Before(end) {
				if l.acquire(t.Context()) != nil {
					return
				}
				mu.Lock()
				now++
				most = max(most, now)
				mu.Unlock()
				began := time.Now()
				n.request(bytes)
				took := time.Since(began)
				mu.Lock()
				now--
				requests++
				mu.Unlock()
				l.release(bytes, took, true)
			}
		})
	}
	wg.Wait()
	return requests, most
}

func TestLimiterGrowsWhileThatPays(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		l := newLimiter(16, 512)
		n := &network{latency: 100 * time.Millisecond}
		requests, most := load(t, l, n, 2000, 1000, 10*time.Second)
		assert.Equal(t, 512, most, "nothing but latency: all that may be")
		assert.Greater(t, requests, 9*5120, "of 51,200 that 512 at a time make in 10 s")
	})
}

// From the default of 64, hundreds of requests are in flight after a second, even if each takes 200 ms.
func TestLimiterIsSoonThere(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		l := newLimiter(64, 512)
		_, most := load(t, l, &network{latency: 200 * time.Millisecond}, 1000, 1000, time.Second)
		assert.GreaterOrEqual(t, most, 400)
	})
}

func TestLimiterStopsWhereTheLinkIsFull(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		l := newLimiter(16, 512)
		// 100 KB take 2 ms of the link: 50 requests fill what passes in 100 ms.
		n := &network{latency: 100 * time.Millisecond, perByte: 20 * time.Nanosecond}
		requests, _ := load(t, l, n, 2000, 100_000, 2*time.Second)
		assert.Greater(t, requests, 900, "of the 1,000 that the link carries: it is found within 2 s")
		requests, _ = load(t, l, n, 2000, 100_000, 20*time.Second)
		_, limit := l.state()
		assert.LessOrEqual(t, limit, 128, "twice what fills the link, and the trial of more")
		assert.Greater(t, requests, 9500, "of the 10,000 that the link carries")
	})
}

// A server answers a fixed number of requests a second, in times that vary. The limit stays near the number that it
// answers within its latency: more requests would only wait there.
func TestLimiterStaysWhereServersAreBusy(t *testing.T) {
	random := seed.Rand(t)
	for _, test := range []struct {
		name    string
		latency time.Duration
		rate    int // a second
	}{{"near", time.Millisecond, 1000}, {"far", 50 * time.Millisecond, 400}} {
		t.Run(test.name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				l := newLimiter(64, 512)
				n := &network{latency: test.latency, perByte: time.Second / time.Duration(test.rate), random: random}
				load(t, l, n, 600, 1, short.Of(time.Minute, 30*time.Second))
				sum := 0
				looks := short.Of(20, 10)
				for range looks {
					requests, _ := load(t, l, n, 600, 1, 2*time.Second)
					_, limit := l.state()
					sum += limit
					assert.Greater(t, requests, 2*test.rate*3/4, "the server has work")
				}
				knee := float64(test.rate) * (test.latency + time.Second/time.Duration(test.rate)).Seconds()
				t.Logf("%d requests at a time on average, %.1f keep the server busy", sum/looks, knee)
				assert.LessOrEqual(t, float64(sum)/float64(looks), 3*knee+4)
			})
		})
	}
}

func TestLimiterYields(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		l := newLimiter(64, 512)
		trip := 100 * time.Millisecond
		for range 40 { // all in flight are refused at once
			l.slow(0, trip)
		}
		_, limit := l.state()
		assert.Equal(t, 32, limit, "once a round trip")
		for range 10 {
			<-time.After(trip)
			l.slow(0, trip)
		}
		_, limit = l.state()
		assert.Equal(t, least, limit)

		_, most := load(t, l, &network{latency: trip}, 500, 1000, 5*time.Second)
		assert.GreaterOrEqual(t, most, 64, "and comes back to what it was")
	})
}

// A higher limit than one that is enough is tried seldom; a limit that was halved recovers at once.
func TestLimiterYieldsWhileItRests(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		l := newLimiter(64, 64)
		n := &network{latency: 100 * time.Millisecond}
		load(t, l, n, 200, 1000, time.Second)
		for range 5 {
			l.slow(0, 0)
		}
		_, limit := l.state()
		require.Equal(t, 2, limit)
		_, most := load(t, l, n, 200, 1000, 2*time.Second)
		assert.Equal(t, 64, most)
	})
}

func TestLimiterPauses(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		l := newLimiter(4, 4)
		begin := time.Now()
		l.slow(3*time.Second, time.Second)
		require.NoError(t, l.acquire(t.Context()))
		assert.Equal(t, 3*time.Second, time.Since(begin))
		l.release(0, 0, true)
	})
}

func TestLimiterForgetsWhoDoesNotWait(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		l := newLimiter(1, 1)
		require.NoError(t, l.acquire(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- l.acquire(ctx) }()
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)

		l.release(0, 0, true)
		inUse, _ := l.state()
		assert.Zero(t, inUse)
		require.NoError(t, l.acquire(t.Context()))
		l.release(0, 0, true)
	})
}

func TestLimiterIsFair(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		l := newLimiter(1, 1)
		require.NoError(t, l.acquire(t.Context()))
		var order []int
		var mu sync.Mutex
		for i := range 20 {
			go func() {
				if l.acquire(t.Context()) == nil {
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					l.release(0, 0, true)
				}
			}()
			synctest.Wait()
		}
		l.release(0, 0, true)
		synctest.Wait()
		for i, who := range order {
			assert.Equal(t, i, who)
		}
		assert.Len(t, order, 20)
	})
}

func TestBudget(t *testing.T) {
	b := &budget{share: 0.05}
	spent := 0
	for range 10_000 {
		b.earn()
		if b.spend() {
			spent++
		}
	}
	assert.InDelta(t, 500, spent, 1)
	for range 10_000 {
		b.earn()
	}
	spent = 0
	for b.spend() {
		spent++
	}
	assert.Equal(t, burst, spent, "what was not spent does not pile up")
}

func TestLatencies(t *testing.T) {
	l := &latencies{}
	assert.Zero(t, l.late(), "nothing is known yet")
	for i := range 1000 {
		d := time.Duration(80+i%41) * time.Millisecond // 80 to 120
		if i%100 == 99 {
			d = 2 * time.Second
		}
		l.add(d)
	}
	p50, p95, p99 := l.quantiles()
	assert.InDelta(t, 100, p50.Milliseconds(), 5)
	assert.InDelta(t, 118, p95.Milliseconds(), 3)
	assert.GreaterOrEqual(t, p99, 119*time.Millisecond)
	assert.Less(t, l.late(), 155*time.Millisecond)
	assert.Greater(t, l.late(), 140*time.Millisecond)
}
