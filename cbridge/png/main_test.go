package png_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// golden holds the results of torchvision and Pillow for the images in testdata (gen.py).
type golden struct {
	Width, Height    int
	Mode             string // Pillow's
	RGB, RGB16, RGBA string // SHA-256 of the pixels; empty without a reference
	Frames           []string
}

// run runs png.Decode in its own call.
func run(t testing.TB, data []byte, o png.Options) (png.Report, error) {
	t.Helper()
	return lanetest.Within(t, 0, func(c *call.Call) (png.Report, error) { return png.Decode(c, data, o) })
}

// decode decodes to memory for the whole image.
func decode(t testing.TB, data []byte, o png.Options) ([]byte, png.Report, error) {
	t.Helper()
	h, err := png.ReadHeader(data)
	if err != nil {
		return nil, png.Report{}, err
	}
	o.Dst = make([]byte, h.Width*h.Height*pixelBytes(o))
	report, err := run(t, data, o)
	return o.Dst, report, err
}

func pixelBytes(o png.Options) int {
	n := 3
	if o.Channels > 0 {
		n = o.Channels
	}
	if o.Bits == 16 {
		n *= 2
	}
	return n
}

func TestLane(t *testing.T) {
	lanetest.Run(t, lanetest.Lane{
		Open: func(_ testing.TB, _ string, data []byte) (lanetest.Image, error) {
			h, err := png.ReadHeader(data)
			forms := []lanetest.Form{{Channels: 3}}
			for _, o := range asked(h) {
				if o.Channels == 3 && o.Bits == 8 {
					continue
				}
				forms = append(forms, lanetest.Form{Channels: o.Channels, Bits: o.Bits})
			}
			return lanetest.Image{Width: h.Width, Height: h.Height, Forms: forms,
				Decode: func(c *call.Call, o lanetest.Options) (int, error) {
					report, err := png.Decode(c, data, png.Options{Channels: o.Form.Channels, Bits: o.Form.Bits,
						Sink: o.Sink, Width: o.Width, Height: o.Height, Dst: o.Dst, Stride: o.Stride, First: o.First, Last: o.Last})
					return report.Rows, err
				}}, err
		},
		Memory: true, Sized: true,
		Files:  append([]string{"rgb8.png"}, slices.Sorted(maps.Keys(lanetest.Goldens[golden](t)))...),
		Cancel: lanetest.Cancel{Whole: true, Files: []string{"rgb8.png", "rgb8_adam7.png"}, Rounds: 300},
	})
}
