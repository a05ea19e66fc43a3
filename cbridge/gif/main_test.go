package gif_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// golden is what Pillow and torchvision make of a picture in testdata (gen.py).
type golden struct {
	Width, Height, Loops int
	Frames               []struct {
		RGB, RGBA string // SHA-256 of the pixels
		Delay     int    `json:"delay_ms"`
	}
	Torchvision string // of the first frame as RGB; empty where it refuses the file
}

func goldens(t testing.TB) map[string]golden {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.json")
	require.NoError(t, err)
	var file struct{ Files map[string]golden }
	require.NoError(t, json.Unmarshal(text, &file))
	require.NotEmpty(t, file.Files)
	return file.Files
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

// picture is memory for a picture, and a sink that leaves it as it comes.
type picture struct {
	pixels []byte
	sink   *kernel.Sink
	o      gif.Options
}

func newPicture(t testing.TB, width, height, channels int) *picture {
	t.Helper()
	plan := kernel.Plan{Width: width, Height: height, Channels: channels, Right: width,
		H: kernel.Axis{In: width, Out: width}, V: kernel.Axis{In: height, Out: height},
		CanvasWidth: width, CanvasHeight: height, OutChannels: channels, Layout: spool.HWC}
	p := &picture{pixels: make([]byte, width*height*channels)}
	sink, err := kernel.NewSink(&plan, p.pixels, make([]byte, plan.ScratchBytes()))
	if err != nil { // testify would take a good part of a fuzz target's time
		t.Fatal(err)
	}
	p.sink = sink
	p.o = gif.Options{Sink: sink.Pointer(), Width: width, Height: height, Channels: channels}
	return p
}

func (p *picture) close() { _ = p.sink.Close() }

// enter is a call that ends with the test.
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
	p := newPicture(t, h.Width, h.Height, channels)
	defer p.close()
	c := enter(t)
	defer c.Leave()
	report, err := gif.Decode(c, data, p.o)
	return p.pixels, report, err
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
		p := newPicture(t, h.Width, h.Height, channels)
		report, err := a.Next(c, p.o)
		p.close()
		require.NoError(t, err)
		list, reports = append(list, p.pixels), append(reports, report)
	}
	_, err = a.Next(c, gif.Options{})
	require.ErrorIs(t, err, spool.ErrNoSuchFrame)
	return list, reports
}

func digest(pixels []byte) string {
	sum := sha256.Sum256(pixels)
	return hex.EncodeToString(sum[:])
}
