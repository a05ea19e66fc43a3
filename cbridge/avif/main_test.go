package avif_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "open decoders", Now: avif.Opened})
}

// golden has Pillow's results for an image in testdata (gen.py).
type golden struct {
	Width, Height, Orientation int
	Mode                       string                       // Pillow's
	Frames                     []struct{ RGB, RGBA string } // SHA-256 of the pixels
	ICC                        int                          // bytes
}

// open opens a decoder, and closes it when the test ends.
func open(t testing.TB, data []byte) *avif.Decoder {
	t.Helper()
	d, err := avif.Open(data)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// newTarget returns a target whose sink needs rows [first, last).
func newTarget(t testing.TB, h avif.Header, first, last int) (*lanetest.Target, avif.Options) {
	t.Helper()
	target := lanetest.NewTarget(t, h.Width, h.Height, lanetest.Form{Channels: h.Channels()},
		lanetest.Window{Top: first, Right: h.Width, Bottom: last})
	return target, avif.Options{Sink: target.Sink.Pointer(), Width: h.Width, Height: h.Height}
}

// decode calls Decoder.Decode within a new call.
func decode(t testing.TB, d *avif.Decoder, frame int, o avif.Options) error {
	t.Helper()
	_, err := lanetest.Within(t, 0, func(c *call.Call) (any, error) { return nil, d.Decode(c, frame, o) })
	return err
}

// whole decodes all rows of a frame.
func whole(t testing.TB, d *avif.Decoder, frame int) ([]byte, error) {
	t.Helper()
	target, o := newTarget(t, d.Header(), 0, d.Header().Height)
	defer target.Close()
	err := decode(t, d, frame, o)
	return target.Pixels, err
}

func TestLane(t *testing.T) {
	lanetest.Run(t, lanetest.Lane{
		Open: func(_ testing.TB, _ string, data []byte) (lanetest.Image, error) {
			d, err := avif.Open(data)
			if err != nil {
				return lanetest.Image{}, err
			}
			h := d.Header()
			forms := []lanetest.Form{{Channels: h.Channels()}, {Channels: h.Channels(), Bits: 16}}
			return lanetest.Image{Width: h.Width, Height: h.Height, Forms: forms,
				Decode: func(c *call.Call, o lanetest.Options) (int, error) {
					return -1, d.Decode(c, 0,
						avif.Options{Sink: o.Sink, Width: o.Width, Height: o.Height, Wide: o.Form.Bits == 16})
				}, Close: func() { _ = d.Close() }}, nil
		},
		Sized: true,
		Files: []string{
			"420_full.avif", "422_limited.avif", "420a_limited.avif", "420_10bit.avif", "420_12bit.avif",
			"444_full.avif", "400_full.avif",
		},
		Cancel: lanetest.Cancel{Whole: true, Files: []string{"420_full.avif"}, Rounds: 200, Closes: true},
		// The first frame is stored first in the sequence, in the bytes before End.
		Cut: []lanetest.Cut{
			{File: "420_full.avif", Steps: 100}, {File: "444a_full.avif", Steps: 100},
			{File: "sequence.avif", End: 1296, Steps: 100},
		},
	})
}
