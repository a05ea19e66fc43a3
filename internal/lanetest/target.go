package lanetest

import (
	"testing"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// Window is a range of columns and a range of rows of an image.
type Window struct{ Left, Top, Right, Bottom int }

// All returns the window of a whole image.
func All(width, height int) Window { return Window{0, 0, width, height} }

// Of returns the window's samples. pixels is a whole image with rows of width pixels, and bytes is the size of a pixel.
func (w Window) Of(pixels []byte, width, bytes int) (part []byte) {
	for y := w.Top; y < w.Bottom; y++ {
		part = append(part, pixels[(y*width+w.Left)*bytes:(y*width+w.Right)*bytes]...)
	}
	return part
}

// Target is memory for a window of an image, and a sink that stores its samples unchanged.
type Target struct {
	Pixels []byte
	Sink   *kernel.Sink
}

// Plan returns the plan of a sink that stores a window of an image of 8 or 16 bits unchanged.
func Plan(width, height int, f Form, w Window) *kernel.Plan {
	columns, rows := w.Right-w.Left, w.Bottom-w.Top
	plan := &kernel.Plan{Width: width, Height: height, Channels: f.Channels, Left: w.Left, Right: w.Right, Top: w.Top,
		H: kernel.Axis{In: columns, Out: columns}, V: kernel.Axis{In: rows, Out: rows},
		CanvasWidth: columns, CanvasHeight: rows, OutChannels: f.Channels, Layout: spool.HWC}
	if f.Bits == 16 {
		plan.Bits, plan.DType = 16, spool.Uint16
	}
	return plan
}

// NewTarget allocates memory for the result of a plan. The caller closes it.
func NewTarget(t testing.TB, width, height int, f Form, w Window) *Target {
	t.Helper()
	plan := Plan(width, height, f, w)
	target := &Target{Pixels: make([]byte, (w.Right-w.Left)*(w.Bottom-w.Top)*f.Bytes())}
	sink, err := kernel.NewSink(plan, target.Pixels, make([]byte, plan.ScratchBytes()))
	if err != nil { // testify would dominate a fuzz target's time
		t.Fatal(err)
	}
	target.Sink = sink
	return target
}

// Close closes the sink.
func (t *Target) Close() { _ = t.Sink.Close() }
