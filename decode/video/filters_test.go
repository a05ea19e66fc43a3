package video_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/resize"
)

// Frames behind filters are those of the ffmpeg command, in any order, from front to back and by several workers.
func TestFiltersAreThoseOfTheCommand(t *testing.T) {
	const path = media + "/video/bframes.mp4"
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{Threads: 2})
	for _, filters := range []string{"hflip", "crop=20:16:4:2,vflip", "scale=32:24:flags=neighbor,format=yuv420p",
		"transpose=1", "negate,hflip", "colorchannelmixer=rr=0:rb=1:br=1:bb=0"} {
		want := raw(t, path, "rgb24", "-vf", filters, "-f", "rawvideo", "-")
		spec := video.Spec{Filters: filters}
		desc, err := v.Sample(1, spec)
		require.NoError(t, err, filters)
		size, _ := desc.Bytes()
		require.Equal(t, v.Len(), len(want)/size, filters)
		order := []int{7, 0, v.Len() - 1, 7, 3}
		got, _ := decodetest.Frames(t, v, order, spec)
		for i, n := range order {
			require.Equal(t, want[n*size:][:size], got[i*size:][:size], "%s: frame %d", filters, n)
		}
		var all []byte
		for clip, err := range v.Chunks(t.Context(), 6, spec) {
			require.NoError(t, err)
			all = append(all, clip.Bytes()...)
			clip.Release()
		}
		assert.Equal(t, want, all, filters)
	}
}

// The resize, and what else is asked for, follows the filters.
func TestResizeFollowsFilters(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(media+"/video/bframes.mp4"), video.OpenOptions{})
	fixed := video.Spec{Filters: "crop=20:16:4:2", Resize: resize.Spec{Width: 8, Height: 8}, Color: decode.Gray}
	desc, err := v.Sample(2, fixed)
	require.NoError(t, err)
	assert.Equal(t, spool.Shape{2, 8, 8, 1}, desc.Shape)
	got, report := decodetest.Frames(t, v, []int{5, 6}, fixed)
	want, _ := decodetest.Frames(t, v, []int{5, 6}, video.Spec{Color: decode.Gray,
		Resize: resize.Spec{Box: resize.Rect{Left: 4, Top: 2, Width: 20, Height: 16}, Width: 8, Height: 8}})
	assert.Equal(t, want, got)
	assert.InDelta(t, 20, report.Region.Width, 0)
}

func TestFiltersRefuse(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(media+"/video/bframes.mp4"), video.OpenOptions{})
	for filters, text := range map[string]string{
		"nosuchfilter": "does not take the graph",
		"crop=9000:9":  "",
		"split":        "have 2 outputs",
		"select=0":     "make no frame",
		"[a][b]hstack": "an input in use for the end",
		"showwavespic": "video where the end",
	} {
		_, err := v.Frames(t.Context(), []int{0}, video.Spec{Filters: filters})
		require.Error(t, err, filters)
		assert.ErrorContains(t, err, text, filters)
		if text != "" {
			assert.ErrorIs(t, err, spool.ErrOptions, filters)
		}
	}
	assert.ErrorContains(t, video.Spec{Filters: "hflip", Planes: video.Planar}.Validate(), "Filters")
	assert.ErrorContains(t, video.Spec{FilterFiles: true}.Validate(), "FilterFiles needs Filters")
	got, _ := decodetest.Frames(t, v, []int{0}, video.Spec{}) // a refusal leaves the video usable
	assert.NotEmpty(t, got)
}

// A table of colors is a file that filters may open only if the caller says so.
func TestFilterFiles(t *testing.T) {
	const path = media + "/video/bframes.mp4"
	table := filepath.Join(t.TempDir(), "negative.cube")
	cube := "LUT_3D_SIZE 2\n1 1 1\n0 1 1\n1 0 1\n0 0 1\n1 1 0\n0 1 0\n1 0 0\n0 0 0\n"
	require.NoError(t, os.WriteFile(table, []byte(cube), 0o600))
	filters := "format=rgb24,lut3d=file=" + table
	d := decodetest.New(t, decoders.Options{})
	v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
	_, err := v.Frames(t.Context(), []int{3}, video.Spec{Filters: filters})
	require.ErrorIs(t, err, spool.ErrOptions)

	spec := video.Spec{Filters: filters, FilterFiles: true}
	want := raw(t, path, "rgb24", "-vf", filters, "-f", "rawvideo", "-")
	got, _ := decodetest.Frames(t, v, []int{3}, spec)
	assert.Equal(t, want[3*len(got):][:len(got)], got)
}
