package batch_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
)

// reordered returns an array of 10 dimensions or less with its axes in another order, as NumPy's transpose.
func reordered(array []byte, elem int, shape, axes []int) (out []byte) {
	strides := make([]int, len(shape))
	for d, n := len(shape)-1, elem; d >= 0; d-- {
		strides[d] = n
		n *= shape[d]
	}
	var walk func(k, at int)
	walk = func(k, at int) {
		if k == len(axes) {
			out = append(out, array[at:at+elem]...)
			return
		}
		for i := range shape[axes[k]] {
			walk(k+1, at+i*strides[axes[k]])
		}
	}
	walk(0, 0)
	return out
}

// Patches are those of Qwen2-VL's image processor, which reshapes and transposes frames of channels; in layout HWC they
// are those of NaViT.
func TestPatches(t *testing.T) {
	pool, r := largePool(t), rand.New(rand.NewPCG(1, 2))
	const size = 4
	for _, merge := range []int{1, 2} {
		for _, frames := range []int{1, 2} {
			for _, layout := range []spool.Layout{spool.HWC, spool.CHW} {
				field := batch.Field{Name: "image", Sample: spool.Desc{Layout: layout, DType: spool.Float16}}
				mask := batch.Field{Name: "mask", Sample: spool.Desc{Shape: spool.Shape{0, 0}}}
				shape := func(h, w int) spool.Shape {
					if layout == spool.CHW {
						return spool.Shape{3, h, w}
					}
					return spool.Shape{h, w, 3}
				}
				field.Sample.Shape = shape(0, 0)
				c, err := batch.NewCollator(batch.CollatorOptions{Size: 3, Fields: []batch.Field{field, mask},
					Form: batch.Ragged, MaxBytes: 1 << 20, Pool: pool,
					Patches: &batch.Patches{Size: size, Merge: merge, Frames: frames}})
				require.NoError(t, err)
				var want []byte
				var grids [][2]int
				var done []*batch.Batch
				for range 3 {
					rows, columns := merge*(1+r.IntN(4)), merge*(1+r.IntN(4))
					h, w := rows*size, columns*size
					s := single(t, pool, r, map[string]spool.Shape{"image": shape(h, w), "mask": {h, w}},
						[]batch.Field{field, mask})
					grids = append(grids, [2]int{rows, columns})
					pixels := bytes.Clone(s.Field(0))
					across, down := columns/merge, rows/merge
					pixels = bytes.Repeat(pixels, frames)
					if layout == spool.CHW {
						pixels = reordered(pixels, 2, []int{frames, 3, down, merge, size, across, merge, size},
							[]int{2, 5, 3, 6, 1, 0, 4, 7})
					} else {
						pixels = reordered(pixels, 6, []int{frames, down, merge, size, across, merge, size},
							[]int{1, 4, 2, 5, 0, 3, 6})
					}
					want = append(want, pixels...)
					done, err = c.Add(t.Context(), 0, s, batch.Sample{})
					require.NoError(t, err)
				}
				b := done[0]
				require.True(t, bytes.Equal(want, b.FieldBytes(0)), "merge %d frames %d %v", merge, frames, layout)
				n := 0
				for i, grid := range grids {
					rows, columns := b.Grid(0, i)
					assert.Equal(t, [2]int{rows, columns}, grid)
					assert.Equal(t, spool.Shape{rows * columns, 3 * frames * size * size}, b.SampleDesc(0, i).Shape)
					n += rows * columns
				}
				assert.Equal(t, spool.Shape{n, 3 * frames * size * size}, b.FieldDesc(0).Shape)
				assert.True(t, b.Patched(0))
				assert.False(t, b.Patched(1), "a mask")
				b.Release()

				s := single(t, pool, r, map[string]spool.Shape{"image": shape(size*merge, size*merge+1), "mask": {1, 1}},
					[]batch.Field{field, mask})
				_, err = c.Add(t.Context(), 0, s, batch.Sample{})
				assert.Equal(t, spool.ErrUnsupported, spool.ClassOf(err))
				require.NoError(t, c.Close())
			}
		}
	}
}
