package vips_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// page is an entry of testdata/gen.py's output for the pixels of a page.
type page struct {
	Width, Height   int
	RGB, RGBA, Gray string  // digests of the pixels with these channels; empty if there are none
	Mean            float64 // for a lossy image: the mean distance from NAME.rgb
}

// golden is an entry for a file.
type golden struct {
	page
	Format      string
	Color       string
	Alpha       bool
	Bits, Pages int
	Orientation int
	Page1       *page // the second page, if there is one
}

var extensions = map[string]vips.Format{
	"tif": vips.TIFF, "tiff": vips.TIFF, "heic": vips.HEIF, "jxl": vips.JXL,
}

// images returns the files of testdata by name.
func images(t testing.TB) map[string]golden {
	text, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var all map[string]golden
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, all)
	return all
}

func enter(t testing.TB) *call.Call {
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	t.Cleanup(c.Leave)
	return c
}

// decode returns header and pixels of a page, in a buffer of exact size.
func decode(c *call.Call, format vips.Format, data []byte, page, channels int) (vips.Header, []byte, error) {
	h, err := vips.ReadHeader(c, format, data, page)
	if err != nil {
		return h, nil, err
	}
	pixels := make([]byte, h.Width*h.Height*channels)
	_, err = vips.Decode(c, data, h, vips.Options{Channels: channels, Pixels: pixels})
	return h, pixels, err
}

func TestHeaders(t *testing.T) {
	colors := map[string]vips.Color{"gray": vips.Gray, "rgb": vips.RGB, "cmyk": vips.CMYK, "other": vips.Other}
	for name, want := range images(t) {
		t.Run(name, func(t *testing.T) {
			h, err := vips.ReadHeader(enter(t), extensions[want.Format], lanetest.Read(t, name), 0)
			require.NoError(t, err)
			assert.Equal(t, vips.Header{
				Format: extensions[want.Format], Width: want.Width, Height: want.Height, Color: colors[want.Color],
				Alpha: want.Alpha, Bits: want.Bits, Pages: want.Pages, Orientation: want.Orientation, ICC: h.ICC,
			}, h)
		})
	}
}

func TestPixels(t *testing.T) {
	all := images(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		want := all[name]
		t.Run(name, func(t *testing.T) {
			c, format, data := enter(t), extensions[want.Format], lanetest.Read(t, name)
			if want.Mean > 0 {
				_, rgb, err := decode(c, format, data, 0, 3)
				require.NoError(t, err)
				assert.LessOrEqual(t, meanDifference(t, rgb, lanetest.Read(t, name+".rgb")), want.Mean)
				return
			}
			if want.RGB == "" {
				_, _, err := decode(c, format, data, 0, 3)
				assert.ErrorIs(t, err, spool.ErrUnsupported)
				return
			}
			for channels, sum := range map[int]string{1: want.Gray, 3: want.RGB, 4: want.RGBA} {
				if sum != "" {
					_, pixels, err := decode(c, format, data, 0, channels)
					require.NoError(t, err)
					assert.Equal(t, sum, lanetest.Digest(pixels), "%d channels", channels)
				}
			}
			if want.Page1 != nil {
				h, pixels, err := decode(c, format, data, 1, 3)
				require.NoError(t, err)
				assert.Equal(t, [2]int{want.Page1.Width, want.Page1.Height}, [2]int{h.Width, h.Height})
				assert.Equal(t, want.Page1.RGB, lanetest.Digest(pixels), "page 1")
			}
		})
	}
}

func meanDifference(t testing.TB, a, b []byte) float64 {
	require.Len(t, a, len(b))
	var sum int
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(a))
}
