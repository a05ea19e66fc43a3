package webp_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// golden is what torchvision and Pillow make of the pictures in testdata (gen.py).
type golden struct {
	Width, Height int
	Mode          string   // Pillow's
	RGB, RGBA     string   // SHA-256 of the pixels
	Frames        []string // of an animation: of each frame, RGBA
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

// stills are the pictures of testdata that are no animation.
func stills(t testing.TB) map[string]golden {
	t.Helper()
	files := goldens(t)
	for name, g := range files {
		if g.Frames != nil {
			delete(files, name)
		}
	}
	return files
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return data
}

func header(t testing.TB, data []byte) webp.Header {
	t.Helper()
	h, err := webp.ReadHeader(data)
	require.NoError(t, err)
	return h
}

// rowsOf is a plan that keeps the rows [top, bottom) of a picture.
func rowsOf(width, height, channels, top, bottom int) *kernel.Plan {
	return &kernel.Plan{Width: width, Height: height, Channels: channels, Right: width, Top: top,
		H: kernel.Axis{In: width, Out: width}, V: kernel.Axis{In: bottom - top, Out: bottom - top},
		CanvasWidth: width, CanvasHeight: bottom - top, OutChannels: channels, Layout: spool.HWC}
}

// target is memory for some rows of a picture, with a sink that writes there.
type target struct {
	pixels []byte
	sink   *kernel.Sink
	planes *kernel.Planes
}

func newTarget(t testing.TB, h webp.Header, channels, top, bottom int) *target {
	t.Helper()
	plan := rowsOf(h.Width, h.Height, channels, top, bottom)
	to := &target{pixels: make([]byte, h.Width*(bottom-top)*channels)}
	var err error
	to.sink, err = kernel.NewSink(plan, to.pixels, make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	return to
}

// inPlanes puts a planes sink before the row sink.
func (to *target) inPlanes(t testing.TB, h webp.Header) unsafe.Pointer {
	t.Helper()
	plan := kernel.PlanesPlan{Rule: kernel.RuleWebP, Width: h.Width, Height: h.Height, SubX: 2, SubY: 2}
	var err error
	to.planes, err = kernel.NewPlanes(&plan, to.sink.Pointer(), make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	return to.planes.Pointer()
}

func (to *target) close(t testing.TB) {
	if to.planes != nil {
		require.NoError(t, to.planes.Close())
	}
	require.NoError(t, to.sink.Close())
}

// run is webp.Decode within a call of its own.
func run(t testing.TB, data []byte, h webp.Header, o webp.Options) (webp.Report, error) {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	defer c.Leave()
	return webp.Decode(c, data, h, o)
}

// decodeRows decodes the rows [top, bottom), by way of planes where the picture can be had in planes.
func decodeRows(t testing.TB, data []byte, h webp.Header, top, bottom int, o webp.Options) ([]byte, webp.Report, error) {
	t.Helper()
	to := newTarget(t, h, max(o.Channels, 3), top, bottom)
	defer to.close(t)
	if h.Lossless || o.Channels != 0 {
		o.Sink = to.sink.Pointer()
	} else {
		o.Planes = to.inPlanes(t, h)
	}
	report, err := run(t, data, h, o)
	return to.pixels, report, err
}

func decode(t testing.TB, data []byte, o webp.Options) ([]byte, webp.Report, error) {
	t.Helper()
	h := header(t, data)
	return decodeRows(t, data, h, 0, h.Height, o)
}

func digest(pixels []byte) string {
	sum := sha256.Sum256(pixels)
	return hex.EncodeToString(sum[:])
}
