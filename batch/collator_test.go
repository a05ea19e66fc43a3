package batch_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
)

// images is the field of images of any size.
var images = batch.Field{Name: "image", Sample: spool.Desc{Shape: spool.Shape{0, 0, 3}, Layout: spool.HWC}}

func largePool(t testing.TB) *spool.Pool {
	t.Helper()
	pool, err := spool.NewPool(spool.PoolOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	return pool
}

// single returns a sample with random bytes in each field.
func single(t testing.TB, pool *spool.Pool, r *rand.Rand, shapes map[string]spool.Shape, fields []batch.Field,
) *batch.Single {
	t.Helper()
	own := make([]batch.Field, len(fields))
	for f, field := range fields {
		if shape := shapes[field.Name]; shape != nil {
			field.Sample.Shape = shape
		}
		own[f] = field
	}
	s, err := batch.NewSingle(t.Context(), pool, own)
	require.NoError(t, err)
	for f := range own {
		for i := range s.Field(f) {
			s.Field(f)[i] = byte(r.UintN(256))
		}
	}
	return s
}

// padded returns an array at the beginning of a larger one, element by element.
func padded(array []byte, from, to spool.Shape, elem int, fill []byte) []byte {
	n, _ := to.Elems()
	out := make([]byte, 0, n*elem)
	for at := range n {
		inside, index, stride := true, 0, 1
		for d, rest := len(to)-1, at; d >= 0; d-- {
			inside = inside && rest%to[d] < from[d]
			index += rest % to[d] * stride
			stride *= from[d]
			rest /= to[d]
		}
		if inside {
			out = append(out, array[index*elem:(index+1)*elem]...)
		} else {
			out = append(out, fill...)
		}
	}
	return out
}

// Arrays of any shape, type and layout are padded as an implementation by elements pads them, and ragged batches have
// their bytes in order.
func TestCollator(t *testing.T) {
	pool, r := largePool(t), rand.New(rand.NewPCG(1, 2))
	fields := []batch.Field{images,
		{Name: "planes", Sample: spool.Desc{Shape: spool.Shape{3, 0, 0}, DType: spool.Float32, Layout: spool.CHW}},
		{Name: "mask", Sample: spool.Desc{Shape: spool.Shape{0, 0}}},
		{Name: "score", Sample: spool.Desc{Shape: nil, DType: spool.Int64}}}
	fill := [][]byte{{7}, {1, 2, 3, 4}, nil, nil}
	for _, form := range []batch.Form{batch.Padded, batch.Ragged} {
		c, err := batch.NewCollator(batch.CollatorOptions{Size: 5, Fields: fields, Form: form, Fill: fill, Multiple: 4,
			MaxBytes: 1 << 20, Pool: pool})
		require.NoError(t, err)
		for range 20 {
			var arrays [][][]byte
			var shapes []map[string]spool.Shape
			var done []*batch.Batch
			for i := range 5 {
				h, w := r.IntN(9), 1+r.IntN(9)
				own := map[string]spool.Shape{"image": {h, w, 3}, "planes": {3, w, h}, "mask": {h, w}}
				s := single(t, pool, r, own, fields)
				var copies [][]byte
				for f := range fields {
					copies = append(copies, bytes.Clone(s.Field(f)))
				}
				arrays, shapes = append(arrays, copies), append(shapes, own)
				done, err = c.Add(t.Context(), 0, s, batch.Sample{ID: int64(i)})
				require.NoError(t, err)
			}
			require.Len(t, done, 1)
			b := done[0]
			for f, field := range fields {
				for i := range 5 {
					want := arrays[i][f]
					assert.Equal(t, field.Name != "score", b.Varies(f))
					if own := shapes[i][field.Name]; own != nil {
						assert.Equal(t, own, b.SampleDesc(f, i).Shape)
						if form == batch.Padded {
							slot := b.FieldDesc(f).Shape[1:]
							for d, side := range field.Sample.Shape {
								assert.True(t, side != 0 || slot[d]%4 == 0, "%v", slot)
							}
							value := append(bytes.Clone(fill[f]), 0)[:max(len(fill[f]), 1)]
							want = padded(want, own, slot, field.Sample.DType.Size(), value)
						}
					}
					require.True(t, bytes.Equal(want, b.SampleBytes(f, i)), "%s of %d", field.Name, i)
				}
				assert.Equal(t, form == batch.Ragged && field.Name != "score", b.Ragged(f))
				n, _ := b.FieldDesc(f).Bytes()
				assert.Len(t, b.FieldBytes(f), n)
				assert.LessOrEqual(t, b.FieldOffset(f)+n, len(b.Memory()))
			}
			b.Release()
		}
		require.NoError(t, c.Close())
	}
}

// collate returns the numbers of samples of the batches of images of n pixels each.
func collate(t testing.TB, o batch.CollatorOptions, pixels ...int) (lengths, dropped []int, batches []*batch.Batch) {
	t.Helper()
	pool, r := largePool(t), rand.New(rand.NewPCG(1, 2))
	o.Fields, o.Pool = []batch.Field{images}, pool
	c, err := batch.NewCollator(o)
	require.NoError(t, err)
	for i, n := range pixels {
		s := single(t, pool, r, map[string]spool.Shape{"image": {1, n, 3}}, o.Fields)
		done, err := c.Add(t.Context(), 0, s, batch.Sample{ID: int64(i)})
		if err != nil {
			assert.Equal(t, spool.ErrTooLarge, spool.ClassOf(err))
			dropped = append(dropped, i)
		}
		batches = append(batches, done...)
	}
	done, err := c.End(t.Context(), 0)
	require.NoError(t, err)
	require.NoError(t, c.Close())
	batches = append(batches, done...)
	for i, b := range batches {
		assert.Equal(t, i, b.Index)
		lengths = append(lengths, b.Len())
		b.Release()
	}
	return lengths, dropped, batches
}

func TestCollatorGroups(t *testing.T) {
	width := func(fields []batch.Field) int { return fields[0].Sample.Shape[1] }
	o := batch.CollatorOptions{Size: 3, MaxBytes: 1000}
	lengths, _, _ := collate(t, o, 1, 1, 1, 1, 1)
	assert.Equal(t, []int{3, 2}, lengths)

	o.Last = batch.Drop
	lengths, _, _ = collate(t, o, 1, 1, 1, 1, 1)
	assert.Equal(t, []int{3}, lengths)

	o.Last = batch.Pad
	lengths, _, batches := collate(t, o, 1, 1, 1, 1)
	assert.Equal(t, []int{3, 3}, lengths)
	assert.Equal(t, 2, batches[1].Padded)
	assert.Equal(t, []bool{false, true, true}, []bool{batches[1].Samples[0].Padding, batches[1].Samples[1].Padding,
		batches[1].Samples[2].Padding})

	o.Last, o.Batches = batch.Keep, func(int) int { return 4 }
	lengths, _, batches = collate(t, o, 1, 1, 1, 1)
	assert.Equal(t, []int{3, 1, 1, 1}, lengths)
	assert.Equal(t, 1, batches[3].Padded)

	// 100 pixels of 3 bytes beside one of another size make two slots of 300 bytes; three exceed the bound.
	lengths, dropped, _ := collate(t, batch.CollatorOptions{Size: 3, MaxBytes: 700}, 1, 100, 1, 400)
	assert.Equal(t, []int{2}, lengths)
	assert.Equal(t, []int{2, 3}, dropped)

	lengths, dropped, _ = collate(t, batch.CollatorOptions{Size: 9, MaxBytes: 10000, Cost: width, Budget: 10},
		3, 3, 3, 4, 11, 10, 5, 6)
	assert.Equal(t, []int{3, 1, 1, 1, 1}, lengths)
	assert.Equal(t, []int{4}, dropped)

	lengths, _, _ = collate(t, batch.CollatorOptions{Size: 9, MaxBytes: 10000, Cost: width, Budget: 10,
		Form: batch.Ragged}, 3, 3, 3, 4, 6, 1)
	assert.Equal(t, []int{3, 2, 1}, lengths)
}

// An end of the context while a batch waits for memory leaves nothing behind.
func TestCollatorWithoutMemory(t *testing.T) {
	singles, r := largePool(t), rand.New(rand.NewPCG(1, 2))
	slabs, err := spool.NewPool(spool.PoolOptions{MaxBytes: 8192})
	require.NoError(t, err)
	held, err := slabs.Get(t.Context(), 8192)
	require.NoError(t, err)
	c, err := batch.NewCollator(batch.CollatorOptions{Size: 2, Fields: []batch.Field{images}, MaxBytes: 4096, Pool: slabs})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range 2 {
		s := single(t, singles, r, map[string]spool.Shape{"image": {2, 2, 3}}, []batch.Field{images})
		_, err = c.Add(ctx, 0, s, batch.Sample{ID: int64(i)})
	}
	require.ErrorIs(t, err, context.Canceled)
	_, err = c.End(ctx, 0)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, c.Close())
	held.Release()
	require.NoError(t, slabs.Close())
}

func TestCollatorOptions(t *testing.T) {
	_, err := batch.NewCollator(batch.CollatorOptions{Size: -1, Form: 9, Cost: func([]batch.Field) int { return 1 },
		Last: batch.Pad, Fill: [][]byte{nil}})
	for _, text := range []string{"Size -1", "MaxBytes 0", "no such form", "Budget 0", "Last Pad excludes Cost", "Pool",
		"Fields and Fill"} {
		require.ErrorContains(t, err, text)
	}
	_, err = batch.NewBuckets(batch.AssemblerOptions{}, nil)
	require.ErrorIs(t, err, spool.ErrOptions)
}
