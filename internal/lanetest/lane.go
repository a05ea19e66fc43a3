package lanetest

import (
	"testing"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/call"
)

// Form is what a picture's samples are asked for as.
type Form struct {
	Channels int
	Bits     int // 16, else 8
	Other    int // what only the lane knows: an order of channels, a road
}

// Bytes are those of a pixel.
func (f Form) Bytes() int {
	if f.Bits == 16 {
		return 2 * f.Channels
	}
	return f.Channels
}

// Options are what a lane is asked for: the picture to a sink, or to memory where the lane writes that.
type Options struct {
	Form      Form
	Sink      unsafe.Pointer
	Width     int // of the picture that the sink is for
	Height    int
	Dst       []byte
	Stride    int
	First     int // rows to memory; all where both are 0
	Last      int
	MaxMemory int64
}

// Picture is a file that a lane has read the header of.
type Picture struct {
	Width, Height int
	Forms         []Form                                              // the first one is RGB
	Decode        func(c *call.Call, o Options) (rows int, err error) // rows delivered; -1 where the lane does not say
	Close         func()                                              // nil where there is nothing to close
}

// Lane describes the lane of a package.
type Lane struct {
	Open  func(t testing.TB, name string, data []byte) (Picture, error)
	Files []string // of testdata, whole pictures of all kinds

	Steps int // rows of a picture that windows begin at; 0: 37

	Memory bool // the lane writes to memory as well as to sinks
	Begins bool // rows above the first wanted one count as delivered
	Sized  bool // a sink comes with the size of its picture

	Cancel Cancel
	Cut    []Cut
}

// Run holds a lane to what all lanes promise.
func Run(t *testing.T, l Lane) {
	t.Run("ended", l.ended)
	t.Run("cancelled at random", l.cancelled)
	t.Run("windows", l.windows)
	if l.Sized {
		t.Run("another picture", l.another)
	}
	if len(l.Cut) > 0 {
		t.Run("cuts", l.cuts)
	}
	if l.Memory {
		t.Run("rows", l.rows)
		t.Run("stride", l.stride)
		t.Run("destinations", l.destinations)
	}
}

// open reads a picture of testdata, which is closed when the test ends.
func (l Lane) open(t testing.TB, name string) Picture {
	t.Helper()
	p, err := l.Open(t, name, Read(t, name))
	if err != nil {
		t.Fatal(name, err)
	}
	t.Cleanup(p.close)
	return p
}

func (p Picture) close() {
	if p.Close != nil {
		p.Close()
	}
}

// window decodes a window to a sink, and gives how many rows the lane and the sink have counted.
func (p Picture) window(t testing.TB, c *call.Call, f Form, w Window) (pixels []byte, delivered, stored int, err error) {
	t.Helper()
	target := NewTarget(t, p.Width, p.Height, f, w)
	defer target.Close()
	delivered, err = p.Decode(c, Options{Form: f, Sink: target.Sink.Pointer(), Width: p.Width, Height: p.Height})
	stored = target.Sink.Rows()
	if delivered < 0 {
		delivered = stored
	}
	return target.Pixels, delivered, stored, err
}

// whole decodes the first form in a call of its own.
func (p Picture) whole(t testing.TB) ([]byte, error) {
	t.Helper()
	return Within(t, 0, func(c *call.Call) ([]byte, error) {
		pixels, _, _, err := p.window(t, c, p.Forms[0], All(p.Width, p.Height))
		return pixels, err
	})
}
