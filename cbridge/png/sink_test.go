package png_test

import (
	"bytes"
	"image"
	stdpng "image/png"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/png"
)

// window is a sink that keeps the columns [left, right) of the rows [top, bottom).
func window(t testing.TB, h png.Header, o png.Options, left, top, right, bottom int) (sink *kernel.Sink, dst []byte) {
	t.Helper()
	w, n := right-left, bottom-top
	plan := &kernel.Plan{
		Width: h.Width, Height: h.Height, Channels: o.Channels, Bits: o.Bits,
		Left: left, Right: right, Top: top,
		H: kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: n, Out: n},
		CanvasWidth: w, CanvasHeight: n, OutChannels: o.Channels, DType: spool.Uint8, Layout: spool.HWC,
	}
	if o.Bits == 16 {
		plan.DType = spool.Uint16
	}
	dst = make([]byte, w*n*pixelBytes(o))
	sink, err := kernel.NewSink(plan, dst, make([]byte, plan.ScratchBytes()))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, sink.Close()) })
	return sink, dst
}

func TestSinkGetsTheRows(t *testing.T) {
	for name := range goldens(t) {
		data := read(t, name)
		h, err := png.ReadHeader(data)
		require.NoError(t, err)
		for _, o := range asked(h) {
			whole, _, err := decode(t, data, o)
			require.NoError(t, err)
			n := pixelBytes(o)
			for _, w := range [][4]int{{0, 0, h.Width, h.Height}, {h.Width / 3, h.Height / 2, h.Width, h.Height}, {0, h.Height / 4, (h.Width + 1) / 2, h.Height/4 + 1}} {
				sink, dst := window(t, h, o, w[0], w[1], w[2], w[3])
				o.Sink, o.Width, o.Height = sink.Pointer(), h.Width, h.Height
				report, err := run(t, data, o)
				require.NoError(t, err, name)
				assert.Equal(t, w[3]-w[1], report.Rows)
				var want []byte
				for y := w[1]; y < w[3]; y++ {
					want = append(want, whole[(y*h.Width+w[0])*n:(y*h.Width+w[2])*n]...)
				}
				require.Equal(t, want, dst, "%s: window %v of %d channels, %d bits", name, w, o.Channels, o.Bits)
			}
		}
	}
}

func TestRowsAreThoseOfTheWholePicture(t *testing.T) {
	for name := range goldens(t) {
		data := read(t, name)
		whole, all, err := decode(t, data, png.Options{})
		require.NoError(t, err)
		row := 3 * all.Width
		for first := range all.Height {
			for _, last := range []int{first + 1, first + 5, all.Height} {
				if last > all.Height {
					continue
				}
				dst := make([]byte, (last-first)*row)
				report, err := run(t, data, png.Options{Dst: dst, First: first, Last: last})
				require.NoError(t, err)
				require.Equal(t, last-first, report.Rows)
				require.Equal(t, whole[first*row:last*row], dst, "%s: rows [%d, %d)", name, first, last)
			}
		}
	}
}

// Of blocks that are stored and not compressed, libdeflate writes all or nothing.
func TestRowsOfStoredBlocks(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 250, 300))
	random := rand.New(rand.NewPCG(6, 7))
	for i := range img.Pix {
		img.Pix[i] = uint8(random.Uint32()) | 0xff*uint8(i%4/3)
	}
	for _, level := range []stdpng.CompressionLevel{stdpng.NoCompression, stdpng.BestSpeed, stdpng.DefaultCompression} {
		var file bytes.Buffer
		require.NoError(t, (&stdpng.Encoder{CompressionLevel: level}).Encode(&file, img))
		for first := 0; first < 300; first += 7 {
			dst := make([]byte, 2*3*250)
			_, err := run(t, file.Bytes(), png.Options{Dst: dst, First: first, Last: first + 2})
			require.NoError(t, err)
			for i := range 2 * 250 {
				require.Equal(t, img.Pix[4*(first*250+i):][:3], dst[3*i:][:3], "level %d, row %d, pixel %d", level, first, i)
			}
		}
	}
}

func TestStride(t *testing.T) {
	data := read(t, "rgb8.png")
	whole, all, err := decode(t, data, png.Options{})
	require.NoError(t, err)
	row, stride := 3*all.Width, 3*all.Width+13
	dst := make([]byte, stride*(all.Height-1)+row)
	for i := range dst {
		dst[i] = 0xAB
	}
	_, err = run(t, data, png.Options{Dst: dst, Stride: stride})
	require.NoError(t, err)
	for y := range all.Height {
		require.Equal(t, whole[y*row:(y+1)*row], dst[y*stride:y*stride+row])
		if y < all.Height-1 {
			for _, b := range dst[y*stride+row : (y+1)*stride] {
				require.EqualValues(t, 0xAB, b, "written between the rows")
			}
		}
	}
}

func TestDestinationsThatDoNotFit(t *testing.T) {
	data := read(t, "rgb8.png") // 33x21
	const row = 3 * 33
	for name, o := range map[string]png.Options{
		"none":            {},
		"a byte short":    {Dst: make([]byte, 21*row-1)},
		"narrow stride":   {Dst: make([]byte, 21*row), Stride: row - 1},
		"rows below":      {Dst: make([]byte, 50*row), First: 10, Last: 22},
		"first row below": {Dst: make([]byte, 50*row), First: 22},
	} {
		_, err := run(t, data, o)
		assert.ErrorIs(t, err, spool.ErrShape, name)
	}
	h := png.Header{Width: 33, Height: 21}
	for _, size := range [][2]int{{32, 21}, {33, 20}, {21, 33}} {
		sink, _ := window(t, h, png.Options{Channels: 3, Bits: 8}, 0, 0, 33, 21)
		_, err := run(t, data, png.Options{Sink: sink.Pointer(), Width: size[0], Height: size[1]})
		assert.ErrorIs(t, err, spool.ErrShape)
		_, err = run(t, data, png.Options{Sink: sink.Pointer()})
		assert.ErrorIs(t, err, spool.ErrOptions)
	}
}

func TestOptionsAreCheckedAtOnce(t *testing.T) {
	_, err := run(t, read(t, "rgb8.png"), png.Options{Channels: 2, Bits: 12, First: -1, Stride: -1, Accept: 2})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, part := range []string{"2 Channels", "12 Bits", "[-1, 0)", "Stride -1", "Accept 2"} {
		assert.ErrorContains(t, err, part)
	}
}
