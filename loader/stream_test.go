package loader_test

import (
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
)

// streamOf is dots as a stream. before, if not nil, is called before the n-th name.
type streamOf struct {
	dots
	remote bool
	before func(ctx context.Context, n int) error
	from   int // where the last listing began
}

func (s *streamOf) Len() int     { return -1 }
func (s *streamOf) Remote() bool { return s.remote }

func (s *streamOf) Samples(ctx context.Context, from int) iter.Seq2[source.Item, error] {
	s.from = from
	return func(yield func(source.Item, error) bool) {
		for i := from; i < s.n; i++ {
			if s.before != nil {
				if err := s.before(ctx, i); err != nil {
					yield(source.Item{}, err)
					return
				}
			}
			if !yield(s.Item(i), nil) {
				return
			}
		}
	}
}

func ids(b *batch.Batch) (list []int64) {
	for _, s := range b.Samples[:b.Len()-b.Padded] {
		list = append(list, s.ID)
	}
	return list
}

// The first batch is delivered when its names are listed, before the listing ends. The same holds for all others.
func TestTheFirstBatchDoesNotWaitForTheListing(t *testing.T) {
	for _, remote := range []bool{false, true} {
		for _, order := range []batch.Order{batch.Exact, batch.Any} {
			delivered := make(chan struct{})
			src := &streamOf{dots: dots{n: 12}, remote: remote}
			src.before = func(ctx context.Context, n int) error {
				if n%4 != 0 || n == 0 {
					return nil
				}
				select { // the next batch's names come after the previous batch was delivered
				case <-delivered:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Batch: 4, Order: order}})
			require.NoError(t, err)
			assert.Negative(t, ld.Len())
			assert.Negative(t, ld.EpochBatches())
			got := 0
			for b, err := range ld.Batches(t.Context()) {
				require.NoError(t, err)
				assert.ElementsMatch(t, []int64{int64(4 * got), int64(4*got + 1), int64(4*got + 2), int64(4*got + 3)}, ids(b))
				b.Release()
				if got++; got < 3 {
					delivered <- struct{}{}
				}
			}
			assert.Equal(t, 3, got)
			require.NoError(t, ld.Close())
		}
	}
}

// The end of the context or of the loop ends a listing that hangs. A listing that fails ends the run after the samples
// that it listed.
func TestStreamsEnd(t *testing.T) {
	hang := func(ctx context.Context, n int) error {
		if n < 6 {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	for _, remote := range []bool{false, true} {
		src := &streamOf{dots: dots{n: 12}, remote: remote, before: hang}
		o := loader.ImageOptions{Spec: spec(1), Options: loader.Options{Batch: 4}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ld, err := loader.Images(src, o)
		require.NoError(t, err)
		batches := 0
		for b, err := range ld.Batches(ctx) {
			if err != nil {
				require.ErrorIs(t, err, context.Canceled)
				break
			}
			batches++
			b.Release()
			cancel()
		}
		assert.Equal(t, 1, batches)
		require.NoError(t, ld.Close())

		ld, err = loader.Images(src, o)
		require.NoError(t, err)
		for b, err := range ld.Batches(t.Context()) {
			require.NoError(t, err)
			b.Release()
			break
		}
		require.NoError(t, ld.Close())

		broken := &spool.Error{Op: "list", File: "s3://bucket/", Class: spool.ErrIO, Text: "the network is gone"}
		src.before = func(_ context.Context, n int) error {
			if n == 6 {
				return broken
			}
			return nil
		}
		got, err := load(t, src, o, ids)
		require.ErrorIs(t, err, error(broken))
		assert.Equal(t, []int64{0, 1, 2, 3}, got[0], "what came before is delivered")
	}
}

// A stream has the same bytes as a source that is listed first. Bad samples are replaced, and a limit holds.
func TestStreamsGiveTheSame(t *testing.T) {
	o := loader.ImageOptions{Spec: spec(1), Options: loader.Options{Batch: 8}}
	all := dots{n: 100, bad: map[int]bool{3: true, 50: true, 99: true}}
	for _, limit := range []int{0, 40, 1000} {
		for _, last := range []batch.Last{batch.Keep, batch.Drop, batch.Pad} {
			o.Limit, o.Last = limit, last
			want, err := load(t, all, o, samples)
			require.NoError(t, err)
			got, err := load(t, &streamOf{dots: all}, o, samples)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
	}
	o = loader.ImageOptions{Spec: spec(32), Options: loader.Options{Batch: 8}}
	folder := filepath.Join(media, "photos", "animal")
	listed, err := source.Open(t.Context(), []string{folder}, source.Options{})
	require.NoError(t, err)
	streamed, err := source.OpenStream(t.Context(), []string{folder}, source.Options{})
	require.NoError(t, err)
	want, err := load(t, listed, o, samples)
	require.NoError(t, err)
	got, err := load(t, streamed, o, samples)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	none := &streamOf{dots: dots{n: 2, bad: map[int]bool{0: true, 1: true}}}
	_, err = load(t, none, o, samples)
	require.ErrorIs(t, err, spool.ErrEmpty)
}

// A stream that was stopped resumes after the last sample taken, if that sample is still at its position.
func TestStreamsResume(t *testing.T) {
	src := &streamOf{dots: dots{n: 30, bad: map[int]bool{0: true, 9: true, 20: true}}}
	for _, limit := range []int{0, 24} {
		o := loader.ImageOptions{Spec: spec(1), Options: loader.Options{Batch: 4, Limit: limit}}
		whole, err := load(t, src, o, samples)
		require.NoError(t, err)
		for stop := range len(whole) + 1 {
			ld, err := loader.Images(src, o)
			require.NoError(t, err)
			state := stateAfter(t, ld, stop)
			text, err := json.Marshal(state)
			require.NoError(t, err)
			state, err = loader.ParseState(text)
			require.NoError(t, err)
			again := o
			again.Resume = []loader.State{state}
			rest, err := load(t, src, again, samples)
			require.NoError(t, err)
			assert.Equal(t, whole, slices.Concat(whole[:stop], rest), "from batch %d", stop)
			if limit == 0 || state.Taken < limit {
				assert.Equal(t, max(state.Taken-1, 0), src.from)
			}
		}
	}

	o := loader.ImageOptions{Spec: spec(1), Options: loader.Options{Batch: 4}}
	state := func(change func(*loader.State)) loader.ImageOptions {
		ld, err := loader.Images(src, o)
		require.NoError(t, err)
		for b, err := range ld.Batches(t.Context()) {
			require.NoError(t, err)
			b.Release()
			break
		}
		s, err := ld.State()
		require.NoError(t, err)
		require.NoError(t, ld.Close())
		change(&s)
		with := o
		with.Resume = []loader.State{s}
		return with
	}
	for _, change := range []func(*loader.State){
		func(s *loader.State) { s.Last = "another" },
		func(s *loader.State) { s.Taken = 31 },
	} {
		_, err := load(t, src, state(change), samples)
		require.ErrorIs(t, err, spool.ErrNotFound)
		assert.ErrorContains(t, err, "no longer sample number")
	}
	for _, change := range []func(*loader.State){
		func(s *loader.State) { s.Samples = 30 },
		func(s *loader.State) { s.Seed = 1 },
		func(s *loader.State) { s.Taken = -1 },
		func(s *loader.State) { s.Bad = 1000 },
	} {
		_, err := loader.Images(src, state(change))
		require.ErrorIs(t, err, spool.ErrOptions)
	}
	_, err := loader.Images(dots{n: 30}, state(func(*loader.State) {}))
	require.ErrorIs(t, err, spool.ErrOptions)
}

// Options that need all names are errors, and all of them are reported.
func TestStreamsRefuse(t *testing.T) {
	cache, err := loader.NewCache(1 << 20)
	require.NoError(t, err)
	defer cache.Close()
	o := loader.Options{Shuffle: true, Epochs: 2, Sharing: loader.Sharing{Rank: order.Rank{World: 2}},
		Caches: loader.Caches{Memory: cache}}
	_, err = loader.Images(&streamOf{dots: dots{n: 3}}, loader.ImageOptions{Spec: spec(1), Options: o})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, what := range []string{"shuffling", "one epoch", "one rank", "no sample comes twice"} {
		assert.ErrorContains(t, err, what)
	}
	assert.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 4)
}
