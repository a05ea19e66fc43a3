package encode_test

import (
	"bytes"
	"encoding/binary"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/decoders"
)

// Frames keep their times, also with large and unequal intervals.
func TestTimedFrames(t *testing.T) {
	decoder, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer decoder.Close()
	source, err := decoder.Videos.Open(t.Context(), spool.File("../testdata/video/vfr.mp4"), video.OpenOptions{})
	require.NoError(t, err)
	defer source.Close()
	clip, err := source.Frames(t.Context(), index.Even(source.Len(), source.Len()), video.Spec{})
	require.NoError(t, err)
	defer clip.Release()
	var times []float64
	for _, f := range clip.Frames {
		times = append(times, f.PTS-clip.Frames[0].PTS)
	}
	d := clip.Desc()
	for name, codec := range map[string]string{"a.mp4": "", "b.mkv": "ffv1", "c.webm": "", "d.mov": "mjpeg",
		"e.mp4": "mpeg4"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			w, err := encode.Create(t.Context(), path,
				encode.Options{Video: &encode.Video{Width: d.Shape[2], Height: d.Shape[1], Timed: true, Codec: codec}})
			require.NoError(t, err)
			defer w.Close()
			half, n := len(times)/2, len(clip.Bytes())/len(times)
			part := d
			part.Shape = append(spool.Shape{half}, d.Shape[1:]...)
			require.NoError(t, w.FramesAt(t.Context(), clip.Bytes()[:half*n], part, times[:half]))
			require.ErrorIs(t, w.FramesAt(t.Context(), clip.Bytes()[:half*n], part, times[:half]), spool.ErrOptions) // again
			require.ErrorIs(t, w.FramesAt(t.Context(), clip.Bytes()[:half*n], part, times[1:half]), spool.ErrShape)
			require.ErrorIs(t, w.Frames(t.Context(), clip.Bytes()[:half*n], part), spool.ErrOptions)
			part.Shape = append(spool.Shape{len(times) - half}, d.Shape[1:]...)
			require.NoError(t, w.FramesAt(t.Context(), clip.Bytes()[half*n:], part, times[half:]))
			require.NoError(t, w.Finish(t.Context()))
			out, err := exec.CommandContext(t.Context(), "ffprobe", "-loglevel", "error", "-of", "csv=p=0", "-show_entries",
				"frame=pts_time", path).Output()
			require.NoError(t, err)
			var got []float64
			for line := range strings.FieldsSeq(string(out)) {
				s, err := strconv.ParseFloat(strings.TrimSuffix(line, ","), 64)
				require.NoError(t, err)
				got = append(got, s)
			}
			assert.InDeltaSlice(t, times, got, 5.1e-4)
		})
	}
}

// Frames of 16 bits keep 16 bits if the codec supports them, and 10 if it supports those.
func TestDeepPixels(t *testing.T) {
	eight, d := movingFrames(4, 48, 64, 3)
	var deep []byte
	for _, v := range eight {
		deep = binary.NativeEndian.AppendUint16(deep, uint16(v)<<8|uint16(len(deep)&255))
	}
	d.DType = spool.Uint16
	for name, c := range map[string]struct {
		video  encode.Video
		stored string
		mean   float64 // largest mean difference, of 65535
	}{
		"a.mkv": {encode.Video{Codec: "ffv1"}, "gbrp16le", 0},
		"b.mp4": {encode.Video{CodecOptions: map[string]string{"crf": "10"}}, "yuv420p10le", 1400},
		"c.mp4": {encode.Video{Codec: "mpeg4", CodecOptions: map[string]string{"b": "4M"}}, "yuv420p", 1600},
		"d.mkv": {encode.Video{CodecOptions: map[string]string{"crf": "10"}, Stored: "yuv444p10le"}, "yuv444p10le", 800},
	} {
		t.Run(name, func(t *testing.T) {
			v := c.video
			v.Width, v.Height, v.Pixels = 64, 48, encode.RGB16
			path := filepath.Join(t.TempDir(), name)
			write(t, path, v, deep, d)
			assert.Equal(t, c.stored, ffprobe(t, path).Streams[0].PixFmt)
			got := ffmpeg(t, nil, "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb48", "-")
			require.Len(t, got, len(deep))
			if c.mean == 0 {
				assert.True(t, bytes.Equal(deep, got))
				return
			}
			sum := 0.0
			for i := 0; i < len(got); i += 2 {
				a, b := binary.NativeEndian.Uint16(deep[i:]), binary.NativeEndian.Uint16(got[i:])
				sum += max(float64(a)-float64(b), float64(b)-float64(a))
			}
			assert.Less(t, sum/float64(len(got)/2), c.mean)
		})
	}
	path := filepath.Join(t.TempDir(), "exact.mkv") // the conversion itself equals the command's
	write(t, path, encode.Video{Width: 64, Height: 48, Pixels: encode.RGB16, Codec: "ffv1", Stored: "yuv420p10le"}, deep,
		d)
	want := ffmpeg(t, deep, "-f", "rawvideo", "-pix_fmt", "rgb48", "-s", "64x48", "-i", "-", "-vf",
		"scale=out_color_matrix=bt601", "-pix_fmt", "yuv420p10le", "-f", "rawvideo", "-")
	assert.True(t, bytes.Equal(want, ffmpeg(t, nil, "-i", path, "-f", "rawvideo", "-")))
	gray := deep[:2*48*64]
	path = filepath.Join(t.TempDir(), "gray.mkv")
	write(t, path, encode.Video{Width: 64, Height: 48, Pixels: encode.Gray16, Codec: "ffv1"}, gray,
		spool.Desc{Shape: spool.Shape{48, 64}, DType: spool.Uint16})
	assert.True(t, bytes.Equal(gray, ffmpeg(t, nil, "-i", path, "-f", "rawvideo", "-pix_fmt", "gray16", "-")))
}
