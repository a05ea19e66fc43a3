package av_test

import (
	"testing"

	"github.com/asticode/go-astiav"
	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/av"
)

func TestPixelFormats(t *testing.T) {
	for name, want := range map[string]av.Planes{
		"yuv420p": {Depth: 8, SubX: 2, SubY: 2}, "yuvj422p": {Depth: 8, SubX: 2, SubY: 1},
		"yuv444p": {Depth: 8, SubX: 1, SubY: 1},
		"yuv410p": {Depth: 8, SubX: 4, SubY: 4}, "gray": {Depth: 8, Gray: true, SubX: 1, SubY: 1},
		"gray12le":    {Depth: 12, Gray: true, SubX: 1, SubY: 1},
		"yuv420p10le": {Depth: 10, SubX: 2, SubY: 2}, "yuv444p12le": {Depth: 12, SubX: 1, SubY: 1},
		"nv12": {Depth: 8, SubX: 2, SubY: 2, Paired: true}, "nv21": {Depth: 8, SubX: 2, SubY: 2, Paired: true, Swapped: true},
		"p010le": {Depth: 10, SubX: 2, SubY: 2, Paired: true, High: true},
	} {
		f := format(t, name)
		got, ok := f.Planes()
		assert.True(t, ok, name)
		assert.Equal(t, want, got, name)
		assert.Equal(t, want.Depth, f.Depth(), name)
	}
	for name, depth := range map[string]int{"rgb24": 8, "gbrp10le": 10, "yuyv422": 8, "yuva420p": 8, "yuv420p10be": 10,
		"pal8": 8, "monow": 1,
		"rgb48le": 16, "vaapi": 0} {
		f := format(t, name)
		_, ok := f.Planes()
		assert.False(t, ok, name)
		assert.Equal(t, depth, f.Depth(), name)
	}
	assert.Zero(t, av.PixelFormat(-1).Depth())
	assert.Zero(t, av.PixelFormat(1<<20).Depth())
}

// Only tags, and formats of their own, mean full range. A frame on a device has a format without components.
func TestFullRange(t *testing.T) {
	tagged := int32(astiav.ColorRangeJpeg)
	for name, full := range map[string]bool{"yuv420p": false, "nv12": false, "cuda": false, "vaapi": false,
		"yuvj420p": true, "gray": true, "rgb24": false} {
		assert.Equal(t, full, format(t, name).Full(0), name)
		assert.True(t, format(t, name).Full(tagged), name)
	}
}

func format(t *testing.T, name string) av.PixelFormat {
	t.Helper()
	f := astiav.FindPixelFormatByName(name)
	assert.Equal(t, name, f.Name())
	return av.PixelFormat(f)
}
