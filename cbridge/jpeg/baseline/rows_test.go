package baseline_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

// area is a rectangle of an image.
type area struct{ left, top, right, bottom int }

func (a area) width() int  { return a.right - a.left }
func (a area) height() int { return a.bottom - a.top }

// window returns a sink that keeps an area of an image in dst.
func window(t testing.TB, width, height, channels int, a area, dst, scratch []byte) *kernel.Sink {
	t.Helper()
	sink, err := kernel.NewSink(windowPlan(width, height, channels, a), dst, scratch)
	if err != nil { // testify would slow down the fuzzer
		t.Fatal(err)
	}
	return sink
}

func windowPlan(width, height, channels int, a area) *kernel.Plan {
	w, h := a.width(), a.height()
	return &kernel.Plan{
		Width: width, Height: height, Channels: channels, Left: a.left, Right: a.right, Top: a.top,
		H: kernel.Axis{In: w, Out: w}, V: kernel.Axis{In: h, Out: h},
		CanvasWidth: w, CanvasHeight: h, OutChannels: channels, DType: spool.Uint8, Layout: spool.HWC,
	}
}

// rows decodes areas with some engines and the whole image with libjpeg-turbo, and describes where they differ. The
// returned reason is that of the first area.
func (m *comparison) rows(t testing.TB, c *call.Call, data []byte, gray bool, areas []area,
	engines ...*baseline.Engine) (baseline.Reason, string) {
	t.Helper()
	l, reason := baseline.ReadLayout(data)
	if reason != baseline.Decoded {
		return reason, ""
	}
	n, color := 3, jpeg.RGB
	if gray {
		n, color = 1, jpeg.Gray
	}
	whole := sized(&m.theirs, n*l.Width*l.Height)
	report, refusal := jpeg.Decode(c, data, jpeg.Options{Dst: whole, Color: color})
	for i, a := range areas {
		theirs, from, width, damaged := whole, a, l.Width, refusal != nil || report.Warnings > 0
		var first baseline.Reason
		for k, e := range engines {
			now, ours := m.engineArea(t, c, e, data, &l, n, a)
			switch {
			case k == 0:
				first = now
			case now != first:
				return now, fmt.Sprintf("%+v: engine %d says %s, the ones before %s", a, k, now, first)
			}
			if now != baseline.Decoded {
				continue
			}
			if damaged { // the area may not be damaged
				theirs, from, width = m.turboArea(t, c, data, &l, n, color, a), area{0, 0, a.width(), a.height()}, a.width()
				damaged = false
			}
			if theirs == nil {
				return now, fmt.Sprintf("%+v: libjpeg-turbo refuses it, or warns", a)
			}
			if difference := differs(n, from, ours, theirs, width); difference != "" {
				return now, fmt.Sprintf("%+v of %dx%d, engine %d: %s", a, l.Width, l.Height, k, difference)
			}
		}
		if i == 0 {
			reason = first
		}
	}
	return reason, ""
}

// engineArea returns an area in the engine's pixels.
func (m *comparison) engineArea(t testing.TB, c *call.Call, e *baseline.Engine, data []byte, l *baseline.Layout, n int,
	a area) (baseline.Reason, []byte) {
	t.Helper()
	ours := sized(&m.ours, n*a.width()*a.height())
	plan := windowPlan(l.Width, l.Height, n, a)
	sink := window(t, l.Width, l.Height, n, a, ours, sized(&m.scratch, plan.ScratchBytes()))
	defer sink.Close()
	reason, err := e.Decode(c, data,
		baseline.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height, Gray: n == 1})
	if err != nil {
		t.Fatal(err)
	}
	if reason == baseline.Decoded && sink.Rows() != a.height() {
		t.Fatalf("%+v: %d rows", a, sink.Rows())
	}
	return reason, ours
}

// turboArea returns an area in libjpeg-turbo's pixels, or nothing if it fails or warns.
func (m *comparison) turboArea(t testing.TB, c *call.Call, data []byte, l *baseline.Layout, n int, color jpeg.Color,
	a area) []byte {
	t.Helper()
	dst := make([]byte, n*a.width()*a.height())
	plan := windowPlan(l.Width, l.Height, n, a)
	sink := window(t, l.Width, l.Height, n, a, dst, sized(&m.scratch, plan.ScratchBytes()))
	defer sink.Close()
	report, err := jpeg.Decode(c, data, jpeg.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height, Color: color})
	if err != nil || report.Warnings > 0 || report.Rows != a.height() {
		return nil
	}
	return dst
}

// differs compares ours with an area of theirs, an image of this width.
func differs(n int, a area, ours, theirs []byte, width int) string {
	row := a.width() * n
	for y := range a.height() {
		x, z := ours[y*row:][:row], theirs[((a.top+y)*width+a.left)*n:][:row]
		if !bytes.Equal(x, z) {
			for i := range row {
				if x[i] != z[i] {
					return fmt.Sprintf("row %d, column %d, channel %d: %d, not %d", a.top+y, a.left+i/n, i%n, x[i], z[i])
				}
			}
		}
	}
	return ""
}

// someArea returns a random area of an image. Half of them are small.
func someArea(r *rand.Rand, width, height int) area {
	side := func(n int) (from, to int) {
		size := 1 + r.IntN(n)
		if r.IntN(2) == 0 {
			size = 1 + r.IntN(min(n, 40))
		}
		from = r.IntN(n - size + 1)
		return from, from + size
	}
	var a area
	a.left, a.right = side(width)
	a.top, a.bottom = side(height)
	return a
}

func TestRowsOfFiles(t *testing.T) {
	r, all := seed.Rand(t), engines(t)
	var m comparison
	c := enter(t)
	count := map[baseline.Reason]int{}
	for i, file := range files(t) {
		data := read(t, file)
		l, reason := baseline.ReadLayout(data)
		if reason != baseline.Decoded {
			continue
		}
		some := all
		if testing.Short() && (i%5 != 0 || l.Width*l.Height > 1e6) {
			continue
		}
		if l.Width*l.Height > 1e6 { // the best and the scalar kernels
			some = []*baseline.Engine{all[len(all)-1], all[i%len(all)]}
		}
		areas := []area{{0, 0, l.Width, l.Height}}
		more := 8
		if testing.Short() {
			more = 2
		}
		for range more {
			areas = append(areas, someArea(r, l.Width, l.Height))
		}
		reason, difference := m.rows(t, c, data, i%4 == 0, areas, some...)
		assert.Empty(t, difference, file)
		count[reason]++
	}
	t.Log(count)
	assert.Greater(t, count[baseline.Decoded], short.Of(40, 10))
}

func TestMisuse(t *testing.T) {
	var e baseline.Engine
	defer e.Close()
	c, data := enter(t), read(t, "../testdata/s420.jpg")
	all := area{0, 0, 41, 93}
	plan := windowPlan(41, 93, 3, all)
	for _, size := range [][2]int{{40, 93}, {41, 92}, {93, 41}, {0, 0}} {
		sink := window(t, 41, 93, 3, all, make([]byte, 3*41*93), make([]byte, plan.ScratchBytes()))
		_, err := e.Decode(c, data, baseline.Options{Sink: sink.Pointer(), Width: size[0], Height: size[1]})
		require.ErrorIs(t, err, spool.ErrShape)
		sink.Close()
	}
	_, err := e.Decode(c, data, baseline.Options{Width: 41, Height: 93})
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = e.Planes(c, data, make([]byte, 100))
	require.ErrorIs(t, err, spool.ErrShape)
}
