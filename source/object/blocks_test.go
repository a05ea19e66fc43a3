package object_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/source/object"
)

const block = 128 << 10

var _ spool.RangeReader = (*object.Object)(nil)

// stock puts an object of n bytes into a new store, and opens it.
func stock(t *testing.T, n int, options object.Options) (*store, *object.Client, *object.Object, []byte) {
	t.Helper()
	s := newStore(t)
	b := noise(t, n)
	s.put("/x", b)
	options.HedgeShare = -1 // requests are counted
	c := newClient(t, options)
	o, err := open(t, c, s.URL+"/x")
	require.NoError(t, err)
	s.spoiled(nil)
	return s, c, o, b
}

func TestReadsThatFollowEachOther(t *testing.T) {
	for _, step := range []int{512, 32 << 10, 100_000, 1 << 20} {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			s, c, o, b := stock(t, 12_000_000, object.Options{})
			for off := 0; off < len(b); off += step {
				p := make([]byte, min(step, len(b)-off))
				_, err := o.ReadAt(t.Context(), p, int64(off))
				require.NoError(t, err)
				require.True(t, bytes.Equal(b[off:off+len(p)], p), "at %d", off)
			}
			assert.LessOrEqual(t, s.requests.Load(), int64(30), "requests, of 1 MiB where they have grown")
			assert.LessOrEqual(t, c.Stats().Bytes, int64(len(b)+block), "nothing twice, but for where the reads begin")
			assert.LessOrEqual(t, c.Stats().Kept, int64(64<<20))
			require.NoError(t, o.Close())
			assert.Zero(t, c.Stats().Kept)
		})
	}
}

// io.ReadAll reads more each time, and in the end too much for blocks.
func TestReadsThatGrow(t *testing.T) {
	_, c, o, b := stock(t, 12_000_000, object.Options{})
	got, err := io.ReadAll(io.NewSectionReader(at{o}, 0, o.Info().Size))
	require.NoError(t, err)
	assert.True(t, bytes.Equal(b, got))
	assert.LessOrEqual(t, c.Stats().Bytes, int64(len(b)+block), "nothing twice, but for where they grow large")
}

// at is an object for readers without contexts.
type at struct{ *object.Object }

func (a at) ReadAt(p []byte, off int64) (int, error) {
	return a.Object.ReadAt(context.Background(), p, off)
}

func TestSmallReadsComeFromBlocks(t *testing.T) {
	s, c, o, b := stock(t, 5_000_000, object.Options{})
	r := seed.Rand(t)
	for range 200 { // a directory at the end, say
		off := len(b) - 1 - r.IntN(60_000)
		p := make([]byte, min(1+r.IntN(100), len(b)-off))
		_, err := o.ReadAt(t.Context(), p, int64(off))
		require.NoError(t, err)
		require.Equal(t, b[off:off+len(p)], p)
	}
	assert.LessOrEqual(t, s.requests.Load(), int64(2))
	assert.LessOrEqual(t, c.Stats().Kept, int64(2*block))
}

func TestReadsOfTheirOwnAreAskedForAsTheyAre(t *testing.T) {
	s, c, o, b := stock(t, 300_000, object.Options{})
	for range 3 {
		got, err := read(t.Context(), o)
		require.NoError(t, err)
		require.True(t, bytes.Equal(b, got))
	}
	assert.EqualValues(t, 3, s.requests.Load())
	assert.EqualValues(t, 900_000, c.Stats().Bytes)
	assert.Zero(t, c.Stats().Kept)

	s, c, o, b = stock(t, 10_000_000, object.Options{})
	for _, off := range []int64{9_000_000, 3_000_000, 6_000_000} {
		p := make([]byte, 70_000)
		_, err := o.ReadAt(t.Context(), p, off)
		require.NoError(t, err)
		require.True(t, bytes.Equal(b[off:off+70_000], p))
	}
	assert.EqualValues(t, 3, s.requests.Load())
	assert.EqualValues(t, 210_000, c.Stats().Bytes)

	s, c, o, _ = stock(t, 1_000_000, object.Options{ReadAhead: -1})
	for off := range int64(10) {
		_, err := o.ReadAt(t.Context(), make([]byte, 10), off*10)
		require.NoError(t, err)
	}
	assert.EqualValues(t, 10, s.requests.Load())
	assert.EqualValues(t, 100, c.Stats().Bytes)
}

func TestBlocksAreFetchedOnce(t *testing.T) {
	s, _, o, b := stock(t, 1_000_000, object.Options{})
	const readers = 32
	var reading atomic.Int64
	s.spoiled(func(int64, http.ResponseWriter, *http.Request) bool {
		for reading.Load() < readers {
			runtime.Gosched()
		}
		return false
	})
	var wg sync.WaitGroup
	for i := range readers {
		wg.Go(func() {
			reading.Add(1)
			p := make([]byte, 100)
			if _, err := o.ReadAt(t.Context(), p, int64(i)); err != nil || !bytes.Equal(b[i:i+100], p) {
				t.Error("a wrong answer", err)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1, s.requests.Load())
}

func TestWhoLeavesABlockSpoilsItForNobody(t *testing.T) {
	s, _, o, b := stock(t, 1_000_000, object.Options{})
	left := make(chan struct{})
	s.spoiled(func(int64, http.ResponseWriter, *http.Request) bool {
		<-left
		return false
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := o.ReadAt(ctx, make([]byte, 10), 0)
	require.ErrorIs(t, err, spool.ErrTimeout)
	close(left)
	p := make([]byte, 10)
	_, err = o.ReadAt(t.Context(), p, 5)
	require.NoError(t, err)
	assert.Equal(t, b[5:15], p)
	assert.EqualValues(t, 1, s.requests.Load())
}

func TestFailuresOfBlocksAreForgotten(t *testing.T) {
	s, c, o, b := stock(t, 1_000_000, object.Options{})
	s.spoiled(func(n int64, w http.ResponseWriter, _ *http.Request) bool {
		if n == 0 {
			w.WriteHeader(http.StatusForbidden)
		}
		return n == 0
	})
	p := make([]byte, 10)
	_, err := o.ReadAt(t.Context(), p, 0)
	require.ErrorIs(t, err, spool.ErrPermission)
	assert.Zero(t, c.Stats().Kept)
	_, err = o.ReadAt(t.Context(), p, 0)
	require.NoError(t, err)
	assert.Equal(t, b[:10], p)
}

func TestClosingEndsFetching(t *testing.T) {
	s, c, o, _ := stock(t, 1_000_000, object.Options{})
	asked := make(chan struct{})
	s.spoiled(func(_ int64, _ http.ResponseWriter, r *http.Request) bool {
		close(asked)
		<-r.Context().Done()
		return true
	})
	ended := make(chan error)
	go func() {
		_, err := o.ReadAt(t.Context(), make([]byte, 10), 0)
		ended <- err
	}()
	<-asked
	require.NoError(t, o.Close())
	require.ErrorIs(t, <-ended, spool.ErrClosed)
	require.Eventually(t, func() bool { return c.Stats().Kept == 0 }, time.Minute, time.Millisecond)
}

// Many readers share room for a few blocks of several objects, on a server that breaks off: the bytes are right, and
// the memory is bounded.
func TestBlocksAtRandom(t *testing.T) {
	s := newStore(t)
	c := newClient(t, object.Options{ReadAhead: 10 * block, Part: 300_000})
	random := seed.Rand(t)
	var objects []*object.Object
	var contents [][]byte
	for i := range 4 {
		name := fmt.Sprintf("/%d", i)
		contents = append(contents, noise(t, 1_500_000+random.IntN(500_000)))
		s.put(name, contents[i])
		o, err := open(t, c, s.URL+name)
		require.NoError(t, err)
		objects = append(objects, o)
	}
	s.spoiled(func(n int64, _ http.ResponseWriter, _ *http.Request) bool {
		if n%10 == 9 {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	var wg sync.WaitGroup
	for range 16 {
		r := rand.New(rand.NewPCG(random.Uint64(), 0))
		wg.Go(func() {
			off := 0
			for range short.Of(150, 40) {
				i := r.IntN(len(objects))
				b := contents[i]
				if r.IntN(4) == 0 {
					off = r.IntN(len(b))
				}
				p := make([]byte, 1+r.IntN([]int{100, 10_000, 400_000}[r.IntN(3)]))
				want := b[min(off, len(b)):min(off+len(p), len(b))]
				n, err := objects[i].ReadAt(t.Context(), p, int64(off))
				if (err != nil && !(errors.Is(err, io.EOF) && len(want) < len(p))) || !bytes.Equal(want, p[:n]) {
					t.Errorf("%d bytes at %d of %d: %d, %v", len(p), off, len(b), n, err)
					return
				}
				off += len(p)
				if kept := c.Stats().Kept; kept > 10*block {
					t.Errorf("%d bytes are kept", kept)
				}
			}
		})
	}
	wg.Wait()
	for _, o := range objects {
		require.NoError(t, o.Close())
	}
	require.Eventually(t, func() bool { return c.Stats().Kept == 0 }, time.Minute, time.Millisecond)
}

// Ranges are requested as they are: no bytes around them are requested, and none are cached.
func TestParts(t *testing.T) {
	s, c, o, b := stock(t, 2_000_000, object.Options{})
	for _, part := range []struct{ off, length int64 }{{1_900_000, 100_000}, {0, 50_000}, {50_512, 60_000}, {700_000, 0},
		{110_512, 10}, {110_522, 10}} {
		p := make([]byte, part.length)
		n, err := o.ReadRange(t.Context(), p, part.off)
		require.NoError(t, err)
		require.Len(t, p, n)
		require.True(t, bytes.Equal(b[part.off:part.off+part.length], p))
	}
	assert.EqualValues(t, 5, s.requests.Load())
	assert.EqualValues(t, 210_020, c.Stats().Bytes)
	assert.Zero(t, c.Stats().Kept)

	n, err := o.ReadRange(t.Context(), make([]byte, 2), 1_999_999)
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, 1, n)
	_, err = o.ReadRange(t.Context(), make([]byte, 1), 3_000_000)
	require.ErrorIs(t, err, io.EOF)
	_, err = o.ReadRange(t.Context(), make([]byte, 1), -1)
	require.ErrorIs(t, err, spool.ErrIO)
	s.put("/x", b[:1000])
	_, err = o.ReadRange(t.Context(), make([]byte, 100), 0)
	require.ErrorContains(t, err, "overwritten")
	require.NoError(t, o.Close())
	_, err = o.ReadRange(t.Context(), make([]byte, 100), 0)
	require.ErrorIs(t, err, spool.ErrClosed)
}
