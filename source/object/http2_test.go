package object

import (
	"bytes"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/source"
)

// A server that offers HTTP/2 is used with it. Its connections take ten requests each, which delays none: there are
// more connections. Streams that it resets and connections that it ends (GOAWAY) cost only time.
func TestHTTP2(t *testing.T) {
	const objects, size, streams = 40, 200_000, 10
	random := seed.Rand(t)
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	var requests, aborted, given atomic.Int64
	var mu sync.Mutex
	connections := map[string]bool{}
	together := make(chan struct{}) // closed once there are as many requests as objects
	handler := func(w http.ResponseWriter, r *http.Request) {
		n := requests.Add(1)
		if n == objects {
			close(together)
		}
		mu.Lock()
		connections[r.RemoteAddr] = true
		mu.Unlock()
		if !assert.Equal(t, "HTTP/2.0", r.Proto) {
			return
		}
		select {
		case <-together:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Etag", `"1"`)
		switch {
		case n > objects && n%4 == 0 && aborted.Add(1) < 20:
			http.ServeContent(&resetting{w, size / 3}, r, "", time.Time{}, bytes.NewReader(data))
		case n > objects && n%15 == 2:
			given.Add(1)
			w.Header().Set("Connection", "close")
			fallthrough
		default:
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(handler))
	server.EnableHTTP2 = true
	server.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: streams}
	server.StartTLS()
	t.Cleanup(server.Close)

	o := Options{MaxInFlight: objects, InFlight: objects, HedgeShare: -1}
	transport := newTransport(&o)
	trusted, ok := server.Client().Transport.(*http.Transport)
	require.True(t, ok)
	transport.TLSClientConfig = &tls.Config{RootCAs: trusted.TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	t.Cleanup(transport.CloseIdleConnections)
	o.Transport = transport
	c, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })

	for range 2 {
		var readers sync.WaitGroup
		for range objects {
			readers.Go(func() {
				opened, err := c.Open(t.Context(), source.Entry{URL: server.URL + "/a", Size: size, Version: `"1"`})
				if !assert.NoError(t, err) {
					return
				}
				defer opened.Close()
				got := make([]byte, size)
				_, err = opened.ReadAt(t.Context(), got, 0)
				assert.NoError(t, err)
				assert.True(t, bytes.Equal(data, got))
			})
		}
		readers.Wait()
	}
	assert.Positive(t, aborted.Load())
	assert.Positive(t, given.Load())
	assert.GreaterOrEqual(t, len(connections), objects/streams)
	assert.Positive(t, c.Stats().Retries)
}

// resetting resets the stream after some bytes.
type resetting struct {
	http.ResponseWriter
	left int
}

func (s *resetting) Write(p []byte) (int, error) {
	n := min(len(p), s.left)
	_, _ = s.ResponseWriter.Write(p[:n])
	if s.left -= n; s.left == 0 {
		panic(http.ErrAbortHandler)
	}
	return n, nil
}
