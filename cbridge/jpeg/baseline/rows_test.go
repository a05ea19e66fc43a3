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
)

// area is a part of a picture.
type area struct{ left, top, right, bottom int }

func (a area) width() int  { return a.right - a.left }
func (a area) height() int { return a.bottom - a.top }

// window is a sink that keeps an area of a picture, in dst.
func window(t testing.TB, width, height, channels int, a area, dst, scratch []byte) *kernel.Sink {
	t.Helper()
	sink, err := kernel.NewSink(windowPlan(width, height, channels, a), dst, scratch)
	if err != nil { // plainly, for the fuzzer's sake
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

// rows decodes an area with this engine and the whole picture with libjpeg-turbo, and says where they differ.
func (m *comparison) rows(t testing.TB, c *call.Call, e *baseline.Engine, data []byte, gray bool, areas ...area) (baseline.Reason, string) {
	t.Helper()
	l, reason := baseline.ReadLayout(data)
	if reason != baseline.Decoded {
		return reason, ""
	}
	n, color := 3, jpeg.RGB
	if gray {
		n, color = 1, jpeg.Gray
	}
	theirs := sized(&m.theirs, n*l.Width*l.Height)
	report, refusal := jpeg.Decode(c, data, jpeg.Options{Dst: theirs, Color: color})
	for _, a := range areas {
		ours := sized(&m.ours, n*a.width()*a.height())
		plan := windowPlan(l.Width, l.Height, n, a)
		sink := window(t, l.Width, l.Height, n, a, ours, sized(&m.scratch, plan.ScratchBytes()))
		now, err := e.Decode(c, data, baseline.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height, Gray: gray})
		complete := sink.Rows() == a.height()
		sink.Close()
		if err != nil {
			t.Fatal(err)
		}
		if now != baseline.Decoded {
			reason = now
			continue
		}
		if !complete {
			return now, fmt.Sprintf("%+v is not complete", a)
		}
		whole, from, width := theirs, a, l.Width
		if refusal != nil || report.Warnings > 0 { // the area may have none of the damage
			if whole, err = m.part(t, c, data, &l, n, color, a); err != nil {
				return now, fmt.Sprintf("%+v: libjpeg-turbo says %v", a, err)
			}
			from, width = area{0, 0, a.width(), a.height()}, a.width()
		}
		if difference := differs(n, from, ours, whole, width); difference != "" {
			return now, fmt.Sprintf("%+v of %dx%d: %s", a, l.Width, l.Height, difference)
		}
	}
	return reason, ""
}

// part is an area in libjpeg-turbo's pixels. A warning is an error.
func (m *comparison) part(t testing.TB, c *call.Call, data []byte, l *baseline.Layout, n int, color jpeg.Color, a area) ([]byte, error) {
	t.Helper()
	dst := make([]byte, n*a.width()*a.height())
	plan := windowPlan(l.Width, l.Height, n, a)
	sink := window(t, l.Width, l.Height, n, a, dst, sized(&m.scratch, plan.ScratchBytes()))
	defer sink.Close()
	report, err := jpeg.Decode(c, data, jpeg.Options{Sink: sink.Pointer(), Width: l.Width, Height: l.Height, Color: color})
	if err == nil && (report.Warnings > 0 || report.Rows != a.height()) {
		err = fmt.Errorf("%+v", report)
	}
	return dst, err
}

// differs compares ours with an area of theirs, a picture of the width.
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

// someArea is a random part of a picture, a small one as often as not.
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
	r := newRandom(t)
	for name, e := range engines(t) {
		t.Run(name, func(t *testing.T) {
			var m comparison
			c := enter(t)
			count := map[baseline.Reason]int{}
			for i, file := range files(t) {
				data := read(t, file)
				l, reason := baseline.ReadLayout(data)
				if reason != baseline.Decoded || name == "scalar" && l.Width*l.Height > 1e6 {
					continue
				}
				areas := []area{{0, 0, l.Width, l.Height}}
				for range 8 {
					areas = append(areas, someArea(r, l.Width, l.Height))
				}
				reason, difference := m.rows(t, c, e, data, i%4 == 0, areas...)
				assert.Empty(t, difference, file)
				count[reason]++
			}
			t.Log(count)
			assert.Greater(t, count[baseline.Decoded], 40)
		})
	}
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
