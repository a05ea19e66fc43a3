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
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/need"
)

// window returns a sink that keeps the columns [left, right) of the rows [top, bottom). The caller closes it.
func window(t testing.TB, r jpeg.Report, channels, left, top, right, bottom int) (sink *kernel.Sink, dst []byte) {
	t.Helper()
	to := lanetest.NewTarget(t, r.Width, r.Height, lanetest.Form{Channels: channels},
		lanetest.Window{Left: left, Top: top, Right: right, Bottom: bottom})
	return to.Sink, to.Pixels
}

func cropOf(pixels []byte, r jpeg.Report, channels, left, top, right, bottom int) []byte {
	return lanetest.Window{Left: left, Top: top, Right: right, Bottom: bottom}.Of(pixels, r.Width, channels)
}

// A sink's columns and rows equal those of the whole image. Upsampling reads across all borders, so every border is
// tried.
func TestCrops(t *testing.T) {
	for name := range lanetest.Goldens[golden](t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkCrops(t, lanetest.Read(t, name), 400, 40)
		})
	}
}

// The same for larger images.
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

// checkCrops compares random crops with the whole image. Many of them have at most small columns.
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
		require.Equal(t, lanetest.Digest(cropOf(whole, r, 3, left, top, left+w, top+h)), lanetest.Digest(dst),
			"%dx%d+%d+%d of %dx%d", w, h, left, top, r.Width, r.Height)
	}
}

func TestSinkOfAnUnknownImageIsRefused(t *testing.T) {
	sink, _ := window(t, jpeg.Report{Width: 41, Height: 93}, 3, 0, 0, 41, 93)
	defer sink.Close()
	_, err := run(t, lanetest.Read(t, "s420.jpg"), jpeg.Options{Sink: sink.Pointer()})
	assert.ErrorIs(t, err, spool.ErrOptions)
	_, err = run(t, lanetest.Read(t, "s420.jpg"),
		jpeg.Options{Sink: sink.Pointer(), Width: 41, Height: 93, Dst: make([]byte, 1), Stride: 1})
	assert.ErrorIs(t, err, spool.ErrOptions)
}

func TestOptionsAreCheckedAtOnce(t *testing.T) {
	_, err := run(t, lanetest.Read(t, "s420.jpg"), jpeg.Options{Color: 9, First: -1, Stride: -1, Accept: 2})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, part := range []string{"Color 9", "[-1, 0)", "Stride -1", "Accept 2"} {
		assert.ErrorContains(t, err, part)
	}
	_, err = run(t, lanetest.Read(t, "s420.jpg"), jpeg.Options{First: 70000})
	assert.ErrorIs(t, err, spool.ErrOptions)
}

func TestSinkGetsWhatADamagedImageHas(t *testing.T) {
	data := lanetest.Read(t, "s420.jpg")
	whole, r, err := decode(t, data, jpeg.Options{})
	require.NoError(t, err)
	sink, dst := window(t, r, 3, 0, 0, r.Width, r.Height)
	defer sink.Close()
	report, err := run(t, data[:len(data)*3/4],
		jpeg.Options{Sink: sink.Pointer(), Width: r.Width, Height: r.Height, Accept: least})
	require.NoError(t, err)
	require.Greater(t, report.Rows, 15)
	require.Less(t, report.Rows, r.Height)
	assert.Equal(t, report.Rows, sink.Rows())
	row := 3 * r.Width
	assert.Equal(t, lanetest.Digest(whole[:report.Rows*row]), lanetest.Digest(dst[:report.Rows*row]))
}
