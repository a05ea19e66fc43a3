package loader_test

import (
	"context"
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

// Replayed batches have the same number and the same indexes as loaded ones, and only the first files are read.
func TestHeadspace(t *testing.T) {
	number := func(b *batch.Batch) [2]int { return [2]int{b.Epoch, b.Index} }
	for _, o := range []loader.Options{
		{Batch: 4, Epochs: 3},
		{Batch: 4, Epochs: 3, Last: batch.Drop, Shuffle: true},
		{Batch: 4, Epochs: 2, Sharing: loader.Sharing{Rank: order.Rank{Index: 2, World: 3}}},
		{Batch: 300, Epochs: 2, Order: batch.Any},
		{Batch: 7, Limit: 5},
	} {
		o.Prefetch, o.Workers = 3, 2
		want, err := load(t, dots{n: 1001}, loader.ImageOptions{Spec: spec(1), Options: o}, number)
		require.NoError(t, err)
		src := count(dots{n: 1001})
		ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: o})
		require.NoError(t, err)
		var held []*batch.Batch // any number
		var got [][2]int
		for _, batches := range ld.Headspace(t.Context()) {
			for b, err := range batches {
				require.NoError(t, err)
				held, got = append(held, b), append(got, number(b))
			}
		}
		if o.Order == batch.Any { // an epoch may begin before the previous one ends
			assert.ElementsMatch(t, want, got)
		} else {
			assert.Equal(t, want, got)
		}
		if o.Batch == 4 {
			assert.Less(t, src.sum(), 300, "of 1001")
			assert.Equal(t, held[0].Bytes(), held[4].Bytes())
			assert.NotEqual(t, held[0].Bytes(), held[1].Bytes())
		}
		for _, b := range held {
			b.Release()
		}
		require.NoError(t, ld.Close())
	}
}

func TestHeadspaceEnds(t *testing.T) {
	o := loader.ImageOptions{Spec: spec(1), Options: loader.Options{Batch: 2, Epochs: 5}}
	ld, err := loader.Images(dots{n: 100}, o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var errs []error
	for _, batches := range ld.Headspace(ctx) {
		for b, err := range batches {
			if errs = append(errs, err); err != nil {
				break
			}
			if b.Release(); len(errs) == 20 {
				cancel()
			}
		}
	}
	_, err = ld.State()
	require.ErrorIs(t, err, spool.ErrOptions)
	require.NoError(t, ld.Close())
	require.Len(t, errs, 21)
	require.ErrorIs(t, errs[20], context.Canceled)

	_, err = headspace(t, dots{n: 3, bad: map[int]bool{0: true, 1: true, 2: true}}, o)
	require.ErrorIs(t, err, spool.ErrEmpty)

	p := drive(t, dots{n: 100}, loader.Options{Batch: 2, Epochs: 5}, 70)
	o.Resume = []loader.State{p.state}
	got, err := headspace(t, dots{n: 100}, o)
	require.NoError(t, err)
	require.Equal(t, slices.Collect(func(yield func(int) bool) {
		for i := 70; i < 250 && yield(i); i++ {
		}
	}), got)
}

// headspace returns the numbers of all batches of a loop over Headspace, and its error.
func headspace(t *testing.T, src source.Source, o loader.ImageOptions) (got []int, err error) {
	t.Helper()
	ld, err := loader.Images(src, o)
	require.NoError(t, err)
	defer func() { require.NoError(t, ld.Close()) }()
	for _, batches := range ld.Headspace(t.Context()) {
		for b, err := range batches {
			if err != nil {
				return got, err
			}
			got = append(got, b.Epoch*50+b.Index)
			b.Release()
		}
	}
	return got, nil
}

// Batches are repeated only if they have one size, and if their number is known.
func TestHeadspaceRefuses(t *testing.T) {
	_, err := headspace(t, &streamOf{dots: dots{n: 3}}, loader.ImageOptions{Spec: spec(1)})
	require.ErrorIs(t, err, spool.ErrOptions)
	require.ErrorContains(t, err, "the number of batches")
	ld, err := loader.Videos(videos(t), loader.VideoOptions{Every: 2})
	require.NoError(t, err)
	for _, batches := range ld.Headspace(t.Context()) {
		for _, err = range batches {
			require.ErrorIs(t, err, spool.ErrOptions)
		}
	}
	require.ErrorContains(t, err, "one size")
	require.NoError(t, ld.Close())
}
