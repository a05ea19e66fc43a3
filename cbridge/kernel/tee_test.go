package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
)

// openTee opens sinks for the plans, and a tee in front of them. It returns their outputs.
func openTee(t testing.TB, plans []*kernel.Plan) (tee *kernel.Tee, sinks []*kernel.Sink, outputs [][]byte) {
	t.Helper()
	for _, p := range plans {
		whole, dst := guarded(p.CanvasWidth * p.CanvasHeight * p.OutChannels * p.DType.Size())
		s, err := kernel.NewSink(p, dst, make([]byte, p.ScratchBytes()))
		require.NoError(t, err)
		sinks, outputs = append(sinks, s), append(outputs, dst)
		t.Cleanup(func() {
			require.NoError(t, s.Close())
			requireGuards(t, whole)
		})
	}
	prepared, err := plans[0].Prepare()
	require.NoError(t, err)
	whole, scratch := guarded(prepared.TeeBytes(len(plans)))
	tee, err = kernel.NewTee(sinks, scratch)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, tee.Close())
		requireGuards(t, whole)
	})
	return tee, sinks, outputs
}

// pushSome pushes wanted rows to a tee, in pieces of random sizes, until the sinks have enough or the row `end`.
func pushSome(t testing.TB, r *rand.Rand, tee *kernel.Tee, in input, end int) {
	t.Helper()
	row, last := tee.Wanted()
	for row < min(end, last) {
		n := min(1+r.IntN(20), min(end, last)-row)
		rows := in.rows(row, row+n)
		enough, err := tee.Push(rows, len(rows)/n, n)
		require.NoError(t, err)
		row += n
		require.Equal(t, row == last, enough)
	}
}

// TestTee compares the outputs of sinks behind a tee with the model: of whole images, of damaged ones, and of an image
// after another.
func TestTee(t *testing.T) {
	r := seed.Rand(t)
	color := [3]uint8{30, 200, 90}
	for range 300 {
		first := randomPlan(r, 100)
		plans := []*kernel.Plan{first}
		for range r.IntN(3) {
			plans = append(plans, randomPlanOf(r, *first))
		}
		in := randomInput(r, first)
		tee, sinks, outputs := openTee(t, plans)
		pushSome(t, r, tee, in, r.IntN(first.Height+1))
		for i, s := range sinks {
			require.NoError(t, s.Begin(outputs[i]))
		}
		require.NoError(t, tee.Begin())
		end := first.Height
		if r.IntN(3) == 0 {
			end = r.IntN(first.Height + 1)
		}
		pushSome(t, r, tee, in, end)
		if end < first.Height {
			require.NoError(t, tee.Fill(color))
			in = in.filled(end, color)
		}
		for i, p := range plans {
			requireOutput(t, p, in.output(p), outputs[i], kernel.Levels-1)
		}
	}
}

// A tee wants the rows that any sink wants, and the gap between them.
func TestTeeWants(t *testing.T) {
	crop := func(top, rows int) *kernel.Plan {
		p := resizePlan(20, 50, 3, 5, 4, bilinear)
		p.Top, p.V = top, makeAxis(rows, 4, bilinear)
		return p
	}
	tee, _, _ := openTee(t, []*kernel.Plan{crop(30, 10), crop(5, 8)})
	first, last := tee.Wanted()
	assert.Equal(t, []int{5, 40}, []int{first, last})
}

func TestTeeMisuse(t *testing.T) {
	plan := resizePlan(20, 10, 3, 5, 4, bilinear)
	other := resizePlan(21, 10, 3, 5, 4, bilinear)
	open := func(p *kernel.Plan) *kernel.Sink {
		s, err := kernel.NewSink(p, make([]byte, 5*4*3), make([]byte, p.ScratchBytes()))
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	prepared, err := plan.Prepare()
	require.NoError(t, err)
	scratch := make([]byte, prepared.TeeBytes(2))

	_, err = kernel.NewTee(nil, scratch)
	require.ErrorIs(t, err, spool.ErrShape)
	_, err = kernel.NewTee([]*kernel.Sink{open(plan), open(other)}, scratch)
	require.ErrorIs(t, err, spool.ErrShape)
	_, err = kernel.NewTee([]*kernel.Sink{open(plan), open(plan)}, scratch[1:])
	require.ErrorIs(t, err, spool.ErrShape)
	closed := open(plan)
	require.NoError(t, closed.Close())
	_, err = kernel.NewTee([]*kernel.Sink{closed}, scratch)
	require.ErrorIs(t, err, spool.ErrClosed)

	tee, err := kernel.NewTee([]*kernel.Sink{open(plan), open(plan)}, scratch)
	require.NoError(t, err)
	for _, bad := range []struct{ bytes, stride, rows int }{{59, 60, 1}, {119, 60, 2}, {60, 60, -1}, {6000, 59, 2}} {
		_, err = tee.Push(make([]byte, bad.bytes), bad.stride, bad.rows)
		require.ErrorIs(t, err, spool.ErrShape, bad)
	}
	require.NoError(t, tee.Close())
	require.NoError(t, tee.Close())
	_, err = tee.Push(make([]byte, 60), 60, 1)
	require.ErrorIs(t, err, spool.ErrClosed)
	require.ErrorIs(t, tee.Begin(), spool.ErrClosed)
	first, last := tee.Wanted()
	assert.Zero(t, last-first)
}
