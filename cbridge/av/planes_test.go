package av_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// planes converts a frame's planes with the kernels, for a plan of its size and subsampling.
func planes(t testing.TB, c *call.Call, f *av.Frame, plan kernel.PlanesPlan) ([]byte, error) {
	store := rowsOf(plan.Width, plan.Height, 0, plan.Height, spool.Uint8)
	pixels := make([]byte, plan.Width*plan.Height*3)
	sink, err := kernel.NewSink(store, pixels, make([]byte, store.ScratchBytes()))
	require.NoError(t, err)
	defer sink.Close()
	p, err := kernel.NewPlanes(&plan, sink.Pointer(), make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	defer p.Close()
	return pixels, f.PushPlanes(c, p.Pointer())
}

// PushPlanes passes the frame's planes to the kernels without a copy. The result equals swscale's except for rounding
// and the interpolation of chroma.
func TestPushPlanes(t *testing.T) {
	for name, sub := range map[string][2]int{"bframes.mp4": {2, 2}, "mpeg4.avi": {2, 2}, "odd444.mp4": {1, 1},
		"odd.webm": {2, 2}, "altref.webm": {2, 2}} {
		t.Run(name, func(t *testing.T) {
			c := enter(t, t.Context())
			d, scaler := decode(t, c, open(t, c, spool.File("../../testdata/video/"+name), av.InputOptions{}), av.Video,
				av.DecoderOptions{}), new(av.Scaler)
			defer scaler.Close()
			require.True(t, d.next())
			// BT.601
			plan := kernel.PlanesPlan{Rule: kernel.RuleWebP, Width: d.frame.Width, Height: d.frame.Height, SubX: sub[0],
				SubY: sub[1]}
			got, err := planes(t, c, d.frame, plan)
			require.NoError(t, err)
			mean, _ := difference(rgb(t, c, scaler, d.frame), got)
			assert.Less(t, mean, 10.0, "of an image full of colour edges; with planes exchanged it is over 40")

			plan.Width -= 2
			_, err = planes(t, c, d.frame, plan)
			assert.ErrorIs(t, err, spool.ErrShape)
		})
	}
}
