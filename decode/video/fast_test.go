package video_test

import (
	"bytes"
	"math"
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
	"github.com/spoolmedia/spool/resize"
)

// psnr is the signal-to-noise ratio of 8-bit samples.
func psnr(want, got []byte) float64 {
	sum := 0.0
	for i, v := range want {
		d := float64(v) - float64(got[i])
		sum += d * d
	}
	return 10 * math.Log10(255*255*float64(len(want))/max(sum, 1e-9))
}

// atTheEnds is the share of samples that are 0 or 255. Colors outside RGB are clipped there: with exact before pixels
// are averaged, with fast after it.
func atTheEnds(pixels []byte) float64 {
	n := bytes.Count(pixels, []byte{0}) + bytes.Count(pixels, []byte{255})
	return float64(n) / float64(len(pixels))
}

// Fast stays within its bound against exact: all videos, at several geometries, types and layouts.
func TestFastVideoKeepsItsBound(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	specs := map[string]video.Spec{
		"small":   {Resize: resize.Spec{Width: 48, Height: 40}},
		"large":   {Resize: resize.Spec{Width: 224, Height: 224}},
		"own":     {},
		"crop":    {Resize: resize.Spec{Shorter: 48, CropWidth: 40, CropHeight: 40, FlipX: true}},
		"fit":     {Resize: resize.Spec{Width: 100, Height: 60, Mode: resize.Fit, PadColor: [3]uint8{9, 200, 30}}},
		"bicubic": {Resize: resize.Spec{Width: 60, Height: 50, Filter: resize.Bicubic}, Color: decode.BGR, Layout: spool.CHW},
		"gray":    {Resize: resize.Spec{Width: 48, Height: 40}, Color: decode.Gray},
		"rgba":    {Resize: resize.Spec{Width: 48, Height: 40}, Color: decode.RGBA},
	}
	for _, path := range videos(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			v := decodetest.OpenVideo(t, d, spool.File(path), video.OpenOptions{})
			wanted := []int{1, min(12, v.Len()-1)} // near the front, to save time
			native, _ := decodetest.Frames(t, v, wanted, video.Spec{OnDamage: decode.MarkDamage})
			cut := atTheEnds(native)
			for name, spec := range specs {
				spec.OnDamage = decode.MarkDamage
				exact, report := decodetest.Frames(t, v, wanted, spec)
				spec.Resize.Profile = resize.Fast
				fast, same := decodetest.Frames(t, v, wanted, spec)
				require.Equal(t, report.Desc, same.Desc)
				_, mean := decodetest.Worst(t, exact, fast)
				ratio := psnr(exact, fast)
				t.Logf("%s %s %s: mean %.3f, %.1f dB", name, v.Info().PixelFormat, report.Desc.Shape, mean, ratio)
				bound, least := 1.0, 38.0
				switch {
				case strings.HasPrefix(path, media): // drawn, of pure colors with edges
					bound, least = 1.6, 37
				case cut > 0.02:
					bound = 1.2
				}
				assert.LessOrEqual(t, mean, bound, "%s %s", name, v.Info().PixelFormat)
				assert.GreaterOrEqual(t, ratio, least, "%s %s", name, v.Info().PixelFormat)
			}
		})
	}
}
