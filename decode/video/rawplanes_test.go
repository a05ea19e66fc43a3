package video_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// raw is the output of the ffmpeg command for a file, in a pixel format.
func raw(t testing.TB, path, format string, more ...string) []byte {
	t.Helper()
	need.Command(t, "ffmpeg")
	args := []string{"-v", "error", "-noautorotate", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-pix_fmt",
		format}
	out, err := exec.CommandContext(t.Context(), "ffmpeg", append(args, more...)...).Output()
	require.NoError(t, err)
	return out
}

// paired interleaves U and V of 8-bit planes, in frames of so many samples of luma and of each chroma plane.
func paired(planar []byte, luma, chroma int) (pairs []byte) {
	for frame := range slices.Chunk(planar, luma+2*chroma) {
		pairs = append(pairs, frame[:luma]...)
		for i := range chroma {
			pairs = append(pairs, frame[luma+i], frame[luma+chroma+i])
		}
	}
	return pairs
}

// Planes equal those of the ffmpeg command, for all subsamplings and depths, from planar and semi-planar formats.
func TestPlanesAreFFmpegs(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	dir := t.TempDir()
	for _, format := range []string{"nv12", "nv21"} { // as from devices
		raw(t, filepath.Join(media, "video", "bframes.mp4"), format, "-frames:v", "3", "-c:v", "rawvideo", "-f", "nut",
			filepath.Join(dir, format+".nut"))
	}
	for _, c := range short.Some([]struct {
		file, planar, pairs string
		frame               spool.Shape
		stored              video.Stored
	}{
		{"bframes.mp4", "yuv420p", "nv12", spool.Shape{72, 64},
			video.Stored{PixelFormat: "yuv420p", Bits: 8, SubX: 2, SubY: 2, Matrix: 2, Primaries: 2, Transfer: 2}},
		{"full.mp4", "yuvj420p", "", spool.Shape{72, 64},
			video.Stored{PixelFormat: "yuvj420p", Bits: 8, SubX: 2, SubY: 2, Matrix: 1, Primaries: 2, Transfer: 2, Full: true}},
		{"turned.mp4", "yuv420p", "nv12", spool.Shape{72, 64},
			video.Stored{PixelFormat: "yuv420p", Bits: 8, SubX: 2, SubY: 2, Matrix: 2, Primaries: 2, Transfer: 2}},
		{"odd.webm", "yuv420p", "nv12", spool.Shape{63*47 + 2*32*24},
			video.Stored{PixelFormat: "yuv420p", Bits: 8, SubX: 2, SubY: 2, Matrix: 2, Primaries: 2, Transfer: 2}},
		{"odd444.mp4", "yuv444p", "nv24", spool.Shape{3 * 47, 63},
			video.Stored{PixelFormat: "yuv444p", Bits: 8, SubX: 1, SubY: 1, Matrix: 2, Primaries: 2, Transfer: 2}},
		{"yuv422.mp4", "yuv422p", "", spool.Shape{96, 64},
			video.Stored{PixelFormat: "yuv422p", Bits: 8, SubX: 2, SubY: 1, Matrix: 1, Primaries: 1, Transfer: 1}},
		{"gray.mp4", "gray", "gray", spool.Shape{48, 64},
			video.Stored{PixelFormat: "gray", Bits: 8, Matrix: 2, Primaries: 2, Transfer: 2, Full: true}},
		{"deep.mp4", "yuv420p10le", "p010le", spool.Shape{72, 64},
			video.Stored{PixelFormat: "yuv420p10le", Bits: 10, SubX: 2, SubY: 2, Matrix: 2, Primaries: 2, Transfer: 2}},
		{"hdr.mp4", "yuv420p10le", "p010le", spool.Shape{72, 64},
			video.Stored{PixelFormat: "yuv420p10le", Bits: 10, SubX: 2, SubY: 2, Matrix: 9, Primaries: 9, Transfer: 16}},
		{"nv12.nut", "yuv420p", "nv12", spool.Shape{72, 64}, video.Stored{}},
		{"nv21.nut", "yuv420p", "nv12", spool.Shape{72, 64}, video.Stored{}},
	}, 2) {
		t.Run(c.file, func(t *testing.T) {
			path := filepath.Join(media, "video", c.file)
			if filepath.Ext(c.file) == ".nut" {
				path = filepath.Join(dir, c.file)
			}
			v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
			spec := video.Spec{}
			if v.Info().Bits > 8 {
				spec.DType = spool.Uint16
			}
			for planes, format := range map[video.Planes]string{video.Planar: c.planar, video.SemiPlanar: c.pairs} {
				spec.Planes = planes
				var want []byte
				if format != "" {
					want = raw(t, path, format, "-f", "rawvideo", "-")
				} else { // ffmpeg changes the range, or has no such format
					want = paired(raw(t, path, c.planar, "-f", "rawvideo", "-"), 64*48, (c.frame[0]*c.frame[1]-64*48)/2)
				}
				var got []byte
				for clip, err := range v.Chunks(ctx, 4, spec) {
					require.NoError(t, err)
					got = append(got, clip.Bytes()...)
					clip.Release()
				}
				require.True(t, bytes.Equal(want, got), "%s: %d bytes, %d", format, len(want), len(got))

				one, report := decodetest.Frames(t, v, []int{2, 0}, spec)
				size := len(want) / v.Len()
				assert.Equal(t, append(bytes.Clone(want[2*size:3*size]), want[:size]...), one)
				assert.Equal(t, append(spool.Shape{2}, c.frame...), report.Desc.Shape)
				assert.Equal(t, spool.Flat, report.Desc.Layout)
				if c.stored != (video.Stored{}) {
					assert.Equal(t, c.stored, report.Stored)
				}
			}
		})
	}
}

// Planes refuse options that do not apply; missing frames are gray.
func TestPlanesRefuse(t *testing.T) {
	for _, s := range []video.Spec{
		{Planes: 9}, {Planes: video.Planar, Resize: resize.Spec{Width: 8, Height: 8}},
		{Planes: video.Planar, Color: decode.Gray},
		{Planes: video.SemiPlanar, DType: spool.Float32}, {Planes: video.Planar, Layout: spool.CHW},
		{Planes: video.Planar, Fill: &decode.RGB8{}},
		{Planes: video.Planar, Draw: func(int, int) (resize.Spec, error) { return resize.Spec{}, nil }},
	} {
		assert.ErrorIs(t, s.Validate(), spool.ErrOptions, "%+v", s)
	}
	_, fixed := video.Spec{Planes: video.Planar}.Sample(3)
	assert.False(t, fixed)

	d := decodetest.New(t, decoders.Options{})
	for name, spec := range map[string]video.Spec{
		"deep.mp4": {Planes: video.Planar}, "bframes.mp4": {Planes: video.SemiPlanar, DType: spool.Uint16},
		"ffv1.mkv": {Planes: video.Planar},
	} {
		v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", name)), video.OpenOptions{})
		_, err := v.Frames(ctx, []int{0}, spec)
		require.ErrorIs(t, err, spool.ErrUnsupported, name)
	}
	v := decodetest.OpenVideo(t, d, spool.File(filepath.Join(media, "video", "resized.ts")), video.OpenOptions{})
	_, err := v.Frames(ctx, []int{0, v.Len() - 1}, video.Spec{Planes: video.Planar, OnDamage: decode.MarkDamage})
	require.ErrorIs(t, err, spool.ErrUnsupported)

	data := bytes.Clone(decodetest.ReadFile(t, media, "video", "bframes.mp4"))
	first := decodetest.OpenVideo(t, d, spool.Bytes{Data: data}, video.OpenOptions{}).Index().Packets[0]
	clear(data[first.Pos:][:first.Size])
	broken := decodetest.OpenVideo(t, d, spool.Bytes{Data: data}, video.OpenOptions{})
	got, report := decodetest.Frames(t, broken, []int{0}, video.Spec{Planes: video.Planar, OnDamage: decode.MarkDamage})
	assert.Equal(t, video.Missing, report.Frames[0].State)
	assert.Equal(t, bytes.Repeat([]byte{0x80}, 64*72), got)
}
