package video_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/resize"
)

// withMatrix is an MP4 file whose first track has another display matrix, with these a, b, c and d (ISO/IEC 14496-12,
// 8.3.2; 16.16 fixed point).
func withMatrix(t testing.TB, file []byte, a, b, c, d int32) []byte {
	t.Helper()
	file = bytes.Clone(file)
	at := bytes.Index(file, []byte("tkhd"))
	require.Positive(t, at)
	require.Zero(t, file[at+4], "version 0")
	matrix := file[at+4+40:]
	for place, value := range map[int]int32{0: a, 1: b, 3: c, 4: d} {
		binary.BigEndian.PutUint32(matrix[4*place:], uint32(value<<16))
	}
	return file
}

// Matrices that rotate and mirror have the same effect as in the ffmpeg command, at once and from a saved index.
func TestDisplayMatrix(t *testing.T) {
	need.Command(t, "ffmpeg")
	d := decodetest.New(t, decoders.Options{})
	file := decodetest.ReadFile(t, media, "video", "bframes.mp4")
	for orientation, m := range map[int][4]int32{
		1: {1, 0, 0, 1}, 2: {-1, 0, 0, 1}, 3: {-1, 0, 0, -1}, 4: {1, 0, 0, -1},
		5: {0, 1, 1, 0}, 6: {0, 1, -1, 0}, 7: {0, -1, -1, 0}, 8: {0, -1, 1, 0},
	} {
		t.Run(fmt.Sprint(orientation), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "turned.mp4")
			require.NoError(t, os.WriteFile(path, withMatrix(t, file, m[0], m[1], m[2], m[3]), 0o600))
			want, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-frames:v", "3", "-f",
				"rawvideo", "-pix_fmt", "rgb24", "-").Output()
			require.NoError(t, err)
			for _, saved := range []bool{false, true} {
				v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
				require.Equal(t, saved, v.Info().Saved)
				assert.Equal(t, orientation, v.Info().Orientation)
				got, report := decodetest.Frames(t, v, []int{0, 1, 2}, video.Spec{})
				width, height := v.Info().Oriented()
				assert.Equal(t, []int{3, height, width, 3}, []int(report.Desc.Shape))
				assert.True(t, bytes.Equal(want, got))
				_, err = v.SaveIndex("")
				require.NoError(t, err)
				fast, _ := decodetest.Frames(t, v, []int{0, 1, 2}, video.Spec{Resize: resize.Spec{Profile: resize.Fast}})
				_, mean := decodetest.Worst(t, want, fast)
				assert.Less(t, mean, 1.5)
			}
		})
	}
}
