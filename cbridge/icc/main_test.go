package icc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m,
		leaktest.Count{Name: "bytes of C memory", Now: mem.InUse},
		leaktest.Count{Name: "bytes of lcms memory", Now: icc.InUse},
	)
}

const side = 32 // of the images in testdata, in pixels

func enter(t testing.TB) *call.Call {
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	t.Cleanup(c.Leave)
	return c
}

// rows returns an image of side rows with the pixels of testdata, in the format of the options.
func rows(pixels []byte, o icc.Options) []byte {
	var out []byte
	for ; len(pixels) > 0; pixels = pixels[4:] {
		for c := range o.Channels {
			v := pixels[c]
			if o.Color == icc.Gray && c < 3 {
				v = pixels[0]
			}
			out = append(out, v)
			if o.Bits == 16 {
				out = append(out, v) // multiplied by 257, in any byte order
			}
		}
	}
	return out
}

// keep returns a sink that stores its rows: side rows of row bytes, as gray.
func keep(t testing.TB, row int) (*kernel.Sink, []byte) {
	sink, out, done := kept(t, row)
	t.Cleanup(done)
	return sink, out
}

func kept(t testing.TB, row int) (sink *kernel.Sink, out []byte, done func()) {
	plan := kernel.Plan{Width: row, Height: side, Channels: 1, Right: row, H: kernel.Axis{In: row, Out: row},
		V: kernel.Axis{In: side, Out: side}, CanvasWidth: row, CanvasHeight: side, OutChannels: 1, Layout: spool.HWC}
	out = make([]byte, row*side)
	sink, err := kernel.NewSink(&plan, out, make([]byte, plan.ScratchBytes()))
	if err != nil {
		t.Fatal(err)
	}
	return sink, out, func() { sink.Close() }
}

func newTransforms(t testing.TB) *icc.Transforms {
	var transforms icc.Transforms
	t.Cleanup(func() { transforms.Close() })
	return &transforms
}

// convert pushes rows through a sink, in strips of n rows, and returns the output.
func convert(t testing.TB, c *call.Call, transforms *icc.Transforms, profile, in []byte, o icc.Options,
	n int) ([]byte, error) {
	row := len(in) / side
	outRow := row
	if o.Color == icc.CMYK {
		outRow = row / 4 * 3
	}
	next, out := keep(t, outRow)
	sink, err := transforms.NewSink(c, next.Pointer(), profile, o)
	if err != nil {
		return nil, err
	}
	defer sink.Close()
	for y := 0; y < side; y += n {
		enough, err := sink.Push(in[y*row:], row, min(n, side-y))
		require.NoError(t, err)
		require.Equal(t, y+n >= side, enough)
	}
	return out, nil
}
