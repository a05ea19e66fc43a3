package transfer_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda/fake"
	"github.com/spoolmedia/spool/transfer"
)

// Batches of samples that differ in size arrive whole: padded ones as one array, ragged ones as a flat one.
func TestBatchesOfDifferentSizes(t *testing.T) {
	r := newRig(t, transfer.CopierOptions{}, fake.Settings{})
	image := batch.Field{Name: "image", Sample: spool.Desc{Shape: spool.Shape{0, 0, 3}, Layout: spool.HWC}}
	score := batch.Field{Name: "score", Sample: spool.Desc{DType: spool.Float32}}
	for form, want := range map[batch.Form]spool.Shape{batch.Padded: {2, 3, 5, 3}, batch.Ragged: {3*2*3 + 2*5*3}} {
		c, err := batch.NewCollator(batch.CollatorOptions{Size: 2, Fields: []batch.Field{image, score}, Form: form,
			MaxBytes: 1 << 16, Pool: r.pool})
		require.NoError(t, err)
		var made []*batch.Batch
		for i, size := range []spool.Shape{{3, 2, 3}, {2, 5, 3}} {
			own := image
			own.Sample.Shape = size
			s, err := batch.NewSingle(t.Context(), r.pool, []batch.Field{own, score})
			require.NoError(t, err)
			for k := range s.Field(0) {
				s.Field(0)[k] = byte(k + 100*i)
			}
			copy(s.Field(1), []byte{1, 2, 3, byte(i)})
			made, err = c.Add(t.Context(), 0, s, batch.Sample{ID: int64(i)})
			require.NoError(t, err)
		}
		require.NoError(t, c.Close())
		sent := [][]byte{bytes.Clone(made[0].FieldBytes(0)), bytes.Clone(made[0].FieldBytes(1))}
		b, err := r.copier.Copy(withTimeout(t), made[0])
		require.NoError(t, err)
		arrays := b.Arrays()
		require.Len(t, arrays, 2)
		assert.Equal(t, want, arrays[0].Desc.Shape)
		assert.Equal(t, spool.Shape{2}, arrays[1].Desc.Shape)
		for i := range sent {
			got, err := b.Fetch(withTimeout(t), i, r.pool)
			require.NoError(t, err)
			assert.Equal(t, sent[i], got.Bytes())
			got.Release()
		}
		b.Release()
	}
}
