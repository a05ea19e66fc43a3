package loader_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
)

// Samples that are read by their ids are those of the loop, in any order, and at any time.
func TestRead(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var src rows
	for range 9 {
		src = append(src, [][]byte{labels(t, r, 20, 16), []byte("words")})
	}
	src[4][0] = src[4][0][:30]
	o := loader.RecordOptions{Schema: record.Schema{{Name: "image", Kind: grayField(8, training, 0)},
		{Name: "text", Kind: record.Text{}}}, Options: loader.Options{Batch: 3, Epochs: 2, Seed: 5}}
	type sample struct {
		pixels, text, key string
		label             int64
	}
	take := func(b *batch.Batch) (all []sample) {
		for i, s := range b.Samples {
			all = append(all, sample{string(b.SampleBytes(0, i)), string(s.Values[0].Data), s.Key, s.Label})
		}
		return all
	}
	want := map[[2]int]sample{}
	got, err := loadRecords(t, src, o, func(b *batch.Batch) int {
		for i, s := range take(b) {
			want[[2]int{b.Epoch, int(b.Samples[i].ID)}] = s
		}
		return b.Len()
	})
	require.NoError(t, err)
	require.Equal(t, []int{3, 3, 2, 3, 3, 2}, got)
	require.NotEqual(t, want[[2]int{0, 1}], want[[2]int{1, 1}])

	ld, err := loader.Records(src, o)
	require.NoError(t, err)
	for epoch, ids := range [][]int{{8, 0, 3, 3, 1}, {2}} {
		b, err := ld.Read(t.Context(), epoch, ids...)
		require.NoError(t, err)
		read := take(b)
		require.Len(t, read, len(ids))
		for i, id := range ids {
			assert.Equal(t, want[[2]int{epoch, id}], read[i])
		}
		b.Release()
	}
	_, err = ld.Read(t.Context(), 0, 1, 4, 2)
	require.ErrorIs(t, err, spool.ErrTruncated)
	require.ErrorContains(t, err, "field image")
	for _, ids := range [][]int{{-1}, {9}, {}} {
		_, err = ld.Read(t.Context(), 0, ids...)
		require.ErrorIs(t, err, spool.ErrOptions)
	}
	require.NoError(t, ld.Close())
}
