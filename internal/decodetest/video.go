package decodetest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
)

// OpenVideo opens a video, which is closed at the end of the test.
func OpenVideo(t testing.TB, d *decoders.Set, in spool.Object, o video.OpenOptions) *video.Video {
	t.Helper()
	v, err := d.Videos.Open(t.Context(), in, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, v.Close()) })
	return v
}

// Frames decodes frames of a video into memory of the test.
func Frames(t testing.TB, v *video.Video, n []int, spec video.Spec) ([]byte, video.Report) {
	t.Helper()
	clip, err := v.Frames(t.Context(), n, spec)
	require.NoError(t, err)
	defer clip.Release()
	require.Equal(t, clip.Report.Desc, clip.Buffer.Desc())
	return append([]byte(nil), clip.Bytes()...), clip.Report
}

// EveryFrame returns the numbers from 0 to n - 1.
func EveryFrame(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
