package vips_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	floor "github.com/spoolmedia/spool/cbridge/floor/vips"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/internal/lanetest"
)

// deep is an entry of testdata/deep.py's output for a page, FILE or FILE#PAGE.
type deep struct {
	Format        string
	Page, Pages   int
	Width, Height int
	Bits          int
	Alpha, ICC    bool
	RGB16, RGBA16 string // digests of the 16-bit samples
	RGB           string // digest of the 8-bit samples
	Near          string // for a lossy image: the file with 8-bit RGB
	Mean          float64
}

func deepImages(t testing.TB) map[string]deep {
	text, err := os.ReadFile("testdata/deep.json")
	require.NoError(t, err)
	var all map[string]deep
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, all)
	return all
}

func (d deep) format() vips.Format {
	asked := map[string]vips.Format{"svg": vips.SVG, "exr": vips.EXR, "hdr": vips.HDR, "pdf": vips.PDF, "ico": vips.Magick}
	if f, ok := asked[d.Format]; ok {
		return f
	}
	return extensions[d.Format]
}

// samples returns a page in 16 bits, in the byte order of little-endian machines, on which the tests run.
func samples(c *call.Call, data []byte, h vips.Header, channels int) ([]byte, error) {
	pixels := make([]byte, h.Width*h.Height*channels*2)
	_, err := vips.Decode(c, data, h, vips.Options{Channels: channels, Bits: 16, Pixels: pixels})
	return pixels, err
}

func highBytes(samples []byte) (high []byte) {
	for ; len(samples) > 0; samples = samples[2:] {
		high = append(high, samples[1])
	}
	return high
}

// 16-bit samples equal those of OpenCV, or those in the file; 8-bit samples are their high bytes.
func TestDeepPixels(t *testing.T) {
	all := deepImages(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			want := all[name]
			file, _, _ := strings.Cut(name, "#")
			c, data := enter(t), lanetest.Read(t, file)
			h, err := vips.ReadHeader(c, want.format(), data, want.Page)
			require.NoError(t, err)
			assert.Equal(t, [5]int{want.Width, want.Height, want.Bits, want.Pages, want.Page},
				[5]int{h.Width, h.Height, h.Bits, h.Pages, h.Page})
			assert.Equal(t, want.Alpha, h.Alpha)
			deep, err := samples(c, data, h, 3)
			require.NoError(t, err)
			_, flat, err := decode(c, want.format(), data, want.Page, 3)
			require.NoError(t, err)
			if want.Near != "" {
				assert.LessOrEqual(t, meanDifference(t, flat, lanetest.Read(t, want.Near)), want.Mean)
				assert.LessOrEqual(t, meanDifference(t, highBytes(deep), flat), 0.5)
				return
			}
			assert.Equal(t, want.RGB16, lanetest.Digest(deep))
			assert.Equal(t, want.RGB, lanetest.Digest(flat))
			if want.RGBA16 != "" {
				deep, err := samples(c, data, h, 4)
				require.NoError(t, err)
				assert.Equal(t, want.RGBA16, lanetest.Digest(deep), "with opacity")
			}
		})
	}
}

// 8-bit samples are multiplied by 257 in 16-bit output, including CMYK and repeated gray.
func TestWidened(t *testing.T) {
	c := enter(t)
	for name, want := range images(t) {
		if want.RGB == "" || want.Bits > 8 || want.Color == "cmyk" {
			continue
		}
		data := lanetest.Read(t, name)
		for _, channels := range []int{3, 4} {
			h, flat, err := decode(c, extensions[want.Format], data, 0, channels)
			require.NoError(t, err)
			deep, err := samples(c, data, h, channels)
			require.NoError(t, err)
			for i, v := range flat {
				if deep[2*i] != v || deep[2*i+1] != v {
					t.Fatalf("%s in %d channels: sample %d is %d, in 16 bits %d", name, channels, i, v, deep[2*i:2*i+2])
				}
			}
		}
	}
	data := lanetest.Read(t, "cmyk8.tif")
	h, flat, err := decode(c, vips.TIFF, data, 0, 3)
	require.NoError(t, err)
	deep, err := samples(c, data, h, 3)
	require.NoError(t, err)
	assert.LessOrEqual(t, meanDifference(t, highBytes(deep), flat), 0.6, "inks are mixed with more precision")
}

func TestProfiles(t *testing.T) {
	c, profile := enter(t), lanetest.Read(t, "../../icc/testdata/display-p3.icc")
	h, err := vips.ReadHeader(c, vips.TIFF, lanetest.Read(t, "profile.tif"), 0)
	require.NoError(t, err)
	assert.Equal(t, profile, h.ICC)
	h, err = vips.ReadHeader(c, vips.TIFF, lanetest.Read(t, "rgb8.tif"), 0)
	require.NoError(t, err)
	assert.Nil(t, h.ICC)
}

func TestFloor(t *testing.T) {
	for name, want := range images(t) {
		assert.NoError(t, floor.Load(extensions[want.Format], lanetest.Read(t, name)), name)
	}
	data := lanetest.Read(t, "rgb8.tif")
	assert.ErrorIs(t, floor.Load(vips.TIFF, data[:len(data)/2]), spool.ErrCorrupt)
	assert.ErrorIs(t, floor.Load(vips.JXL, data), spool.ErrCorrupt)
	assert.ErrorIs(t, floor.Load(vips.TIFF, nil), spool.ErrUnsupported)
	assert.ErrorIs(t, floor.Load(vips.Magick+1, data), spool.ErrUnsupported)
	assert.Zero(t, vips.InUse())
}
