package webp_test

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
)

// FuzzDecode: any bytes give an image or an error with a class. Planes give the result of the library's own conversion,
// and the pixels of a window equal those of the whole.
func FuzzDecode(f *testing.F) {
	mutate.Fuzz(f, mutate.Files(f, 4<<10, "testdata/*.webp"), survive)
}

// survive decodes a fuzzer's input, and checks the invariants that hold for any input.
func survive(t testing.TB, data []byte, knobs uint64) {
	h, err := webp.ReadHeader(data)
	if err != nil {
		requireClass(t, err)
		return
	}
	if h.Width*h.Height > 1<<20 || h.Frames < 1 && h.Animated {
		return
	}
	fuzzed.Accept()
	c, err := call.Enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Leave()
	if h.Animated {
		surviveFrames(t, c, data, h)
		return
	}
	o := webp.Options{MaxMemory: 64 << 20, Accept: float64(knobs%3) / 4}
	all := lanetest.All(h.Width, h.Height)
	whole, report, err := decodePart(t, c, data, h, all, o, false)
	checkReport(t, h, report, err)
	rgb, again, againErr := decodePart(t, c, data, h, all, o, !h.Lossless)
	checkReport(t, h, again, againErr)
	if o.Accept == 0 && (err == nil) != (againErr == nil) {
		t.Fatalf("rows: %+v, %v; planes: %+v, %v", report, err, again, againErr)
	}
	if err != nil || againErr != nil {
		return
	}
	row := 3 * h.Width
	if n := (min(report.Rows, again.Rows) - 1) * row; n > 0 && !bytes.Equal(whole[:n], rgb[:n]) {
		t.Fatal("planes give other pixels than rows")
	}
	window := lanetest.Window{Left: int(knobs>>16&0xffff) % h.Width, Top: int(knobs>>8&0xff) % h.Height, Bottom: h.Height}
	window.Right = window.Left + 1 + int(knobs>>32&0xffff)%(h.Width-window.Left)
	if report.Damaged { // the sink of a part of the columns has not stored the last rows
		window.Left, window.Right = 0, h.Width
	}
	part, some, err := decodePart(t, c, data, h, window, o, !h.Lossless)
	checkReport(t, h, some, err)
	n := (report.Rows - window.Top - 2) * (window.Right - window.Left) * 3
	if err == nil && n > 0 && !bytes.Equal(window.Of(whole, h.Width, 3)[:n], part[:n]) {
		t.Fatalf("%+v has other pixels", window)
	}
}

func checkReport(t testing.TB, h webp.Header, r webp.Report, err error) {
	if r.Rows < 0 || r.Rows > h.Height || r.Fraction < 0 || r.Fraction > 1 || r.Damaged && err != nil {
		t.Fatalf("impossible report %+v, %v", r, err)
	}
	if err != nil {
		requireClass(t, err)
	}
}

// decodePart decodes a window. It avoids testify, which is slow in a loop.
func decodePart(t testing.TB, c *call.Call, data []byte, h webp.Header, w lanetest.Window, o webp.Options,
	planes bool) ([]byte, webp.Report, error) {
	pixels := make([]byte, (w.Right-w.Left)*(w.Bottom-w.Top)*3)
	rows := lanetest.Plan(h.Width, h.Height, lanetest.Form{Channels: 3}, w)
	sink, err := kernel.NewSink(rows, pixels, make([]byte, rows.ScratchBytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	o.Sink = sink.Pointer()
	if planes {
		plan := kernel.PlanesPlan{Width: h.Width, Height: h.Height, SubX: 2, SubY: 2}
		s, err := kernel.NewPlanes(&plan, sink.Pointer(), make([]byte, plan.ScratchBytes()))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		o.Sink, o.Planes = unsafe.Pointer(nil), s.Pointer()
	}
	report, err := webp.Decode(c, data, h, o)
	return pixels, report, err
}

func surviveFrames(t testing.TB, c *call.Call, data []byte, h webp.Header) {
	a, err := webp.OpenAnimation(data, h, 64<<20)
	if err != nil {
		requireClass(t, err)
		return
	}
	defer a.Close()
	pixels := make([]byte, h.Width*h.Height*4)
	for range min(h.Frames, 16) {
		rows := lanetest.Plan(h.Width, h.Height, lanetest.Form{Channels: 4}, lanetest.All(h.Width, h.Height))
		sink, err := kernel.NewSink(rows, pixels, make([]byte, rows.ScratchBytes()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Next(c, webp.Options{Sink: sink.Pointer()})
		sink.Close()
		if err != nil {
			requireClass(t, err)
			return
		}
	}
}
