package checkup

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An FFmpeg with the encoders of the static build: no H.264, HEVC, Vorbis and MP3.
func TestEncodersOfTheWheel(t *testing.T) {
	can, missing := findEncoders([]string{"aac", "ffv1", "flac", "libopus", "libsvtav1", "libvpx-vp9", "mjpeg", "mpeg4"})
	assert.Equal(t, map[string]bool{"h264": false, "hevc": false, "vp9": true, "av1": true, "mpeg4": true, "mjpeg": true,
		"ffv1": true, "aac": true, "flac": true, "opus": true, "vorbis": false, "mp3": false}, can)
	assert.Equal(t, Missing{What: "an FFmpeg that encodes h264", For: "files written in h264", Package: "libavcodec59"},
		missing[0])
	assert.Len(t, missing, 4)
}
