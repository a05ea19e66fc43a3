package jpeg_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// golden is the result of torchvision and Pillow for an image in testdata (gen.py).
type golden struct {
	Width, Height int
	Mode          string // Pillow's
	RGB, Gray     string // SHA-256 of torchvision's pixels
}

// run calls jpeg.Decode within a new call.
func run(t testing.TB, data []byte, o jpeg.Options) (jpeg.Report, error) {
	t.Helper()
	return lanetest.Within(t, 0, func(c *call.Call) (jpeg.Report, error) { return jpeg.Decode(c, data, o) })
}

// decode decodes into memory for the whole image.
func decode(t testing.TB, data []byte, o jpeg.Options) ([]byte, jpeg.Report, error) {
	t.Helper()
	h, err := jpeg.ReadHeader(data)
	if err != nil {
		return nil, jpeg.Report{}, err
	}
	o.Dst = make([]byte, h.Width*h.Height*o.Color.Channels())
	report, err := run(t, data, o)
	return o.Dst, report, err
}

// form returns the suite's form for a color.
func form(color jpeg.Color) lanetest.Form {
	return lanetest.Form{Channels: color.Channels(), Other: int(color)}
}

func TestLane(t *testing.T) {
	lanetest.Run(t, lanetest.Lane{
		Open: func(_ testing.TB, _ string, data []byte) (lanetest.Image, error) {
			h, err := jpeg.ReadHeader(data)
			forms := []lanetest.Form{form(jpeg.RGB), form(jpeg.BGR), form(jpeg.Gray)}
			return lanetest.Image{Width: h.Width, Height: h.Height, Forms: forms,
				Decode: func(c *call.Call, o lanetest.Options) (int, error) {
					report, err := jpeg.Decode(c, data, jpeg.Options{Color: jpeg.Color(o.Form.Other),
						Sink: o.Sink, Width: o.Width, Height: o.Height, Dst: o.Dst, Stride: o.Stride, First: o.First, Last: o.Last})
					return report.Rows, err
				}}, err
		},
		Memory: true, Sized: true,
		Files:  slices.Sorted(maps.Keys(lanetest.Goldens[golden](t))),
		Cancel: lanetest.Cancel{Files: []string{"s444.jpg", "p444.jpg", "restart_rows.jpg"}, Rounds: 600},
	})
}
