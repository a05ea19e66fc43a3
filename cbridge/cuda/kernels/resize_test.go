package kernels_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
)

// randomAxis has taps that add up to one, some of which are negative.
func randomAxis(pick func(int) int, in int) kernel.Axis {
	if pick(4) == 0 {
		return kernel.Axis{In: in, Out: in}
	}
	a := kernel.Axis{In: in, Out: 1 + pick(40), Precision: 8 + pick(7)}
	most := 1 + pick(min(in, 9))
	a.Stride = most + most%2
	a.Weights = make([]int16, a.Out*a.Stride)
	for i := range a.Out {
		count := 1 + pick(most)
		start := i * (in - most) / a.Out
		a.Start, a.Count = append(a.Start, int32(start)), append(a.Count, int32(count))
		rest := 1 << a.Precision
		for j := range count - 1 {
			w := pick(1<<a.Precision)/2 - 1<<a.Precision/8
			a.Weights[i*a.Stride+j] = int16(w)
			rest -= w
		}
		a.Weights[i*a.Stride+count-1] = int16(rest)
	}
	return a
}

func TestResize(t *testing.T) {
	random, d := seed.Rand(t), newDevice(t)
	for i := range 150 {
		r := kernels.Resize{Width: 1 + random.IntN(50), Height: 1 + random.IntN(50), Channels: pick(random, 1, 3, 4),
			VerticalFirst: random.IntN(2) == 0}
		r.Left, r.Top = random.IntN(r.Width), random.IntN(r.Height)
		r.Right, r.Bottom = r.Left+1+random.IntN(r.Width-r.Left), r.Top+1+random.IntN(r.Height-r.Top)
		r.H, r.V = randomAxis(random.IntN, r.Right-r.Left), randomAxis(random.IntN, r.Bottom-r.Top)
		in := noise(random, r.Width*r.Height*r.Channels)
		want := make([]byte, r.H.Out*r.V.Out*r.Channels)
		require.NoError(t, r.OnHost(in, want))
		taps := r.Taps()
		scratch, err := d.Alloc(len(taps) + r.Between())
		require.NoError(t, err)
		require.NoError(t, d.ToDevice(scratch, taps, d.stream))
		got := d.run(t, in, len(want), pick(random, 0, 1, 8), pick(random, 0, 1, 8), func(in, out cuda.Pointer) error {
			return d.Kernels.Resize(d.stream, &r, in, scratch, scratch+cuda.Pointer(len(taps)), out)
		})
		require.NoError(t, d.Free(scratch))
		require.True(t, bytes.Equal(want, got), "case %d: %+v", i, r)
	}
}

func TestResizeRefusals(t *testing.T) {
	whole := kernels.Resize{Width: 4, Height: 3, Channels: 3, Right: 4, Bottom: 3, H: kernel.Axis{In: 4, Out: 4},
		V: kernel.Axis{In: 3, Out: 3}}
	require.NoError(t, whole.Validate())
	for _, change := range []func(r *kernels.Resize){
		func(r *kernels.Resize) { r.Channels = 0 },
		func(r *kernels.Resize) { r.Right = 5 },
		func(r *kernels.Resize) { r.Top = 1 },
		func(r *kernels.Resize) { r.H.Out = 5 },
		func(r *kernels.Resize) { r.V.Start = []int32{0} },
		func(r *kernels.Resize) { r.Width, r.Height = 1<<16, 1<<16 },
	} {
		wrong := whole
		change(&wrong)
		require.ErrorIs(t, wrong.Validate(), spool.ErrOptions)
	}
	require.ErrorIs(t, whole.OnHost(make([]byte, 35), make([]byte, 36)), spool.ErrShape)
}
