package jpeg_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/need"
)

// window is a sink that keeps the columns [left, right) of the rows [top, bottom). It is to be closed.
func window(t testing.TB, r jpeg.Report, channels, left, top, right, bottom int) (sink *kernel.Sink, dst []byte) {
	t.Helper()
	w, h := right-left, bottom-top
	plan := &kernel.Plan{
		Width: r.Width, Height: r.Height, Channels: channels,
		Left: left, Right: right, Top: top,
		H: kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: h, Out: h},
		CanvasWidth: w, CanvasHeight: h, OutChannels: channels, DType: spool.Uint8, Layout: spool.HWC,
	}
	dst = make([]byte, w*h*channels)
	sink, err := kernel.NewSink(plan, dst, make([]byte, plan.ScratchBytes()))
	if err != nil { // plainly, for the fuzzer's sake
		t.Fatal(err)
	}
	return sink, dst
}

func cut(pixels []byte, r jpeg.Report, channels, left, top, right, bottom int) []byte {
	var out []byte
	for y := top; y < bottom; y++ {
		out = append(out, pixels[(y*r.Width+left)*channels:(y*r.Width+right)*channels]...)
	}
	return out
}

func TestSinkGetsTheRows(t *testing.T) {
	for name := range goldens(t) {
		for _, color := range []jpeg.Color{jpeg.RGB, jpeg.BGR, jpeg.Gray} {
			data := read(t, name)
			whole, r, err := decode(t, data, jpeg.Options{Color: color})
			require.NoError(t, err)
			n := color.Channels()
			for _, w := range [][4]int{{0, 0, r.Width, r.Height}, {r.Width / 3, r.Height / 2, r.Width, r.Height}, {0, r.Height / 4, (r.Width + 1) / 2, r.Height/4 + 1}} {
				sink, dst := window(t, r, n, w[0], w[1], w[2], w[3])
				defer sink.Close()
				report, err := run(t, data, jpeg.Options{Color: color, Sink: sink.Pointer(), Width: r.Width, Height: r.Height})
				require.NoError(t, err, name)
				assert.Equal(t, w[3]-w[1], report.Rows)
				assert.Equal(t, w[3]-w[1], sink.Rows())
				require.Equal(t, digest(cut(whole, r, n, w[0], w[1], w[2], w[3])), digest(dst), "%s: window %v", name, w)
			}
		}
	}
}

// Columns beside those that a sink looks at are left out, and rows above and below: what comes is what the
// whole picture has there. Upsampling looks across all borders, so that every one has to be tried.
func TestCrops(t *testing.T) {
	for name := range goldens(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkCrops(t, read(t, name), 400, 40)
		})
	}
}

// The same of larger pictures.
func TestCropsOfSharedMedia(t *testing.T) {
	names, err := filepath.Glob(need.Media(t, "photos") + "/*.jpg")
	require.NoError(t, err)
	for _, folder := range []string{"hard", "formats"} {
		more, err := filepath.Glob(need.Media(t, folder) + "/*.jpg")
		require.NoError(t, err)
		names = append(names, more...)
	}
	for i, name := range names {
		if data, err := os.ReadFile(name); err == nil && (i%10 == 0 || !strings.Contains(name, "photos")) {
			if h, err := jpeg.ReadHeader(data); err == nil && h.Width*h.Height < 1e6 {
				checkCrops(t, data, 6, h.Width)
			}
		}
	}
}

// checkCrops compares crops at random with the whole, a good part of them of at most small columns.
func checkCrops(t *testing.T, data []byte, crops, small int) {
	whole, r, err := decode(t, data, jpeg.Options{Accept: least})
	if err != nil || r.Truncated {
		return
	}
	random := rand.New(rand.NewPCG(uint64(len(data)), 3))
	for range crops {
		w, h := 1+random.IntN(min(r.Width, small)), 1+random.IntN(r.Height)
		left, top := random.IntN(r.Width-w+1), random.IntN(r.Height-h+1)
		sink, dst := window(t, r, 3, left, top, left+w, top+h)
		defer sink.Close()
		report, err := run(t, data, jpeg.Options{Sink: sink.Pointer(), Width: r.Width, Height: r.Height})
		require.NoError(t, err)
		require.Equal(t, h, report.Rows)
		require.Equal(t, digest(cut(whole, r, 3, left, top, left+w, top+h)), digest(dst), "%dx%d+%d+%d of %dx%d", w, h, left, top, r.Width, r.Height)
	}
}

func TestSinkOfAnotherPictureIsRefused(t *testing.T) {
	r := jpeg.Report{Width: 41, Height: 93}
	for _, size := range [][2]int{{40, 93}, {41, 92}, {93, 41}} {
		sink, _ := window(t, r, 3, 0, 0, 41, 93)
		defer sink.Close()
		_, err := run(t, read(t, "s420.jpg"), jpeg.Options{Sink: sink.Pointer(), Width: size[0], Height: size[1]})
		assert.ErrorIs(t, err, spool.ErrShape)
		_, err = run(t, read(t, "s420.jpg"), jpeg.Options{Sink: sink.Pointer()})
		assert.ErrorIs(t, err, spool.ErrOptions)
		_, err = run(t, read(t, "s420.jpg"), jpeg.Options{Sink: sink.Pointer(), Width: 41, Height: 93, Dst: make([]byte, 1), Stride: 1})
		assert.ErrorIs(t, err, spool.ErrOptions)
	}
}

func TestSinkGetsWhatADamagedPictureHas(t *testing.T) {
	data := read(t, "s420.jpg")
	whole, r, err := decode(t, data, jpeg.Options{})
	require.NoError(t, err)
	sink, dst := window(t, r, 3, 0, 0, r.Width, r.Height)
	defer sink.Close()
	report, err := run(t, data[:len(data)*3/4], jpeg.Options{Sink: sink.Pointer(), Width: r.Width, Height: r.Height, Accept: least})
	require.NoError(t, err)
	require.Greater(t, report.Rows, 15)
	require.Less(t, report.Rows, r.Height)
	assert.Equal(t, report.Rows, sink.Rows())
	row := 3 * r.Width
	assert.Equal(t, digest(whole[:report.Rows*row]), digest(dst[:report.Rows*row]))
}
