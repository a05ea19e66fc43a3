package kernel_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

func TestMisuse(t *testing.T) {
	good := func() *kernel.Plan { return resizePlan(20, 10, 3, 5, 4, bilinear) }
	for name, spoil := range map[string]func(p *kernel.Plan){
		"no width":               func(p *kernel.Plan) { p.Width = 0 },
		"two channels":           func(p *kernel.Plan) { p.Channels = 2 },
		"gray of RGB":            func(p *kernel.Plan) { p.OutChannels = 1 },
		"five out":               func(p *kernel.Plan) { p.OutChannels = 5 },
		"blend without alpha":    func(p *kernel.Plan) { p.Intake = kernel.Blend },
		"unknown intake":         func(p *kernel.Plan) { p.Intake = 9 },
		"columns beyond":         func(p *kernel.Plan) { p.Left, p.Right = 1, 21 },
		"another crop":           func(p *kernel.Plan) { p.Left = 1 },
		"rows beyond":            func(p *kernel.Plan) { p.Top = 1 },
		"negative top":           func(p *kernel.Plan) { p.Top = -1 },
		"canvas too small":       func(p *kernel.Plan) { p.X = 1 },
		"canvas too large":       func(p *kernel.Plan) { p.CanvasHeight = 1 << 40 },
		"negative place":         func(p *kernel.Plan) { p.Y = -1 },
		"no taps":                func(p *kernel.Plan) { p.H.Start = nil },
		"starts missing":         func(p *kernel.Plan) { p.H.Start = p.H.Start[1:] },
		"counts missing":         func(p *kernel.Plan) { p.H.Count = p.H.Count[1:] },
		"weights missing":        func(p *kernel.Plan) { p.H.Weights = p.H.Weights[1:] },
		"no stride":              func(p *kernel.Plan) { p.H.Stride = 0 },
		"negative start":         func(p *kernel.Plan) { p.H.Start[0] = -1 },
		"window beyond":          func(p *kernel.Plan) { p.H.Start[4] += 5 },
		"empty window":           func(p *kernel.Plan) { p.V.Count[1] = 0 },
		"window out of order":    func(p *kernel.Plan) { p.V.Start[3], p.V.Count[3] = 0, 1 },
		"precision":              func(p *kernel.Plan) { p.V.Precision = 23 },
		"weights that overflow":  func(p *kernel.Plan) { p.Height, p.V = 300, constantAxis(300, 4, -32768) },
		"int64":                  func(p *kernel.Plan) { p.DType = spool.Int64 },
		"batched layout":         func(p *kernel.Plan) { p.Layout = spool.NHWC },
		"mean of bytes":          func(p *kernel.Plan) { p.Mean = []float32{1} },
		"two means":              func(p *kernel.Plan) { p.DType, p.Mean = spool.Float32, []float32{1, 1} },
		"std of zero":            func(p *kernel.Plan) { p.DType, p.Std = spool.Float32, []float32{0} },
		"swapped gray":           func(p *kernel.Plan) { p.Channels, p.OutChannels, p.Swap = 1, 1, true },
		"no canvas at all":       func(p *kernel.Plan) { p.CanvasWidth, p.CanvasHeight = 0, 0 },
		"the zero plan":          func(p *kernel.Plan) { *p = kernel.Plan{} },
		"an axis of other input": func(p *kernel.Plan) { p.V = makeAxis(11, 4, bilinear) },
	} {
		t.Run(name, func(t *testing.T) {
			p := good()
			spoil(p)
			_, err := kernel.NewSink(p, make([]byte, 5*4*3), make([]byte, 1<<20))
			require.ErrorIs(t, err, spool.ErrOptions)
			assert.Zero(t, p.ScratchBytes())
		})
	}
	t.Run("all problems at once", func(t *testing.T) {
		p := good()
		p.Intake, p.Layout = kernel.Blend, spool.Flat
		_, err := kernel.NewSink(p, nil, nil)
		require.ErrorContains(t, err, "Intake")
		require.ErrorContains(t, err, "Layout")
	})
	t.Run("destination", func(t *testing.T) {
		_, err := kernel.NewSink(good(), make([]byte, 5*4*3-1), make([]byte, 1<<20))
		require.ErrorIs(t, err, spool.ErrShape)
	})
	t.Run("rows", func(t *testing.T) {
		p := good()
		s, err := kernel.NewSink(p, make([]byte, 5*4*3), make([]byte, p.ScratchBytes()))
		require.NoError(t, err)
		for _, push := range [][3]int{ // bytes, stride, rows
			{59, 60, 1}, {119, 60, 2}, {1000, 59, 2}, {1000, 60, -1}, {1000, -60, 2}, {1000, 1 << 62, 9}, {100000, 60, 11},
		} {
			_, err = s.Push(make([]byte, push[0]), push[1], push[2])
			assert.ErrorIs(t, err, spool.ErrShape, "%v", push)
		}
		require.NoError(t, s.Close())
		require.NoError(t, s.Close())
		_, err = s.Push(make([]byte, 60), 60, 1)
		assert.ErrorIs(t, err, spool.ErrClosed)
		assert.ErrorIs(t, s.Fill([3]uint8{}), spool.ErrClosed)
	})
}

// constantAxis has windows over the whole input, with equal weights.
func constantAxis(in, out int, weight int16) kernel.Axis {
	a := kernel.Axis{In: in, Out: out, Stride: in, Precision: 22, Weights: slices.Repeat([]int16{weight}, in*out)}
	for range out {
		a.Start, a.Count = append(a.Start, 0), append(a.Count, int32(in))
	}
	return a
}
