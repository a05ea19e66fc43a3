package object

import "time"

// Stats are what a client has done so far.
type Stats struct {
	Requests  int64 // sent, including retries, hedges and listings
	Bytes     int64 // received
	Retries   int64 // after failures
	Hedges    int64 // second requests because the answer was late
	HedgesWon int64 // hedges that were answered first

	Throttled int64 // answers that asked for fewer requests, and timeouts
	Damaged   int64 // reads that did not match their checksum
	Kept      int64 // bytes that were received for later reads: see Options.ReadAhead

	InFlight int // current requests
	Limit    int // current limit of requests in flight
	// FirstLimit and MaxLimit are the limits of Options.
	FirstLimit, MaxLimit int

	// P50, P95 and P99 are how long recent answers took to begin, for the slowest store; zero until there are enough.
	P50, P95, P99 time.Duration
}

// Stats returns the sums over all stores. It may be called at any time.
func (c *Client) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	var s Stats
	if c.store != nil {
		s.Kept = c.store.Bytes()
	}
	for _, h := range c.hosts {
		s.Requests += h.requests.Load()
		s.Bytes += h.bytes.Load()
		s.Retries += h.retries.Load()
		s.Hedges += h.hedges.Load()
		s.HedgesWon += h.won.Load()
		s.Damaged += h.damaged.Load()
		s.Throttled += h.throttled.Load()
		inFlight, limit := h.limiter.state()
		s.InFlight += inFlight
		s.Limit += limit
		s.FirstLimit += h.limiter.first
		s.MaxLimit += h.limiter.most
		if p50, p95, p99 := h.delays.quantiles(); p50 > s.P50 {
			s.P50, s.P95, s.P99 = p50, p95, p99
		}
	}
	return s
}
