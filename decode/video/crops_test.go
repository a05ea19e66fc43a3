package video_test

import (
	"bytes"
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

// tenCrops cuts crops of frames of RGB, as torchvision's TenCrop does: all frames of the first crop come first.
func tenCrops(frames []byte, width, height, w, h int) []byte {
	var all []byte
	right, down := width-w, height-h
	for i := range 10 {
		left := [...]int{0, right, 0, right, (right + 1) / 2}[i%5]
		top := [...]int{0, 0, down, down, (down + 1) / 2}[i%5]
		for at := 0; at < len(frames); at += 3 * width * height {
			for y := range h {
				row := frames[at+3*(top+y)*width:][:3*width]
				for x := range w {
					from := left + x
					if i >= 5 {
						from = width - 1 - from
					}
					all = append(all, row[3*from:][:3]...)
				}
			}
		}
	}
	return all
}

// The crops of a clip are parts of the ffmpeg command's frames.
func TestCrops(t *testing.T) {
	need.Command(t, "ffmpeg")
	path := filepath.Join(media, "video", "bframes.mp4")
	v := decodetest.OpenVideo(t, decodetest.New(t, decoders.Options{}), spool.File(path), video.OpenOptions{})
	whole, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt",
		"rgb24", "-").Output()
	require.NoError(t, err)
	width, height := v.Info().Oriented()
	size := 3 * width * height
	wanted := []int{7, 2, 7}
	var frames []byte
	for _, n := range wanted {
		frames = append(frames, whole[n*size:][:size]...)
	}
	ten := tenCrops(frames, width, height, 20, 12)

	spec := video.Spec{Resize: resize.Spec{CropWidth: 20, CropHeight: 12}, Crops: resize.TenCrops}
	desc, fixed := spec.Sample(len(wanted))
	require.True(t, fixed)
	assert.Equal(t, spool.Desc{Shape: spool.Shape{10, 3, 12, 20, 3}, Layout: spool.NHWC}, desc)
	ofVideo, err := v.Sample(len(wanted), spec)
	require.NoError(t, err)
	assert.Equal(t, desc, ofVideo)
	got, report := decodetest.Frames(t, v, wanted, spec)
	require.Equal(t, ten, got)
	assert.Equal(t, desc, report.Desc)
	assert.Len(t, report.Frames, 3)
	assert.Equal(t, 7, report.Frames[2].Index)
	assert.Equal(t, resize.Region{Width: 20, Height: 12}, report.Region, "of the first crop")

	five := spec
	five.Crops = resize.FiveCrops
	into := make([]byte, len(ten)/2)
	_, err = v.FramesInto(t.Context(), into, wanted, five)
	require.NoError(t, err)
	assert.Equal(t, ten[:len(into)], into)
	_, err = v.FramesInto(t.Context(), into[1:], wanted, five)
	require.ErrorIs(t, err, spool.ErrShape)

	one := video.Spec{Resize: resize.Spec{CropWidth: 20, CropHeight: 12}}
	together := []video.Request{
		{Video: v, Dst: make([]byte, len(ten)/10), Frames: wanted, Spec: one},
		{Video: v, Dst: make([]byte, len(ten)), Frames: wanted, Spec: spec},
		{Video: v, Dst: make([]byte, len(ten)), Frames: []int{1, 2, 1000}, Spec: spec},
	}
	answers := video.Gather(t.Context(), together)
	require.NoError(t, answers[0].Err)
	require.NoError(t, answers[1].Err)
	require.ErrorIs(t, answers[2].Err, spool.ErrNoSuchFrame)
	assert.Equal(t, ten[4*len(ten)/10:][:len(ten)/10], together[0].Dst, "the crop of the center")
	assert.Equal(t, ten, together[1].Dst)
	assert.Equal(t, desc, answers[1].Report.Desc)
}

// The geometry that is drawn for a clip holds for all of its crops, with several workers too.
func TestCropsOfDrawnGeometry(t *testing.T) {
	v := decodetest.OpenVideo(t, decodetest.New(t, decoders.Options{}),
		spool.File(filepath.Join(media, "video", "bframes.mp4")), video.OpenOptions{Workers: 3})
	geometry := resize.Spec{Width: 40, Height: 30}
	frames := decodetest.EveryFrame(v.Len())
	whole, _ := decodetest.Frames(t, v, frames, video.Spec{Resize: geometry})
	geometry.CropWidth, geometry.CropHeight = 16, 12
	drawn := video.Spec{Resize: resize.Spec{CropWidth: 16, CropHeight: 12}, Crops: resize.TenCrops,
		Draw: func(int, int) (resize.Spec, error) { return geometry, nil }}
	got, _ := decodetest.Frames(t, v, frames, drawn)
	assert.True(t, bytes.Equal(tenCrops(whole, 40, 30, 16, 12), got))
}

func TestCropsRefuse(t *testing.T) {
	v := decodetest.OpenVideo(t, decodetest.New(t, decoders.Options{}),
		spool.File(filepath.Join(media, "video", "bframes.mp4")), video.OpenOptions{})
	assert.ErrorContains(t, video.Spec{Crops: resize.FiveCrops}.Validate(), "Crops")
	assert.ErrorContains(t, video.Spec{Crops: 9, Resize: resize.Spec{CropWidth: 2, CropHeight: 2}}.Validate(), "Crops")
	large := video.Spec{Resize: resize.Spec{CropWidth: 2000, CropHeight: 2}, Crops: resize.FiveCrops}
	_, err := v.Frames(t.Context(), []int{0}, large)
	require.ErrorIs(t, err, spool.ErrUnsupported)
	crops := video.Spec{Resize: resize.Spec{CropWidth: 2, CropHeight: 2}, Crops: resize.FiveCrops}
	for _, chunks := range []func(func(*video.Clip, error) bool){v.Chunks(t.Context(), 2, crops),
		v.ChunksOf(t.Context(), 0, 4, 2, crops)} {
		for clip, err := range chunks {
			assert.Nil(t, clip)
			require.ErrorIs(t, err, spool.ErrOptions)
		}
	}
}
