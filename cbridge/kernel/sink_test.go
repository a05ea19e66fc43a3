package kernel_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
)

// guard is the number of bytes around memory that no code may access.
const guard = 64

// guarded returns n bytes between two guards.
func guarded(n int) (whole, inner []byte) {
	whole = bytes.Repeat([]byte{0xA5}, guard+n+guard)
	return whole, whole[guard : guard+n : guard+n]
}

func requireGuards(t testing.TB, whole []byte) {
	t.Helper()
	want := bytes.Repeat([]byte{0xA5}, guard)
	require.Equal(t, want, whole[:guard], "bytes before the memory were written")
	require.Equal(t, want, whole[len(whole)-guard:], "bytes behind the memory were written")
}

// pushRandomly pushes the wanted rows in pieces of random sizes: from lent memory, from memory with gaps between the
// rows, and from memory that ends with the last row.
func pushRandomly(t testing.TB, r *rand.Rand, s *kernel.Sink, p input) {
	t.Helper()
	rowBytes := len(p.rows(0, 1))
	y, last := s.Wanted()
	for enough := false; !enough; {
		require.Less(t, y, last, "more rows wanted than announced")
		lent, stride, rows := s.Lend()
		require.Positive(t, rows)
		require.LessOrEqual(t, rows, last-y)
		var memory []byte
		if r.IntN(3) == 0 {
			memory, rows = lent, 1+r.IntN(rows)
		} else {
			rows = min(1+r.IntN(pick(r, 3, 40)), last-y)
			stride = rowBytes + pick(r, 0, r.IntN(50))
			memory = make([]byte, (rows-1)*stride+rowBytes)
		}
		for i := range rows {
			copy(memory[i*stride:], p.rows(y+i, y+i+1))
		}
		var err error
		enough, err = s.Push(memory, stride, rows)
		require.NoError(t, err)
		y += rows
	}
	require.Equal(t, last, y, "fewer rows wanted than announced")
}

// run returns the plan's output for an image with the kernels of a level, fed by push.
func run(t testing.TB, p *kernel.Plan, level int, push func(s *kernel.Sink)) []byte {
	t.Helper()
	need := p.ScratchBytes()
	require.Positive(t, need)
	wholeDst, dst := guarded(p.CanvasWidth * p.CanvasHeight * p.OutChannels * p.DType.Size())
	wholeScratch, scratch := guarded(need)
	s, err := kernel.NewSinkAt(p, dst, scratch, level)
	require.NoError(t, err)
	push(s)
	require.Equal(t, rowsOut(p), s.Rows())
	_, _, rows := s.Lend()
	require.Zero(t, rows, "nothing is lent when the sink has enough")
	require.NoError(t, s.Close())
	requireGuards(t, wholeDst)
	requireGuards(t, wholeScratch)
	return dst
}

// rowsOut returns the number of rows that leave the passes.
func rowsOut(p *kernel.Plan) int {
	if p.Orientation >= 5 {
		return p.H.Out
	}
	return p.V.Out
}

func requireOutput(t testing.TB, p *kernel.Plan, want, got []byte, level int) {
	t.Helper()
	if bytes.Equal(want, got) {
		return
	}
	for i := range want {
		if want[i] != got[i] {
			require.FailNow(t, "wrong output", "%s: byte %d of %d is %d, want %d; plan %+v",
				kernel.LevelName(level), i, len(want), got[i], want[i], *p)
		}
	}
}

// TestModel compares random plans on every instruction set with the model.
func TestModel(t *testing.T) {
	r := seed.Rand(t)
	for range 1500 {
		p := randomPlan(r, 200)
		in := randomInput(r, p)
		want := in.output(p)
		for level := range kernel.Levels {
			got := run(t, p, level, func(s *kernel.Sink) { pushRandomly(t, r, s, in) })
			requireOutput(t, p, want, got, level)
		}
	}
}

// TestResize covers every length of window, for enlarging and shrinking, on both axes.
func TestResize(t *testing.T) {
	r := seed.Rand(t)
	sizes := [][2]int{{1, 1}, {1, 7}, {7, 1}, {2, 3}, {500, 224}, {333, 224}, {224, 224}, {224, 333}, {1000, 31},
		{1000, 1}, {17, 16}, {100, 101}, {640, 224}, {64, 8}}
	for _, f := range []filter{bilinear, bicubic} {
		for _, channels := range []int{1, 3, 4} {
			for _, size := range sizes {
				t.Run(fmt.Sprintf("%d-%dx%d/%v", size[0], size[1], channels, f.support), func(t *testing.T) {
					for _, p := range []*kernel.Plan{
						resizePlan(size[0], 9, channels, size[1], 4, f),
						resizePlan(9, size[0], channels, 4, size[1], f),
					} {
						in := randomInput(r, p)
						want := in.output(p)
						for level := range kernel.Levels {
							got := run(t, p, level, func(s *kernel.Sink) { pushRandomly(t, r, s, in) })
							requireOutput(t, p, want, got, level)
						}
					}
				})
			}
		}
	}
}

// Very long and very short images.
func TestHugeRatio(t *testing.T) {
	r := seed.Rand(t)
	for _, size := range [][4]int{
		{60000, 1, 1, 1}, {1, 60000, 1, 1}, {60000, 2, 3, 5}, {2, 60000, 5, 3}, {1, 1, 3000, 1}, {1, 1, 1, 3000},
	} {
		p := resizePlan(size[0], size[1], 3, size[2], size[3], bilinear)
		in := randomInput(r, p)
		want := in.output(p)
		for level := range kernel.Levels {
			requireOutput(t, p, want, run(t, p, level, func(s *kernel.Sink) { pushRandomly(t, r, s, in) }), level)
		}
	}
}

// The output of a damaged image is the same as if the missing rows had the fill color.
func TestFill(t *testing.T) {
	r := seed.Rand(t)
	color := [3]uint8{10, 200, 30}
	for range 200 {
		p := randomPlan(r, 60)
		in := randomInput(r, p)
		for level := range kernel.Levels {
			var want input
			got := run(t, p, level, func(s *kernel.Sink) {
				first, last := s.Wanted()
				end := first + r.IntN(last-first+1)
				_, err := s.Push(in.rows(first, end), len(in.rows(0, 1)), end-first)
				require.NoError(t, err)
				require.NoError(t, s.Fill(color))
				want = in.filled(end, color)
			})
			requireOutput(t, p, want.output(p), got, level)
		}
	}
}

// The sink of an image that needs no processing lends the destination itself.
func TestZeroCopy(t *testing.T) {
	p := &kernel.Plan{
		Width: 5, Height: 40, Channels: 3, Right: 5, H: kernel.Axis{In: 5, Out: 5}, V: kernel.Axis{In: 40, Out: 40},
		CanvasWidth: 7, CanvasHeight: 41, X: 1, Y: 1, OutChannels: 3, Layout: spool.HWC,
	}
	dst, scratch := make([]byte, 7*41*3), make([]byte, p.ScratchBytes())
	s, err := kernel.NewSink(p, dst, scratch)
	require.NoError(t, err)
	defer s.Close()
	lent, stride, rows := s.Lend()
	assert.Same(t, &dst[(7+1)*3], &lent[0])
	assert.Equal(t, 7*3, stride)
	assert.Positive(t, rows)
}

// The scratch for an image is a few of its rows, whatever its size and orientation.
func TestScratchBytes(t *testing.T) {
	for _, test := range []struct{ width, height, outWidth, outHeight, most, turned int }{
		{500, 375, 224, 224, 48 << 10, 100 << 10},
		{4000, 3000, 224, 224, 128 << 10, 512 << 10},
		{10000, 10000, 224, 224, 320 << 10, 1 << 20}, // 100 megapixels
		{10000, 10000, 5000, 5000, 700 << 10, 1 << 20},
		{10000, 10000, 10000, 10000, 320 << 10, 1 << 20},
		{20, 20, 10000, 10000, 1 << 20, 2 << 20},
		{400, 250000, 224, 224, 4 << 20, 14 << 20}, // windows of thousands of rows; rows of 750 KB if transposed
		{400, 250000, 224, 1, 4 << 20, 14 << 20},
		{250000, 400, 224, 224, 5 << 20, 14 << 20},
	} {
		p := resizePlan(test.width, test.height, 3, test.outWidth, test.outHeight, bilinear)
		name := fmt.Sprintf("%+v", test)
		assert.LessOrEqual(t, p.ScratchBytes(), test.most, name)
		_, err := kernel.NewSink(p, make([]byte, p.CanvasWidth*p.CanvasHeight*3), make([]byte, p.ScratchBytes()-1))
		assert.ErrorIs(t, err, spool.ErrShape, "one byte less is refused")

		for p.Orientation = 1; p.Orientation <= 8; p.Orientation++ {
			if p.Orientation == 5 {
				p.Width, p.Height = p.Height, p.Width
			}
			for _, p.VerticalFirst = range []bool{false, true} {
				p.Bits, p.DType = 8, spool.Uint8
				assert.LessOrEqual(t, p.ScratchBytes(), test.turned, "%s, orientation %d", name, p.Orientation)
				p.Bits, p.DType = 16, spool.Float32
				assert.LessOrEqual(t, p.ScratchBytes(), 2*test.turned, "%s, orientation %d, 16 bits", name, p.Orientation)
			}
		}
	}
}
