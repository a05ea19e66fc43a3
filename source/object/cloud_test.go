package object_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// cloud is a store behind a network, in the simulated time of synctest: a transport with a latency, some late answers,
// and a limited rate of requests.
type cloud struct {
	size    int64
	latency time.Duration // with a jitter of 20 %
	slow    float64       // share of answers that take 20 times as long

	// A storm: all requests are answered by 503, with Retry-After if after is set.
	stormBegin, stormEnd time.Time
	after                string
	perSecond            int // requests that it answers, others get 503; 0: all

	requests, refused atomic.Int64

	mu     sync.Mutex
	random *rand.Rand
	second time.Time
	inIt   int
}

func (c *cloud) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests.Add(1)
	c.mu.Lock()
	wait := time.Duration(float64(c.latency)*(0.8+0.4*c.random.Float64())) + time.Duration(c.random.IntN(10_000))
	if c.random.Float64() < c.slow {
		wait *= 20
	}
	c.mu.Unlock()
	if err := rest(r.Context(), wait); err != nil {
		return nil, err
	}
	now := time.Now()
	refuse := now.After(c.stormBegin) && now.Before(c.stormEnd)
	if c.perSecond > 0 {
		c.mu.Lock()
		if now.Sub(c.second) > 100*time.Millisecond {
			c.second, c.inIt = now, 0
		}
		c.inIt++
		refuse = refuse || c.inIt > c.perSecond/10
		c.mu.Unlock()
	}
	if refuse {
		c.refused.Add(1)
		header := http.Header{}
		if c.after != "" {
			header.Set("Retry-After", c.after)
		}
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: header, Body: http.NoBody, Request: r}, nil
	}
	from, to := int64(0), c.size-1
	status, header := http.StatusOK, http.Header{"Etag": {`"1"`}}
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err == nil {
		status = http.StatusPartialContent
		header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, c.size))
	}
	body := io.NopCloser(bytes.NewReader(make([]byte, to-from+1)))
	return &http.Response{StatusCode: status, Header: header, ContentLength: to - from + 1, Body: body, Request: r}, nil
}

func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
