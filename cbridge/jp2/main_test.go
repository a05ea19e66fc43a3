package jp2_test

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
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// golden is what testdata/gen.py says of a picture: Pillow's pixels, but for the differences that doc.go lists.
type golden struct {
	Mode                string // Pillow's
	Width, Height, Bits int
	RGB, RGBA           string // SHA-256 of the pixels
	Wide                string // of 16-bit samples, gray or RGB, little-endian
	Inks                string
	ICC                 int
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

func header(t testing.TB, data []byte) jp2.Header {
	t.Helper()
	h, err := jp2.ReadHeader(data)
	require.NoError(t, err)
	return h
}

// part is rows and columns of a picture.
type part struct{ left, top, right, bottom int }

// target is memory for a part of a picture, and a sink that leaves its samples as they come.
type target struct {
	pixels []byte
	sink   *kernel.Sink
	o      jp2.Options
}

func newTarget(t testing.TB, h jp2.Header, p part, channels int, wide bool) *target {
	t.Helper()
	w, rows := p.right-p.left, p.bottom-p.top
	plan := kernel.Plan{Width: h.Width, Height: h.Height, Channels: channels, Left: p.left, Right: p.right, Top: p.top,
		H: kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: rows, Out: rows},
		CanvasWidth: w, CanvasHeight: rows, OutChannels: channels, Layout: spool.HWC}
	bytes := 1
	if wide {
		plan.Bits, plan.DType, bytes = 16, spool.Uint16, 2
	}
	target := &target{pixels: make([]byte, w*rows*channels*bytes)}
	sink, err := kernel.NewSink(&plan, target.pixels, make([]byte, plan.ScratchBytes()))
	if err != nil { // testify would take a good part of a fuzz target's time
		t.Fatal(err)
	}
	target.sink = sink
	target.o = jp2.Options{Sink: sink.Pointer(), Channels: channels, Wide: wide}
	return target
}

func (t *target) close() { _ = t.sink.Close() }

// decode is jp2.Decode within a call of its own.
func decode(t testing.TB, h jp2.Header, o jp2.Options) (jp2.Report, error) {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	defer c.Leave()
	return jp2.Decode(c, h, o)
}

// samples decodes a part of a picture.
func samples(t testing.TB, data []byte, p part, channels int, wide bool) ([]byte, error) {
	t.Helper()
	h, err := jp2.ReadHeader(data)
	if err != nil {
		return nil, err
	}
	if p == (part{}) {
		p = part{0, 0, h.Width, h.Height}
	}
	to := newTarget(t, h, p, channels, wide)
	defer to.close()
	_, err = decode(t, h, to.o)
	return to.pixels, err
}

func whole(t testing.TB, data []byte, channels int) ([]byte, error) {
	t.Helper()
	return samples(t, data, part{}, channels, false)
}

func digest(pixels []byte) string {
	sum := sha256.Sum256(pixels)
	return hex.EncodeToString(sum[:])
}
