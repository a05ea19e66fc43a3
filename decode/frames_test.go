package decode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// All frames, a range and single ones are the same frames, whoever owns the memory.
func TestFrames(t *testing.T) {
	d := newDecoder(t, decode.Options{})
	for name, n := range map[string]int{"anim.gif": 6, "anim.webp": 6, "multipage.tiff": 3, "rgb.png": 1, "s420.jpg": 1} {
		t.Run(name, func(t *testing.T) {
			data := readFile(t, media, "hard/good", name)
			info, err := decode.ProbeImage(ctx, data, decode.Limits{})
			require.NoError(t, err)
			n := info.Frames
			spec := decode.ImageSpec{Layout: spool.CHW}
			all, report, err := d.Frames(ctx, data, spec, 0)
			require.NoError(t, err)
			defer all.Release()
			require.Equal(t, spool.Shape{n, 3, info.Height, info.Width}, report.Desc.Shape)
			require.Equal(t, spool.NCHW, report.Desc.Layout)
			require.Equal(t, report.Desc, all.Desc())
			require.InDelta(t, 1, report.Fraction, 0)
			size := all.Len() / n
			for k := range n {
				spec.Frame = k
				one, report := pixels(t, d, data, spec)
				require.Equal(t, k, report.Info.Frame)
				require.Equal(t, one, all.Bytes()[k*size:][:size], "frame %d", k)
				rest := make([]byte, (n-k)*size)
				_, err := d.FramesInto(ctx, data, rest, spec, n-k)
				require.NoError(t, err)
				require.Equal(t, all.Bytes()[k*size:], rest, "from frame %d on", k)
			}
			spec.Frame = n
			_, _, err = d.Image(ctx, data, spec)
			require.ErrorIs(t, err, spool.ErrNoSuchFrame)
			_, _, err = d.Frames(ctx, data, spec, 0)
			require.ErrorIs(t, err, spool.ErrNoSuchFrame)
			spec.Frame = 0
			_, _, err = d.Frames(ctx, data, spec, n+1)
			require.ErrorIs(t, err, spool.ErrNoSuchFrame)
		})
		_ = n
	}
	_ = resize.Exact
}
