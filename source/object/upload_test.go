package object_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/s3test"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// written writes an object in pieces, and commits it.
func written(t *testing.T, c *object.Client, url string, data []byte) error {
	t.Helper()
	u, err := c.Create(t.Context(), url)
	require.NoError(t, err)
	defer u.Discard()
	for len(data) > 0 {
		n := min(len(data), 700_001)
		if _, err := u.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return u.Commit()
}

func readURL(t *testing.T, c *object.Client, url string) []byte {
	t.Helper()
	o, err := open(t, c, url)
	require.NoError(t, err)
	b, err := read(t.Context(), o)
	require.NoError(t, err)
	return b
}

func TestUpload(t *testing.T) { s3test.Each(t, testUpload) }

func testUpload(t *testing.T, server *s3test.Server) {
	server.Login(t)
	server.Bucket("out")
	c := newClient(t, object.Options{Part: 5 << 20})
	sizes := []int{0, 1, 5 << 20, 5<<20 + 1, 27 << 20}
	for _, size := range sizes[:short.Of(len(sizes), 4)] {
		b := noise(t, size)
		require.NoError(t, written(t, c, "s3://out/a b/ü+1.tar", b))
		got := readURL(t, c, "s3://out/a b/ü+1.tar")
		assert.Len(t, got, size)
		assert.True(t, bytes.Equal(b, got), size)
		require.ErrorIs(t, written(t, c, "s3://out/a b/ü+1.tar", b[:size/2]), fs.ErrExist)
		assert.Len(t, readURL(t, c, "s3://out/a b/ü+1.tar"), size, "the object stays")
		server.Delete("out", "a b/ü+1.tar")
	}

	// What was discarded, or never ended, is no object, and leaves no parts.
	for _, name := range []string{"x/1.tar", "x/2.tar", "y/3.tar"} {
		u, err := c.Create(t.Context(), "s3://out/"+name)
		require.NoError(t, err)
		_, err = u.Write(noise(t, short.Of(11, 6)<<20))
		require.NoError(t, err)
		if name == "x/1.tar" {
			u.Discard()
			u.Discard()
		} else {
			t.Cleanup(u.Discard)
		}
	}
	unfinished := func() (urls []string) {
		err := c.AbortUploads(t.Context(), "s3://out/", func(url string) bool {
			urls = append(urls, url)
			return false
		})
		require.NoError(t, err)
		return urls
	}
	assert.ElementsMatch(t, []string{"s3://out/x/2.tar", "s3://out/y/3.tar"}, unfinished())
	// A part that is under way may be stored after its upload was aborted, in S3 as in versitygw.
	for begun := time.Now(); ; {
		require.NoError(t, c.AbortUploads(t.Context(), "s3://out/x/", func(string) bool { return true }))
		if urls := unfinished(); len(urls) == 1 || time.Since(begun) > time.Minute {
			assert.Equal(t, []string{"s3://out/y/3.tar"}, urls)
			break
		}
	}
	_, err := open(t, c, "s3://out/x/2.tar")
	require.ErrorIs(t, err, spool.ErrNotFound)
	for _, err := range c.List(t.Context(), "s3://out/") {
		require.NoError(t, err)
		require.Fail(t, "there is an object")
	}

	require.ErrorIs(t, written(t, c, "s3://none/1.tar", []byte("x")), spool.ErrNotFound)
	_, err = c.Create(t.Context(), "https://host/1.tar")
	require.ErrorIs(t, err, spool.ErrUnsupported)
	stopped, stop := context.WithCancel(t.Context())
	u, err := c.Create(stopped, "s3://out/z.tar")
	require.NoError(t, err)
	stop()
	_, err = u.Write(make([]byte, 30<<20))
	require.ErrorIs(t, err, spool.ErrCanceled)
	u.Discard()
}

// Requests that fail are repeated, and an object whose answer was lost is found.
func TestUploadRetries(t *testing.T) {
	server := s3test.Start(t)
	server.Login(t)
	server.Bucket("out")
	b := noise(t, 12<<20)
	for name, lost := range map[string]bool{"refused": false, "answers lost": true} {
		t.Run(name, func(t *testing.T) {
			var seen sync.Map // of requests: the first of each fails
			inner := &http.Transport{}
			t.Cleanup(inner.CloseIdleConnections)
			faulty := roundTrip(func(r *http.Request) (*http.Response, error) {
				if _, again := seen.LoadOrStore(r.Method+r.URL.String(), true); again {
					if lost && r.Method == http.MethodPost && r.URL.Query().Has("uploadId") { // as AWS answers, after a time
						return answer(r, http.StatusNotFound, "<Error><Code>NoSuchUpload</Code></Error>"), nil
					}
					return inner.RoundTrip(r)
				}
				if lost {
					resp, err := inner.RoundTrip(r)
					if err != nil {
						return nil, err
					}
					resp.Body.Close()
				}
				return answer(r, http.StatusBadGateway, ""), nil
			})
			c := newClient(t, object.Options{Part: 5 << 20, Transport: faulty})
			url := "s3://out/" + strings.ReplaceAll(name, " ", "-")
			err := written(t, c, url, b)
			if lost {
				require.ErrorIs(t, err, fs.ErrExist)
			} else {
				require.NoError(t, err)
			}
			assert.True(t, bytes.Equal(b, readURL(t, c, url)))
		})
	}
}

func answer(r *http.Request, status int, body string) *http.Response {
	if r.Body != nil {
		r.Body.Close()
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(body))}
}

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

var _ source.Store = (*object.Client)(nil)
