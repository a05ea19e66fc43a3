package object_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/pipenet"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

var (
	_ spool.Object  = (*object.Object)(nil)
	_ source.Remote = (*object.Client)(nil)
)

func TestReading(t *testing.T) {
	s := newStore(t)
	b := noise(t, 100_000)
	s.put("/a b/ü.jpg", b)
	c := newClient(t, object.Options{})
	o, err := open(t, c, s.URL+"/a%20b/%C3%BC.jpg")
	require.NoError(t, err)
	assert.EqualValues(t, len(b), o.Info().Size)
	assert.NotEmpty(t, o.Entry().Version)

	for _, r := range []struct{ off, n int }{{0, len(b)}, {0, 1}, {1, 10}, {99_999, 1}, {50_000, 50_000}} {
		p := make([]byte, r.n)
		n, err := o.ReadAt(t.Context(), p, int64(r.off))
		require.NoError(t, err)
		assert.Equal(t, r.n, n)
		assert.Equal(t, b[r.off:r.off+r.n], p)
	}
	p := make([]byte, 100)
	n, err := o.ReadAt(t.Context(), p, 99_990)
	assert.Equal(t, io.EOF, err)
	assert.Equal(t, b[99_990:], p[:n])
	n, err = o.ReadAt(t.Context(), p, 100_000)
	assert.Equal(t, io.EOF, err)
	assert.Zero(t, n)

	before := s.requests.Load()
	again, err := reopen(t, c, o.Entry())
	require.NoError(t, err)
	assert.Equal(t, before, s.requests.Load(), "what is known needs no request")
	got, err := read(t.Context(), again)
	require.NoError(t, err)
	assert.Equal(t, b, got)

	require.NoError(t, o.Close())
	_, err = o.ReadAt(t.Context(), p, 0)
	require.ErrorIs(t, err, spool.ErrClosed)
}

func TestLargeReadsAreAskedForInParts(t *testing.T) {
	s := newStore(t)
	b := noise(t, 1_000_003)
	s.put("/x", b)
	c := newClient(t, object.Options{Part: 100_000, HedgeShare: -1}) // requests are counted
	o, err := open(t, c, s.URL+"/x")
	require.NoError(t, err)
	before := s.requests.Load()
	got, err := read(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, b, got)
	assert.EqualValues(t, 11, s.requests.Load()-before)
}

func TestWhatGoesAwayIsTriedAgain(t *testing.T) {
	b := noise(t, 64_000)
	status := func(code int, header ...string) func(http.ResponseWriter, *http.Request, string) {
		return func(w http.ResponseWriter, _ *http.Request, _ string) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		}
	}
	for name, spoil := range map[string]func(http.ResponseWriter, *http.Request, string){
		"500":                 status(500),
		"502":                 status(502),
		"503":                 status(503),
		"503 Retry-After":     status(503, "Retry-After", "1"),
		"429":                 status(429),
		"reset":               func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) },
		"half of the answer":  func(w http.ResponseWriter, r *http.Request, etag string) { half(b, etag, w, r) },
		"an answer too short": status(206, "Content-Range", fmt.Sprintf("bytes 0-9/%d", len(b)), "Content-Length", "0"),
		"another range":       status(206, "Content-Range", fmt.Sprintf("bytes 5-%d/%d", len(b)-1, len(b))),
	} {
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				s := newPiped(t)
				s.put("/x", b)
				c := newClient(t, object.Options{Transport: s.transport})
				o, err := open(t, c, s.URL+"/x")
				require.NoError(t, err)
				s.spoiled(func(n int64, w http.ResponseWriter, r *http.Request) bool {
					if n < 2 {
						spoil(w, r, o.Entry().Version)
					}
					return n < 2
				})
				began := time.Now()
				got, err := read(t.Context(), o)
				require.NoError(t, err)
				assert.Equal(t, b, got)
				assert.Positive(t, c.Stats().Retries, "one reset the connections themselves make good")
				if name == "503 Retry-After" {
					assert.GreaterOrEqual(t, time.Since(began), 2*time.Second)
				}
			})
		})
	}
}

func TestBrokenAnswersAreContinued(t *testing.T) {
	s := newStore(t)
	b := noise(t, 64_000)
	s.put("/x", b)
	c := newClient(t, object.Options{})
	o, err := open(t, c, s.URL+"/x")
	require.NoError(t, err)
	var ranges []string
	s.spoiled(func(n int64, w http.ResponseWriter, r *http.Request) bool {
		ranges = append(ranges, r.Header.Get("Range"))
		if n < 3 {
			half(b, o.Entry().Version, w, r)
		}
		return false
	})
	got, err := read(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, b, got)
	assert.Equal(t, []string{"", "bytes=32000-63999", "bytes=48000-63999", "bytes=56000-63999"}, ranges)
}

func TestSilenceEnds(t *testing.T) {
	const timeout, retryTime = 100 * time.Millisecond, 500 * time.Millisecond
	for name, spoil := range map[string]func(http.ResponseWriter, *http.Request){
		"before an answer": func(http.ResponseWriter, *http.Request) {},
		"within an answer": func(w http.ResponseWriter, r *http.Request) {
			var from int
			_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-999/1000", from))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(make([]byte, 10))
			w.(http.Flusher).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				s := newPiped(t)
				s.put("/x", noise(t, 1000))
				c := newClient(t, object.Options{Transport: s.transport, Timeout: timeout, RetryTime: retryTime})
				o, err := open(t, c, s.URL+"/x")
				require.NoError(t, err)
				s.spoiled(func(_ int64, w http.ResponseWriter, r *http.Request) bool {
					spoil(w, r)
					<-r.Context().Done()
					return true
				})
				began := time.Now()
				_, err = read(t.Context(), o)
				require.ErrorIs(t, err, spool.ErrTimeout)
				assert.Contains(t, err.Error(), "sends nothing")
				assert.GreaterOrEqual(t, time.Since(began), timeout)
				assert.LessOrEqual(t, time.Since(began), retryTime+2*timeout, "the retry time, and what was begun within it")

				began = time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				defer cancel()
				_, err = read(ctx, o)
				require.ErrorIs(t, err, spool.ErrTimeout)
				ctx, cancel = context.WithCancel(t.Context())
				time.AfterFunc(20*time.Millisecond, cancel)
				_, err = read(ctx, o)
				require.ErrorIs(t, err, spool.ErrCanceled)
				assert.Equal(t, 40*time.Millisecond, time.Since(began), "a context ends it at once")
			})
		})
	}
}

// A server that keeps sending, but very little at a time, ends like one that sends nothing.
func TestTricklesEnd(t *testing.T) {
	const timeout, retryTime = time.Second, 5 * time.Second
	trickle := func(least int) (took time.Duration, err error) {
		bubble.Test(t, func(t *testing.T) {
			s := newPiped(t)
			b := noise(t, 1000)
			s.put("/x", b)
			c := newClient(t, object.Options{Transport: s.transport, Timeout: timeout, RetryTime: retryTime, MinRate: least,
				HedgeShare: -1})
			o, openErr := open(t, c, s.URL+"/x")
			require.NoError(t, openErr)
			s.spoiled(func(_ int64, w http.ResponseWriter, r *http.Request) bool {
				var from int
				_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-999/1000", from))
				w.WriteHeader(http.StatusPartialContent)
				for ; from < len(b); from++ {
					_, _ = w.Write(b[from : from+1])
					w.(http.Flusher).Flush()
					select {
					case <-r.Context().Done():
						return true
					case <-time.After(200 * time.Millisecond):
					}
				}
				return true
			})
			began := time.Now()
			var got []byte
			if got, err = read(t.Context(), o); err == nil {
				assert.Equal(t, b, got)
			}
			took = time.Since(began)
		})
		return took, err
	}
	took, err := trickle(100)
	require.ErrorIs(t, err, spool.ErrTimeout)
	assert.Contains(t, err.Error(), "too slowly")
	assert.LessOrEqual(t, took, retryTime+2*timeout, "the retry time, and what was begun within it")

	took, err = trickle(-1)
	require.NoError(t, err, "five bytes a second, and any rate will do")
	assert.Greater(t, took, 3*time.Minute)
}

func TestChangedObjectsAreNoMixture(t *testing.T) {
	for _, honest := range []bool{true, false} { // servers that know If-Match, and those that do not
		t.Run(fmt.Sprint(honest), func(t *testing.T) {
			s := newStore(t)
			s.put("/x", noise(t, 10_000))
			c := newClient(t, object.Options{ReadAhead: -1})
			o, err := open(t, c, s.URL+"/x")
			require.NoError(t, err)
			p := make([]byte, 5000)
			_, err = o.ReadAt(t.Context(), p, 0)
			require.NoError(t, err)
			s.put("/x", make([]byte, 10_000))
			if !honest {
				s.spoiled(func(_ int64, _ http.ResponseWriter, r *http.Request) bool {
					r.Header.Del("If-Match")
					return false
				})
			}
			_, err = o.ReadAt(t.Context(), p, 5000)
			require.ErrorIs(t, err, spool.ErrIO)
			assert.Contains(t, err.Error(), "overwritten")
			assert.Zero(t, c.Stats().Retries)
		})
	}
}

func TestErrorsSayWhatToCheck(t *testing.T) {
	s := newStore(t)
	s.put("/x", []byte("x"))
	s.spoiled(func(_ int64, w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/secret":
			w.WriteHeader(http.StatusForbidden)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		default:
			return false
		}
		return true
	})
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tls.Close)
	away := pipenet.Refused(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and sends nothing
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })

	nameless := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp",
			Err: &net.DNSError{Err: "no such host", Name: "no-such-host.invalid", IsNotFound: true}}
	}}
	c := newClient(t, object.Options{RetryTime: 300 * time.Millisecond})
	impatient := newClient(t, object.Options{RetryTime: 300 * time.Millisecond, Timeout: 100 * time.Millisecond})
	elsewhere := newClient(t, object.Options{RetryTime: 300 * time.Millisecond, Transport: nameless})
	for _, test := range []struct {
		name, url string
		class     spool.Class
		text      string
	}{
		{"nothing there", s.URL + "/y?token=hush", spool.ErrNotFound, "404"},
		{"no access", s.URL + "/secret?token=hush", spool.ErrPermission, "credentials"},
		{"redirected in a circle", s.URL + "/loop?token=hush", spool.ErrIO, "redirected"},
		{"no certificate", tls.URL + "/x?token=hush", spool.ErrIO, "TLS"},
		{"TLS to a server without", "https" + s.URL[4:] + "/x?token=hush", spool.ErrIO, "TLS"},
		{"nobody there", "http://" + away + "/x?token=hush", spool.ErrIO, "connection refused"},
		{"silence", "http://" + silent.Addr().String() + "/x?token=hush", spool.ErrTimeout, ""},
		{"no host", "http://no-such-host.invalid/x?token=hush", spool.ErrNotFound,
			"no host no-such-host.invalid: check the URL, and how"},
		{"no scheme", "ftp://host/x?token=hush", spool.ErrNotFound, "ftp"},
		{"no URL", "http://ho st/x?token=hush", spool.ErrNotFound, "not a URL"},
		{"a password", "http://user:hush@" + away + "/x", spool.ErrIO, "connection refused"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := c
			switch test.name {
			case "silence":
				client = impatient
			case "no host":
				client = elsewhere
			}
			_, err := open(t, client, test.url)
			require.Error(t, err)
			e := &spool.Error{}
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.class, e.Class, err.Error())
			assert.Contains(t, err.Error(), test.text)
			assert.NotContains(t, err.Error(), "\n")
			showsNot(t, err, "hush")
		})
	}
}

func TestLateAnswersAreAskedForTwice(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := newPiped(t)
		b := noise(t, 1000)
		s.put("/x", b)
		c := newClient(t, object.Options{Transport: s.transport, InFlight: 8, MaxInFlight: 8, Timeout: time.Minute,
			RetryTime: time.Minute})
		o, err := open(t, c, s.URL+"/x")
		require.NoError(t, err)
		var stuck atomic.Int64
		s.spoiled(func(n int64, _ http.ResponseWriter, r *http.Request) bool {
			if n%100 != 99 {
				time.Sleep(time.Millisecond) //nolint:forbidigo // of the bubble
				return false
			}
			stuck.Add(1)
			<-r.Context().Done() // an answer that never comes
			return true
		})
		began := time.Now()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 100 {
					if got, err := read(t.Context(), o); err != nil || !bytes.Equal(got, b) {
						t.Error("a wrong answer", err)
						return
					}
				}
			})
		}
		wg.Wait()
		assert.Less(t, time.Since(began), time.Second, "of 100 ms, and 8 answers that come a little later")
		stats := c.Stats()
		assert.GreaterOrEqual(t, stuck.Load(), int64(8))
		assert.Positive(t, stats.HedgesWon, "%+v", stats)
		assert.LessOrEqual(t, float64(stats.Hedges), 0.05*float64(stats.Requests)+1, "%+v", stats)
		assert.Zero(t, stats.Retries)
		synctest.Wait()
		assert.Zero(t, c.Stats().InFlight, "the later of two ends on its own")
	})
}

// An answer that stops in the middle is requested again from there, long before the server counts as silent.
func TestAnswersThatStopAreContinued(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		s := newPiped(t)
		b := noise(t, 50_000)
		s.put("/x", b)
		c := newClient(t, object.Options{Transport: s.transport, Timeout: time.Minute, RetryTime: 2 * time.Minute})
		o, err := open(t, c, s.URL+"/x")
		require.NoError(t, err)
		s.spoiled(func(n int64, w http.ResponseWriter, r *http.Request) bool {
			if n != 40 {
				return false
			}
			w.Header().Set("Content-Length", fmt.Sprint(len(b)))
			_, _ = w.Write(b[:20_000])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return true
		})
		began := time.Now()
		for range 50 {
			got, err := read(t.Context(), o)
			require.NoError(t, err)
			require.True(t, bytes.Equal(b, got))
		}
		assert.Less(t, time.Since(began), 2*time.Second)
		assert.Positive(t, c.Stats().Hedges)
	})
}

func TestOptions(t *testing.T) {
	_, err := object.New(object.Options{InFlight: 9, MaxInFlight: 8, Part: -1, Timeout: -1, HedgeShare: 2,
		Endpoint: "here"})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, what := range []string{"InFlight 9", "Part -1", "Timeout -1ns", "HedgeShare 2", "Endpoint"} {
		assert.Contains(t, err.Error(), what)
	}
}

func TestClosedClient(t *testing.T) {
	c, err := object.New(object.Options{})
	require.NoError(t, err)
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	_, err = open(t, c, "http://localhost/x")
	require.ErrorIs(t, err, spool.ErrClosed)
}
