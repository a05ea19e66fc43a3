package jp2_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// golden is an entry of testdata/gen.py's output: Pillow's pixels, except for the differences that doc.go lists.
type golden struct {
	Mode                string // Pillow's
	Width, Height, Bits int
	RGB, RGBA           string // SHA-256 of the pixels
	Wide                string // of 16-bit samples, gray or RGB, little-endian
	Inks                string
	ICC                 int
}

func header(t testing.TB, data []byte) jp2.Header {
	t.Helper()
	h, err := jp2.ReadHeader(data)
	require.NoError(t, err)
	return h
}

// part is a crop of an image.
type part = lanetest.Window

// target is a destination for a crop: memory, a sink that stores its samples unchanged, and the Options to decode to
// it.
type target struct {
	*lanetest.Target
	o jp2.Options
}

func newTarget(t testing.TB, h jp2.Header, p part, channels int, wide bool) *target {
	t.Helper()
	form := lanetest.Form{Channels: channels}
	if wide {
		form.Bits = 16
	}
	to := lanetest.NewTarget(t, h.Width, h.Height, form, p)
	return &target{to, jp2.Options{Sink: to.Sink.Pointer(), Channels: channels, Wide: wide}}
}

func TestLane(t *testing.T) {
	files := lanetest.Goldens[golden](t)
	maps.DeleteFunc(files, func(_ string, g golden) bool { return g.Width > 600 }) // covered by TestParts
	lanetest.Run(t, lanetest.Lane{
		Open: func(_ testing.TB, _ string, data []byte) (lanetest.Image, error) {
			h, err := jp2.ReadHeader(data)
			forms := []lanetest.Form{{Channels: 3}, {Channels: 4}, {Channels: 3, Bits: 16}}
			return lanetest.Image{Width: h.Width, Height: h.Height, Forms: forms,
				Decode: func(c *call.Call, o lanetest.Options) (int, error) {
					report, err := jp2.Decode(c, h,
						jp2.Options{Sink: o.Sink, Channels: o.Form.Channels, Wide: o.Form.Bits == 16})
					return report.Rows, err
				}}, err
		},
		Steps:  5,
		Files:  slices.Sorted(maps.Keys(files)),
		Cancel: lanetest.Cancel{Files: []string{"large.jp2"}, Rounds: 20, Within: 60 * time.Millisecond},
		Cut: []lanetest.Cut{ // the end marker may be missing
			{File: "rgb.jp2", End: 2, Steps: 200}, {File: "tiles.jp2", End: 2, Steps: 200},
			{File: "gray.j2k", End: 2, Steps: 200}, {File: "parts.jp2", End: 2, Steps: 200},
			{File: "palette.jp2", End: 2, Steps: 200},
		},
	})
}

// decode runs jp2.Decode in its own call.
func decode(t testing.TB, h jp2.Header, o jp2.Options) (jp2.Report, error) {
	t.Helper()
	return lanetest.Within(t, 0, func(c *call.Call) (jp2.Report, error) { return jp2.Decode(c, h, o) })
}

// samples decodes a crop of an image.
func samples(t testing.TB, data []byte, p part, channels int, wide bool) ([]byte, error) {
	t.Helper()
	h, err := jp2.ReadHeader(data)
	if err != nil {
		return nil, err
	}
	if p == (part{}) {
		p = lanetest.All(h.Width, h.Height)
	}
	to := newTarget(t, h, p, channels, wide)
	defer to.Close()
	_, err = decode(t, h, to.o)
	return to.Pixels, err
}

func whole(t testing.TB, data []byte, channels int) ([]byte, error) {
	t.Helper()
	return samples(t, data, part{}, channels, false)
}
