package tally

import (
	"fmt"
	"strings"
	"time"

	"github.com/spoolmedia/spool/source/object"
)

// Remote is the statistics of requests to remote stores.
type Remote struct {
	Requests  int64   `json:"requests"`
	Bytes     int64   `json:"bytes"`
	InFlight  int     `json:"in_flight"`       // requests in flight
	Limit     int     `json:"in_flight_limit"` // tuned limit of these
	P50MS     float64 `json:"p50_ms"`          // time to first byte of recent requests; 0 until there are enough
	P95MS     float64 `json:"p95_ms"`
	P99MS     float64 `json:"p99_ms"`
	Hedges    int64   `json:"hedges"`
	HedgesWon int64   `json:"hedges_won"`
	Retries   int64   `json:"retries"`
	Throttled int64   `json:"throttled"`
}

// RemoteOf returns the statistics of a client, or nil if it has sent no request.
func RemoteOf(s object.Stats) *Remote {
	if s.Requests == 0 {
		return nil
	}
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return &Remote{Requests: s.Requests, Bytes: s.Bytes, InFlight: s.InFlight, Limit: s.Limit, P50MS: ms(s.P50),
		P95MS: ms(s.P95), P99MS: ms(s.P99),
		Hedges: s.Hedges, HedgesWon: s.HedgesWon, Retries: s.Retries, Throttled: s.Throttled}
}

// String is a summary in one line.
func (r *Remote) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d requests for %s, up to %d at a time", r.Requests, Amount(r.Bytes), r.Limit)
	if r.P50MS > 0 {
		fmt.Fprintf(&s, "; answers began after %.1f ms (p50), %.1f ms (p95), %.1f ms (p99)", r.P50MS, r.P95MS, r.P99MS)
	}
	fmt.Fprintf(&s, "; %d hedged, of which %d came first; %d retried; %d throttled", r.Hedges, r.HedgesWon, r.Retries,
		r.Throttled)
	return s.String()
}

// Now describes the current state, as part of a line.
func (r *Remote) Now() string {
	parts := []string{fmt.Sprintf("%d of %d requests", r.InFlight, r.Limit)}
	if r.P50MS > 0 {
		parts = append(parts, fmt.Sprintf("p50 %.0f ms, p99 %.0f ms", r.P50MS, r.P99MS))
	}
	for _, x := range []struct {
		n    int64
		what string
	}{{r.Hedges, "hedged"}, {r.Retries, "retried"}, {r.Throttled, "throttled"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	return strings.Join(append(parts, Amount(r.Bytes)), ", ")
}

// Amount formats a number of bytes with a unit.
func Amount(bytes int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	n, unit := float64(bytes), 0
	for ; n >= 999.5 && unit < len(units)-1; unit++ {
		n /= 1000
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", bytes)
	}
	return fmt.Sprintf("%.3g %s", n, units[unit])
}
