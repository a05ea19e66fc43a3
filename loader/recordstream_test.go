package loader_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

var streamSchema = record.Schema{
	{Name: "image", Input: "jpg;png", Kind: record.Image{
		Spec:    spoolimage.Spec{Resize: resize.Spec{Width: 32, Height: 32}},
		Augment: resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5}}},
	{Name: "mask", Input: "seg.png", Kind: record.Mask{Like: "image"}},
	{Name: "caption", Input: "txt", Kind: record.Text{}, Optional: true},
}

// Batches of a stream of records are those of the same records that were listed before, and resume from a state.
func TestStreamsOfRecords(t *testing.T) {
	args, options := []string{"../testdata/records/{000..001}.tar"}, source.Options{Ignore: []string{"*"}}
	listed := func() source.RecordSource {
		src, err := source.OpenRecords(t.Context(), args, streamSchema.Inputs(), options)
		require.NoError(t, err)
		return src
	}
	streamed := func() source.RecordSource {
		src, err := source.OpenRecordStream(t.Context(), args, streamSchema.Inputs(), options)
		require.NoError(t, err)
		return src
	}
	names := func(b *batch.Batch) (text string) {
		for _, s := range b.Samples {
			text += fmt.Sprintln(s.ID, s.Name, s.Key, s.Place, s.Values)
		}
		return text
	}
	take := func(b *batch.Batch) []byte { return append(bytes.Clone(b.Memory()), names(b)...) }
	for _, kind := range []loader.FormKind{loader.FormDense, loader.FormRagged} {
		for _, workers := range []int{1, 8} {
			o := loader.RecordOptions{Schema: streamSchema, Form: loader.Form{Kind: kind},
				Options: loader.Options{Batch: 5, Workers: workers, Seed: 3}}
			want, err := loadRecords(t, listed(), o, take)
			require.NoError(t, err)
			got, err := loadRecords(t, streamed(), o, take)
			require.NoError(t, err)
			assert.Equal(t, want, got)

			state := recordsAfter(t, streamed(), o, 2)
			text, err := json.Marshal(state)
			require.NoError(t, err)
			var again loader.State
			require.NoError(t, json.Unmarshal(text, &again))
			o.Resume = []loader.State{again}
			rest, err := loadRecords(t, streamed(), o, take)
			require.NoError(t, err)
			assert.Equal(t, want[2:], rest)
		}
	}
	o := loader.RecordOptions{Schema: streamSchema, Form: loader.Form{Kind: loader.FormBucket}}
	_, err := loader.Records(streamed(), o)
	require.ErrorIs(t, err, spool.ErrOptions)
	require.ErrorContains(t, err, "that wait in buckets")
}
