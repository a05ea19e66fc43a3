package webp_test

import (
	"maps"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

// golden holds the results of torchvision and Pillow for the images in testdata (gen.py).
type golden struct {
	Width, Height int
	Mode          string   // Pillow's
	RGB, RGBA     string   // SHA-256 of the pixels
	Frames        []string // for an animation: of each frame, RGBA
}

// stills returns the images of testdata that are not animations.
func stills(t testing.TB) map[string]golden {
	t.Helper()
	files := lanetest.Goldens[golden](t)
	for name, g := range files {
		if g.Frames != nil {
			delete(files, name)
		}
	}
	return files
}

func header(t testing.TB, data []byte) webp.Header {
	t.Helper()
	h, err := webp.ReadHeader(data)
	require.NoError(t, err)
	return h
}

// target is memory for rows of an image, with a sink that writes to it.
type target struct {
	*lanetest.Target
	planes *kernel.Planes
}

func newTarget(t testing.TB, h webp.Header, channels, top, bottom int) *target {
	t.Helper()
	rows := lanetest.Window{Top: top, Right: h.Width, Bottom: bottom}
	return &target{Target: lanetest.NewTarget(t, h.Width, h.Height, lanetest.Form{Channels: channels}, rows)}
}

// inPlanes puts a planes sink before the row sink.
func (to *target) inPlanes(t testing.TB, h webp.Header) unsafe.Pointer {
	t.Helper()
	var err error
	to.planes, err = planesBefore(to.Sink.Pointer(), h)
	require.NoError(t, err)
	return to.planes.Pointer()
}

func planesBefore(sink unsafe.Pointer, h webp.Header) (*kernel.Planes, error) {
	plan := kernel.PlanesPlan{Rule: kernel.RuleWebP, Width: h.Width, Height: h.Height, SubX: 2, SubY: 2}
	return kernel.NewPlanes(&plan, sink, make([]byte, plan.ScratchBytes()))
}

func (to *target) close(t testing.TB) {
	if to.planes != nil {
		require.NoError(t, to.planes.Close())
	}
	require.NoError(t, to.Sink.Close())
}

// inPlanes is the lanetest layout of a lossy image that is decoded through planes.
const inPlanes = 1

func TestLane(t *testing.T) {
	lanetest.Run(t, lanetest.Lane{
		Open: func(_ testing.TB, _ string, data []byte) (lanetest.Image, error) {
			h, err := webp.ReadHeader(data)
			forms := []lanetest.Form{{Channels: 3}, {Channels: 4}}
			if !h.Lossless {
				forms = append([]lanetest.Form{{Channels: 3, Other: inPlanes}}, forms...)
			}
			return lanetest.Image{Width: h.Width, Height: h.Height, Forms: forms,
				Decode: func(c *call.Call, o lanetest.Options) (int, error) {
					h, options := h, webp.Options{Channels: o.Form.Channels, Sink: o.Sink}
					h.Width, h.Height = o.Width, o.Height
					if o.Form.Other == inPlanes {
						planes, err := planesBefore(o.Sink, h)
						if err != nil {
							return 0, err
						}
						defer planes.Close()
						options = webp.Options{Planes: planes.Pointer()}
					}
					report, err := webp.Decode(c, data, h, options)
					return report.Rows, err
				}}, err
		},
		Begins: true, Sized: true,
		Files:  slices.Sorted(maps.Keys(stills(t))),
		Cancel: lanetest.Cancel{Whole: true, Files: []string{"large.webp"}, Rounds: 200, Within: 2 * time.Millisecond},
	})
}

// run runs webp.Decode in its own call.
func run(t testing.TB, data []byte, h webp.Header, o webp.Options) (webp.Report, error) {
	t.Helper()
	return lanetest.Within(t, 0, func(c *call.Call) (webp.Report, error) { return webp.Decode(c, data, h, o) })
}

// decodeRows decodes the rows [top, bottom), through planes if the image supports it.
func decodeRows(t testing.TB, data []byte, h webp.Header, top, bottom int,
	o webp.Options) ([]byte, webp.Report, error) {
	t.Helper()
	to := newTarget(t, h, max(o.Channels, 3), top, bottom)
	defer to.close(t)
	if h.Lossless || o.Channels != 0 {
		o.Sink = to.Sink.Pointer()
	} else {
		o.Planes = to.inPlanes(t, h)
	}
	report, err := run(t, data, h, o)
	return to.Pixels, report, err
}

func decode(t testing.TB, data []byte, o webp.Options) ([]byte, webp.Report, error) {
	t.Helper()
	h := header(t, data)
	return decodeRows(t, data, h, 0, h.Height, o)
}
