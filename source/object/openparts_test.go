package object_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// The request for the size also returns the beginning.
func TestOpenParts(t *testing.T) {
	const n = 4096
	for _, size := range []int{0, 1, n - 1, n, n + 1, 100_000} {
		s := newStore(t)
		b := noise(t, size)
		s.put("/x", b)
		c := newClient(t, object.Options{HedgeShare: -1})
		opened, err := c.OpenParts(t.Context(), source.Entry{URL: s.URL + "/x"}, n, 0)
		require.NoError(t, err, size)
		o, ok := opened.(*object.Object)
		require.True(t, ok)
		require.EqualValues(t, size, o.Info().Size)
		assert.NotEmpty(t, o.Info().Version)
		if size == 0 {
			continue
		}
		require.EqualValues(t, 1, s.requests.Load())
		p := make([]byte, min(n, size))
		for _, read := range []func() (int, error){
			func() (int, error) { return o.ReadAt(t.Context(), p, 0) },
			func() (int, error) { return o.ReadRange(t.Context(), p, 0) },
		} {
			clear(p)
			m, err := read()
			require.NoError(t, err)
			assert.Equal(t, b[:len(p)], p[:m])
		}
		assert.EqualValues(t, 1, s.requests.Load())

		if size > n { // across the border, and the whole object by one request
			p = make([]byte, size-n+1)
			_, err = o.ReadRange(t.Context(), p, n-1)
			require.NoError(t, err)
			assert.Equal(t, b[n-1:], p)
			assert.EqualValues(t, 2, s.requests.Load())
			got, err := read(t.Context(), o)
			require.NoError(t, err)
			assert.Equal(t, b, got)
			assert.EqualValues(t, 3, s.requests.Load())
		}
		s.put("/x", noise(t, size))
		if size > n {
			_, err = o.ReadRange(t.Context(), p, n-1)
			require.ErrorIs(t, err, spool.ErrIO, "it was overwritten")
		}
		require.NoError(t, o.Close())
	}
}

// Servers without ranges, servers that break off, and servers without the object.
func TestOpenPartsElsewhere(t *testing.T) {
	s := newStore(t)
	b := noise(t, 10_000)
	s.put("/x", b)
	c := newClient(t, object.Options{})
	entry := source.Entry{URL: s.URL + "/x"}
	s.spoiled(func(n int64, w http.ResponseWriter, r *http.Request) bool {
		if n == 0 {
			half(b, `"1"`, w, r)
		}
		r.Header.Del("Range")
		return false
	})
	o, err := c.OpenParts(t.Context(), entry, 4096, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 2, s.requests.Load())
	p := make([]byte, 4096)
	_, err = o.ReadAt(t.Context(), p, 0)
	require.NoError(t, err)
	assert.Equal(t, b[:4096], p)
	require.NoError(t, o.Close())

	_, err = c.OpenParts(t.Context(), source.Entry{URL: s.URL + "/none?secret"}, 4096, 0)
	require.ErrorIs(t, err, spool.ErrNotFound)
	showsNot(t, err, "secret")
	s.spoiled(func(_ int64, w http.ResponseWriter, r *http.Request) bool { // ranges are refused
		if r.Header.Get("Range") != "" {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		}
		return r.Header.Get("Range") != ""
	})
	o, err = c.OpenParts(t.Context(), entry, 4096, 0)
	require.NoError(t, err)
	assert.EqualValues(t, len(b), o.Info().Size)
	require.NoError(t, o.Close())
}

// The end is requested at the same time as the beginning, if wanted, and reads of it send no request.
func TestOpenPartsWithTheEnd(t *testing.T) {
	const head, tail = 4096, 2048
	for _, size := range []int{0, 1, tail, head, head + 1, head + tail, 100_000} {
		bubble.Test(t, func(t *testing.T) { // the end has twice the time of the beginning
			s := newPiped(t)
			b := noise(t, size)
			s.put("/b/x", b)
			c := newClient(t, object.Options{Transport: s.transport, Endpoint: s.URL, NoSignRequest: true})
			o, err := c.OpenParts(t.Context(), source.Entry{URL: "s3://b/x"}, head, tail)
			require.NoError(t, err, size)
			require.EqualValues(t, size, o.Info().Size)
			asked := s.requests.Load()
			for _, part := range [][2]int{{0, head}, {size - tail, size}, {size - tail/2, size - 1}, {size - 1, size},
				{0, size}} {
				p := b[min(max(part[0], 0), size):min(max(part[1], 0), size)]
				if len(p) == 0 || len(p) == size && size > head { // the whole object is one request
					continue
				}
				got := make([]byte, len(p))
				_, err := o.ReadAt(t.Context(), got, int64(max(part[0], 0)))
				require.NoError(t, err)
				assert.Equal(t, p, got, "%d: %v", size, part)
			}
			assert.Equal(t, asked, s.requests.Load(), "%d bytes: all of that is there", size)
			if size == 100_000 {
				got := make([]byte, tail+1)
				_, err := o.ReadAt(t.Context(), got, int64(size-len(got)))
				require.NoError(t, err)
				assert.Equal(t, b[size-len(got):], got)
				assert.Equal(t, asked+1, s.requests.Load())
			}
			require.NoError(t, o.Close())
		})
	}
}

// Only S3 is asked for the end. A read requests it again if it did not come, or is of another version.
func TestOpenPartsWithoutTheEnd(t *testing.T) {
	const head, tail = 4096, 2048
	s := newStore(t)
	s.put("/x", noise(t, 100_000))
	o, err := newClient(t, object.Options{}).OpenParts(t.Context(), source.Entry{URL: s.URL + "/x"}, head, tail)
	require.NoError(t, err)
	require.NoError(t, o.Close())
	assert.EqualValues(t, 1, s.requests.Load(), "others than S3 are not asked for the end")

	old, b := noise(t, 100_000), noise(t, 100_000)
	s.put("/b/x", b)
	for what, spoil := range map[string]func(w http.ResponseWriter, r *http.Request){
		"refused": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotImplemented) },
		"all":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(b) },
		"older": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"old"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(old))
		},
		"not soon": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		s.spoiled(func(_ int64, w http.ResponseWriter, r *http.Request) bool {
			ofEnd := strings.HasPrefix(r.Header.Get("Range"), "bytes=-")
			if ofEnd {
				spoil(w, r)
			}
			return ofEnd
		})
		o, err := newClient(t, object.Options{Endpoint: s.URL, NoSignRequest: true}).OpenParts(t.Context(),
			source.Entry{URL: "s3://b/x"}, head, tail)
		require.NoError(t, err, what)
		got := make([]byte, tail)
		_, err = o.ReadAt(t.Context(), got, int64(len(b)-tail))
		require.NoError(t, err, what)
		assert.Equal(t, b[len(b)-tail:], got, what)
		require.NoError(t, o.Close())
	}
}

// The reader opens the object: no request is sent before, and OpenParts requests the parts that are read first.
func TestAt(t *testing.T) {
	s := newStore(t)
	b := noise(t, 10_000)
	s.put("/b/x", b)
	c := newClient(t, object.Options{Endpoint: s.URL, NoSignRequest: true})
	at := c.At("s3://b/x")
	assert.Equal(t, spool.ObjectInfo{Name: "s3://b/x", Size: -1, Remote: true}, at.Info())
	assert.Zero(t, s.requests.Load())
	got := make([]byte, 100)
	_, err := at.ReadAt(t.Context(), got, 5000)
	require.NoError(t, err)
	assert.Equal(t, b[5000:5100], got)

	before := s.requests.Load()
	o, err := at.(spool.Opener).OpenParts(t.Context(), 4096, 0)
	require.NoError(t, err)
	assert.EqualValues(t, len(b), o.Info().Size)
	_, err = o.ReadAt(t.Context(), got, 3000)
	require.NoError(t, err)
	assert.Equal(t, b[3000:3100], got)
	assert.Equal(t, before+1, s.requests.Load())
	require.NoError(t, o.Close())
	require.NoError(t, at.Close())
	_, err = c.At("s3://b/none").ReadAt(t.Context(), got, 0)
	require.ErrorIs(t, err, spool.ErrNotFound)
}
