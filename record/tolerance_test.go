package record_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
)

// The ends of a window may be off by the tolerance: bframes.mp4 has 25 frames a second, and the window is the frames 5
// to 9. Padding is that of the same frames.
func TestToleranceOfWindows(t *testing.T) {
	set := newDecoders(t)
	kind := record.Video{Spec: small, Times: []float64{-0.04, 0, 0.16, 0.2}, Tolerance: 1e-4,
		Start: record.Time{Input: "start"}, End: record.Time{Input: "end"}}
	schema := record.Schema{{Name: "clip", Kind: kind}}
	for _, off := range []float64{0, 5e-5, -5e-5, 9e-5, -9e-5} {
		values := map[string]any{"clip": "video/bframes.mp4", "start": fmt.Appendf(nil, "%v", 0.2+off),
			"end": fmt.Appendf(nil, "%v", 0.4+off)}
		d, err := decodeAll(t, set, nil, schema, values, order.Draw{})
		require.NoError(t, err, off)
		assert.Equal(t, []int{5, 5, 9, 9}, d.integers("clip.index"), off)
		assert.Equal(t, []byte{0, 1, 1, 0}, d.arrays["clip.valid"], off)
	}
}

// With a tolerance, a time within the window that the file does not have is an error; without one it is padding.
func TestToleranceBeyondFiles(t *testing.T) {
	set := newDecoders(t)
	kind := record.Video{Spec: small, Times: []float64{0, 0.2}, At: record.Time{Seconds: 0.9},
		End: record.Time{Seconds: 2}}
	values := map[string]any{"clip": "video/bframes.mp4"}
	d, err := decodeAll(t, set, nil, record.Schema{{Name: "clip", Kind: kind}}, values, order.Draw{})
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 0}, d.arrays["clip.valid"])
	kind.Tolerance = 0.03
	_, err = decodeAll(t, set, nil, record.Schema{{Name: "clip", Kind: kind}}, values, order.Draw{})
	require.ErrorIs(t, err, spool.ErrNoSuchFrame)
	assert.ErrorContains(t, err, "the nearest is at 0.96")
	kind.End = record.Time{}
	d, err = decodeAll(t, set, nil, record.Schema{{Name: "clip", Kind: kind}}, values, order.Draw{})
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 0}, d.arrays["clip.valid"], "the window is the file")
}

// With a variable frame rate, frames are those nearest to their times, and no frame near a time is an error.
func TestToleranceOfVariableRates(t *testing.T) {
	set := newDecoders(t)
	v, err := set.Videos.Open(ctx, spool.File(media+"/video/vfr.mp4"), video.OpenOptions{})
	require.NoError(t, err)
	x := v.Index()
	require.NoError(t, v.Close())
	uneven := false
	for i := range x.Len() - 2 {
		uneven = uneven || math.Abs(x.Time(i+2)-2*x.Time(i+1)+x.Time(i)) > 0.01
		kind := record.Video{Spec: small, Times: []float64{0, x.Time(i+2) - x.Time(i)}, Tolerance: 1e-4,
			Start: record.Time{Input: "start"}}
		values := map[string]any{"clip": "video/vfr.mp4", "start": fmt.Appendf(nil, "%.6f", x.Time(i))}
		d, err := decodeAll(t, set, nil, record.Schema{{Name: "clip", Kind: kind}}, values, order.Draw{})
		require.NoError(t, err)
		assert.Equal(t, []int{i, i + 2}, d.integers("clip.index"))
		kind.Times[1] -= 0.005
		_, err = decodeAll(t, set, nil, record.Schema{{Name: "clip", Kind: kind}}, values, order.Draw{})
		require.ErrorIs(t, err, spool.ErrNoSuchFrame)
	}
	assert.True(t, uneven, "the file has frames of several durations")
}
