package gif_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// golden has the results of Pillow and torchvision for an image in testdata (gen.py).
type golden struct {
	Width, Height, Loops int
	Frames               []struct {
		RGB, RGBA string // SHA-256 of the pixels
		Delay     int    `json:"delay_ms"`
	}
	Torchvision string // of the first frame as RGB; empty if torchvision rejects the file
}

// target is a buffer for an image, a sink that stores rows unchanged, and the options to decode to it.
type target struct {
	*lanetest.Target
	o gif.Options
}

func newTarget(t testing.TB, width, height, channels int) *target {
	t.Helper()
	to := lanetest.NewTarget(t, width, height, lanetest.Form{Channels: channels}, lanetest.All(width, height))
	return &target{to, gif.Options{Sink: to.Sink.Pointer(), Width: width, Height: height, Channels: channels}}
}

func TestLane(t *testing.T) {
	lanetest.Run(t, lanetest.Lane{
		Open: func(_ testing.TB, _ string, data []byte) (lanetest.Image, error) {
			h, err := gif.ReadHeader(data)
			forms := []lanetest.Form{{Channels: 3}, {Channels: 4}}
			return lanetest.Image{Width: h.Width, Height: h.Height, Forms: forms,
				Decode: func(c *call.Call, o lanetest.Options) (int, error) {
					_, err := gif.Decode(c, data,
						gif.Options{Sink: o.Sink, Width: o.Width, Height: o.Height, Channels: o.Form.Channels})
					return -1, err
				}}, err
		},
		Sized: true,
		Files: []string{
			"waves.gif", "noise.gif", "small_blocks.gif", "offset.gif",
			"interlaced17.gif", "full_table.gif",
		},
		Cancel: lanetest.Cancel{Whole: true, Files: []string{"waves.gif", "noise.gif"}, Rounds: 200},
	})
}

// enter enters a call. The caller calls Leave.
func enter(t testing.TB) *call.Call {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	return c
}

// first decodes the first frame.
func first(t testing.TB, data []byte, channels int) ([]byte, gif.Report, error) {
	t.Helper()
	h, err := gif.ReadHeader(data)
	require.NoError(t, err)
	p := newTarget(t, h.Width, h.Height, channels)
	defer p.Close()
	c := enter(t)
	defer c.Leave()
	report, err := gif.Decode(c, data, p.o)
	return p.Pixels, report, err
}

// frames composes all frames.
func frames(t testing.TB, data []byte, channels int) (list [][]byte, reports []gif.Report) {
	t.Helper()
	h, err := gif.ReadHeader(data)
	require.NoError(t, err)
	a, err := gif.Open(data)
	require.NoError(t, err)
	defer a.Close()
	c := enter(t)
	defer c.Leave()
	for range h.Frames {
		p := newTarget(t, h.Width, h.Height, channels)
		report, err := a.Next(c, p.o)
		p.Close()
		require.NoError(t, err)
		list, reports = append(list, p.Pixels), append(reports, report)
	}
	_, err = a.Next(c, gif.Options{})
	require.ErrorIs(t, err, spool.ErrNoSuchFrame)
	return list, reports
}
