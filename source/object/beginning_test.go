package object_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// The request that tells the size brings the beginning.
func TestOpenParts(t *testing.T) {
	const n = 4096
	for _, size := range []int{0, 1, n - 1, n, n + 1, 100_000} {
		s := newStore(t)
		b := noise(t, size)
		s.put("/x", b)
		c := newClient(t, object.Options{})
		opened, err := c.OpenParts(t.Context(), source.Entry{Address: s.URL + "/x"}, n)
		require.NoError(t, err, size)
		o, ok := opened.(*object.Object)
		require.True(t, ok)
		require.EqualValues(t, size, o.Size())
		assert.NotEmpty(t, o.Version())
		if size == 0 {
			continue
		}
		require.EqualValues(t, 1, s.requests.Load())
		p := make([]byte, min(n, size))
		for _, read := range []func() (int, error){
			func() (int, error) { return o.ReadAt(t.Context(), p, 0) },
			func() (int, error) { return o.ReadPart(t.Context(), p, 0) },
		} {
			clear(p)
			m, err := read()
			require.NoError(t, err)
			assert.Equal(t, b[:len(p)], p[:m])
		}
		assert.EqualValues(t, 1, s.requests.Load())

		if size > n { // over the border, and all of it by one request
			p = make([]byte, size-n+1)
			_, err = o.ReadPart(t.Context(), p, n-1)
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
			_, err = o.ReadPart(t.Context(), p, n-1)
			require.ErrorIs(t, err, spool.ErrIO, "it was written anew")
		}
		require.NoError(t, o.Close())
	}
}

// Of servers that know no ranges, break off or have no such object.
func TestOpenPartsElsewhere(t *testing.T) {
	s := newStore(t)
	b := noise(t, 10_000)
	s.put("/x", b)
	c := newClient(t, object.Options{})
	entry := source.Entry{Address: s.URL + "/x"}
	s.spoiled(func(n int64, w http.ResponseWriter, r *http.Request) bool {
		if n == 0 {
			half(b, `"1"`, w, r)
		}
		r.Header.Del("Range")
		return false
	})
	o, err := c.OpenParts(t.Context(), entry, 4096)
	require.NoError(t, err)
	assert.EqualValues(t, 2, s.requests.Load())
	p := make([]byte, 4096)
	_, err = o.ReadAt(t.Context(), p, 0)
	require.NoError(t, err)
	assert.Equal(t, b[:4096], p)
	require.NoError(t, o.Close())

	_, err = c.OpenParts(t.Context(), source.Entry{Address: s.URL + "/none?secret"}, 4096)
	require.ErrorIs(t, err, spool.ErrNotFound)
	showsNot(t, err, "secret")
	s.spoiled(func(_ int64, w http.ResponseWriter, r *http.Request) bool { // ranges are refused
		if r.Header.Get("Range") != "" {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		}
		return r.Header.Get("Range") != ""
	})
	o, err = c.OpenParts(t.Context(), entry, 4096)
	require.NoError(t, err)
	assert.EqualValues(t, len(b), o.Size())
	require.NoError(t, o.Close())
}
