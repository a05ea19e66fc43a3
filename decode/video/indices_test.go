package video_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/resize"
)

// encodedSamples writes a lossless video of one frame whose luma has the samples 0, 1, 2 and so on.
func encodedSamples(t testing.TB, format string, width, height int, bytes int, encoder ...string) (string, []byte) {
	t.Helper()
	raw := make([]byte, 0, width*height*bytes)
	for i := range width * height {
		if bytes == 1 {
			raw = append(raw, byte(i))
		} else {
			raw = binary.NativeEndian.AppendUint16(raw, uint16(i))
		}
	}
	luma := len(raw)
	if !strings.HasPrefix(format, "gray") {
		raw = append(raw, make([]byte, luma/2)...) // of 4:2:0
	}
	dir := t.TempDir()
	input, file := filepath.Join(dir, "raw"), filepath.Join(dir, "video.mkv")
	require.NoError(t, os.WriteFile(input, raw, 0o600))
	args := []string{"-v", "error", "-f", "rawvideo", "-pix_fmt", format, "-video_size", fmt.Sprintf("%dx%d", width, height), "-i", input}
	out, err := exec.CommandContext(t.Context(), need.Command(t, "ffmpeg"), append(append(args, encoder...), file)...).
		CombinedOutput()
	require.NoError(t, err, string(out))
	return file, raw[:luma]
}

// Samples of luma come as they are stored, also where the stream says that their range is limited.
func TestIndices(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	for name, c := range map[string]struct {
		format  string
		bytes   int
		encoder []string
	}{
		"gray12, FFV1":           {"gray12le", 2, []string{"-c:v", "ffv1"}},
		"gray12, limited":        {"gray12le", 2, []string{"-c:v", "libx265", "-x265-params", "lossless=1:log-level=none"}},
		"gray16":                 {"gray16le", 2, []string{"-c:v", "ffv1"}},
		"gray":                   {"gray", 1, []string{"-c:v", "ffv1"}},
		"YUV of 12 bits":         {"yuv420p12le", 2, []string{"-c:v", "ffv1"}},
		"YUV of 8 bits, limited": {"yuv420p", 1, []string{"-c:v", "libx264", "-qp", "0", "-color_range", "tv"}},
	} {
		t.Run(name, func(t *testing.T) {
			file, want := encodedSamples(t, c.format, 64, 64, c.bytes, c.encoder...)
			spec := video.Spec{Color: decode.Index}
			if c.bytes == 2 {
				spec.DType = spool.Uint16
			}
			v := decodetest.OpenVideo(t, d, spool.File(file), video.OpenOptions{})
			got, report := decodetest.Frames(t, v, []int{0}, spec)
			assert.Equal(t, spool.Shape{1, 64, 64, 1}, report.Desc.Shape)
			assert.Equal(t, want, got)

			spec.Resize = resize.Spec{Width: 32, Height: 16, Filter: resize.NearestFloor, Profile: resize.Fast}
			var picked []byte
			for y := range 16 {
				for x := range 32 {
					at := (4*y*64 + 2*x) * c.bytes
					picked = append(picked, want[at:at+c.bytes]...)
				}
			}
			got, _ = decodetest.Frames(t, v, []int{0}, spec)
			assert.Equal(t, picked, got)

			spec.DType = map[spool.DType]spool.DType{spool.Uint8: spool.Uint16, spool.Uint16: spool.Uint8}[spec.DType]
			_, err := v.FramesInto(t.Context(), make([]byte, 32*16*(3-c.bytes)), []int{0}, spec)
			require.ErrorIs(t, err, spool.ErrUnsupported)
			assert.ErrorContains(t, err, "the samples of "+c.format)
		})
	}
	spec := video.Spec{Color: decode.Index, DType: spool.Float32, Resize: resize.Spec{Width: 8, Height: 8}}
	err := spec.Validate()
	require.ErrorIs(t, err, spool.ErrOptions)
	require.ErrorContains(t, err, "averaged")
	require.ErrorContains(t, err, "DType")
	rgb, _ := encodedSamples(t, "gray", 64, 64, 1, "-pix_fmt", "bgr0", "-c:v", "ffv1")
	v := decodetest.OpenVideo(t, d, spool.File(rgb), video.OpenOptions{})
	_, err = v.FramesInto(t.Context(), make([]byte, 64*64), []int{0}, video.Spec{Color: decode.Index})
	require.ErrorContains(t, err, "bgr0 has no indices")
}
