package codec

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/need"
)

// Each codec with a test file can be measured, and the floor is the first of its steps.
func TestMedia(t *testing.T) {
	files := map[string]string{"h264": "video/bframes.mp4", "hevc": "video/hdr.mp4", "vp9": "video/odd.webm",
		"av1": "video/av1.mkv",
		"mp3": "audio/mp3.mp3", "aac": "audio/aac.m4a", "flac": "audio/flac.flac", "opus": "audio/opus.opus"}
	for _, name := range MediaCodecs() {
		t.Run(name, func(t *testing.T) {
			m, err := NewMedia(name, 32, 2)
			require.NoError(t, err)
			defer func() { require.NoError(t, m.Close()) }()
			assert.Nil(t, m.Results())
			for other, file := range files {
				err := m.Add(t.Context(), "../../testdata/"+file)
				if other == name && err != nil {
					require.ErrorIs(t, err, spool.ErrUnsupported) // this FFmpeg has no decoder for it, or not for the file's profile
					need.Skip(t, need.System, "%v", err)
				}
				if other != name {
					require.Error(t, err, "%s is not %s", file, name)
				}
			}
			require.NoError(t, m.Measure(t.Context()))
			results := m.Results()
			require.NotEmpty(t, results)
			assert.InDelta(t, 1, results[0].FloorRatio, 0)
			steps := map[string]bool{}
			for _, r := range results {
				assert.Equal(t, name, r.Codec)
				assert.Equal(t, 1, r.Items)
				assert.Positive(t, r.FloorRatio, r.Step)
				assert.NotEqual(t, r.NsPerPixel > 0, r.UsPerItem > 0, r.Step)
				assert.NotEmpty(t, r.Engine)
				assert.False(t, steps[r.Step], r.Step)
				steps[r.Step] = true
			}
			assert.True(t, steps["decode"])
		})
	}
}

func TestMediaRefuses(t *testing.T) {
	_, err := NewMedia("h265", 8, 1)
	require.ErrorIs(t, err, spool.ErrOptions)
	m, err := NewMedia("h264", 8, 1)
	require.NoError(t, err)
	defer m.Close()
	require.ErrorIs(t, m.Add(t.Context(), "nowhere.mp4"), os.ErrNotExist)
	require.ErrorContains(t, m.Add(t.Context(), "../../testdata/video/mjpeg.mov"), "mjpeg where h264 is measured")
}
