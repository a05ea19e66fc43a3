package avif_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "open decoders", Now: avif.Opened})
}

// golden is what Pillow makes of a picture in testdata (gen.py).
type golden struct {
	Width, Height, Orientation int
	Mode                       string                       // Pillow's
	Frames                     []struct{ RGB, RGBA string } // SHA-256 of the pixels
	ICC                        int                          // bytes
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

// open is a decoder that is closed when the test ends.
func open(t testing.TB, data []byte) *avif.Decoder {
	t.Helper()
	d, err := avif.Open(data)
	require.NoError(t, err)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// target is memory for a picture, and a sink that leaves its rows as they come.
type target struct {
	pixels []byte
	sink   *kernel.Sink
	o      avif.Options
}

// newTarget wants rows [first, last).
func newTarget(t testing.TB, h avif.Header, first, last int) *target {
	t.Helper()
	channels := h.Channels()
	rows := last - first
	plan := kernel.Plan{Width: h.Width, Height: h.Height, Channels: channels, Right: h.Width, Top: first,
		H: kernel.Axis{In: h.Width, Out: h.Width}, V: kernel.Axis{In: rows, Out: rows},
		CanvasWidth: h.Width, CanvasHeight: rows, OutChannels: channels, Layout: spool.HWC}
	target := &target{pixels: make([]byte, h.Width*rows*channels)}
	sink, err := kernel.NewSink(&plan, target.pixels, make([]byte, plan.ScratchBytes()))
	if err != nil { // testify would take a good part of a fuzz target's time
		t.Fatal(err)
	}
	target.sink = sink
	target.o = avif.Options{Sink: sink.Pointer(), Width: h.Width, Height: h.Height}
	return target
}

func (t *target) close() { _ = t.sink.Close() }

// decode is Decoder.Decode within a call of its own.
func decode(t testing.TB, d *avif.Decoder, frame int, o avif.Options) error {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	defer c.Leave()
	return d.Decode(c, frame, o)
}

// whole decodes all rows of a frame.
func whole(t testing.TB, d *avif.Decoder, frame int) ([]byte, error) {
	t.Helper()
	h := d.Header()
	target := newTarget(t, h, 0, h.Height)
	defer target.close()
	err := decode(t, d, frame, target.o)
	return target.pixels, err
}

func digest(pixels []byte) string {
	sum := sha256.Sum256(pixels)
	return hex.EncodeToString(sum[:])
}
