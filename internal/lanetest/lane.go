package lanetest

import (
	"testing"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/call"
)

// Form is the requested format of an image's samples.
type Form struct {
	Channels int
	Bits     int // 16, else 8
	Other    int // specific to the lane, such as an order of channels or an engine
}

// Bytes returns the bytes of a pixel.
func (f Form) Bytes() int {
	if f.Bits == 16 {
		return 2 * f.Channels
	}
	return f.Channels
}

// Options are the request to a lane. The image goes to a sink, or to memory if the lane supports that.
type Options struct {
	Form      Form
	Sink      unsafe.Pointer
	Width     int // of the image that the sink expects
	Height    int
	Dst       []byte
	Stride    int
	First     int // rows to memory; all if both are 0
	Last      int
	MaxMemory int64
}

// Image is a file whose header a lane has read.
type Image struct {
	Width, Height int
	Forms         []Form                                              // the first is RGB
	Decode        func(c *call.Call, o Options) (rows int, err error) // rows delivered; -1 if not reported
	Close         func()                                              // nil if nothing needs closing
}

// Lane describes the lane of a package.
type Lane struct {
	Open  func(t testing.TB, name string, data []byte) (Image, error)
	Files []string // of testdata: undamaged images of all kinds

	Steps int // number of rows at which windows begin; 0: 37

	Memory bool // the lane also writes to memory
	Begins bool // rows above the window count as delivered
	Sized  bool // the lane is passed the size of the sink's image

	Cancel Cancel
	Cut    []Cut
}

// Run checks what all lanes guarantee.
func Run(t *testing.T, l Lane) {
	t.Run("ended", l.ended)
	t.Run("cancelled at random", l.cancelled)
	t.Run("windows", l.windows)
	if l.Sized {
		t.Run("another size", l.otherSize)
	}
	if len(l.Cut) > 0 {
		t.Run("cuts", l.truncations)
	}
	if l.Memory {
		t.Run("rows", l.rows)
		t.Run("stride", l.stride)
		t.Run("destinations", l.destinations)
	}
}

// open reads an image of testdata, which is closed when the test ends.
func (l Lane) open(t testing.TB, name string) Image {
	t.Helper()
	p, err := l.Open(t, name, Read(t, name))
	if err != nil {
		t.Fatal(name, err)
	}
	t.Cleanup(p.close)
	return p
}

func (p Image) close() {
	if p.Close != nil {
		p.Close()
	}
}

// window decodes a window to a sink, and returns the numbers of rows that the lane and the sink have counted.
func (p Image) window(t testing.TB, c *call.Call, f Form, w Window) (
	pixels []byte, delivered, stored int, err error,
) {
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

// whole decodes the first form in a new call.
func (p Image) whole(t testing.TB) ([]byte, error) {
	t.Helper()
	return Within(t, 0, func(c *call.Call) ([]byte, error) {
		pixels, _, _, err := p.window(t, c, p.Forms[0], All(p.Width, p.Height))
		return pixels, err
	})
}
