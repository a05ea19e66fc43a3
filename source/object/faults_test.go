package object_test

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/s3test"
	"github.com/spoolmedia/spool/internal/timing"
	"github.com/spoolmedia/spool/source/object"
)

// A real server behind a network with faults: every object arrives unchanged, in bounded time.
func TestS3Faults(t *testing.T) {
	server := s3test.Start(t)
	proxy := s3test.NewProxy(t, server.URL)
	server.Login(t)
	server.Bucket("photos")
	b := noise(t, 110_000)
	const objects = 40
	for i := range objects {
		server.Put("photos", fmt.Sprint(i), b[i:])
	}
	some := func(kind string, toxicity float64, attributes map[string]any) s3test.Toxic {
		return s3test.Toxic{Type: kind, Toxicity: toxicity, Attributes: attributes}
	}
	for _, test := range []struct {
		name   string
		toxics []s3test.Toxic
		within time.Duration
	}{
		{"latency", []s3test.Toxic{some("latency", 1, map[string]any{"latency": 100})}, 10 * time.Second},
		{"jitter", []s3test.Toxic{some("latency", 1, map[string]any{"latency": 100, "jitter": 90})}, 10 * time.Second},
		// KB/s, a connection
		{"few bytes a second", []s3test.Toxic{some("bandwidth", 1, map[string]any{"rate": 200})}, 20 * time.Second},
		{"resets after a while", []s3test.Toxic{some("reset_peer", 0.5, map[string]any{"timeout": 20})}, 20 * time.Second},
		{"connections that end within answers", []s3test.Toxic{some("limit_data", 0.7, map[string]any{"bytes": 150_000})},
			20 * time.Second},
		{"slow closes", []s3test.Toxic{some("slow_close", 1, map[string]any{"delay": 1000}),
			some("limit_data", 0.5, map[string]any{"bytes": 300_000})}, 20 * time.Second},
		{"small pieces", []s3test.Toxic{some("slicer", 1,
			map[string]any{"average_size": 3000, "size_variation": 1000, "delay": 300})}, 20 * time.Second},
		{"half-open connections", []s3test.Toxic{some("timeout", 0.5, map[string]any{"timeout": 0})}, 30 * time.Second},
		{"requests that do not arrive",
			[]s3test.Toxic{{Type: "timeout", Stream: "upstream", Toxicity: 0.5, Attributes: map[string]any{"timeout": 0}}},
			30 * time.Second},
		{"all of it", []s3test.Toxic{some("latency", 1, map[string]any{"latency": 20, "jitter": 10}),
			some("limit_data", 0.3, map[string]any{"bytes": 150_000}),
			{Type: "timeout", Stream: "upstream", Toxicity: 0.2, Attributes: map[string]any{"timeout": 0}}}, 30 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			proxy.Set(test.toxics...)
			c := newClient(t, object.Options{Endpoint: proxy.URL, InFlight: 16, MaxInFlight: 16, Timeout: 2 * time.Second,
				RetryTime: time.Minute})
			began := time.Now()
			var wg sync.WaitGroup
			var next, arrived atomic.Int64
			for range 16 {
				wg.Go(func() {
					for i := int(next.Add(1)) - 1; i < objects; i = int(next.Add(1)) - 1 {
						o, err := open(t, c, fmt.Sprintf("s3://photos/%d", i))
						if err == nil {
							var got []byte
							if got, err = read(t.Context(), o); err == nil && bytes.Equal(b[i:], got) {
								arrived.Add(1)
							}
						}
						if err != nil {
							t.Error(i, err)
						}
					}
				})
			}
			wg.Wait()
			stats := c.Stats()
			t.Logf("%v: %+v", time.Since(began), stats)
			assert.EqualValues(t, objects, arrived.Load())
			timing.Within(t, time.Since(began), test.within, "reading all objects")
			// The slower of two requests ends a moment after the answer of the other has arrived.
			assert.Eventually(t, func() bool { return c.Stats().InFlight == 0 }, time.Minute, 5*time.Millisecond)
		})
	}
	t.Run("nothing comes through", func(t *testing.T) {
		proxy.Set(some("timeout", 1, map[string]any{"timeout": 0}))
		c := newClient(t, object.Options{Endpoint: proxy.URL, Timeout: 500 * time.Millisecond, RetryTime: 2 * time.Second})
		began := time.Now()
		_, err := open(t, c, "s3://photos/1")
		require.ErrorIs(t, err, spool.ErrTimeout)
		for _, err := range c.List(t.Context(), "s3://photos/") {
			require.ErrorIs(t, err, spool.ErrTimeout)
		}
		timing.Within(t, time.Since(began), 2*(2*time.Second+2*500*time.Millisecond)+time.Second,
			"the retry time, and what was begun within it,")
	})
}
