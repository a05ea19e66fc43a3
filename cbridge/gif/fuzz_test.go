package gif_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/seed"
)

// FuzzDecode checks that any input gives images or an error with a class, and that Decode and an Animation return the
// same first frame.
func FuzzDecode(f *testing.F) {
	mutate.Fuzz(f, lanetest.ReadAll(f, lanetest.Goldens[golden](f)),
		func(t testing.TB, data []byte, knobs uint64) { survive(t, data, knobs&1 != 0) })
}

// TestMutations covers what random bytes do not reach: code streams, frame sizes, disposal.
func TestMutations(t *testing.T) {
	random := seed.Rand(t)
	originals := lanetest.ReadAll(t, lanetest.Goldens[golden](t))
	whole, damaged := 0, 0
	for range 4000 {
		data := bytes.Clone(originals[random.IntN(len(originals))])
		for n := 1 + random.IntN(4); n > 0 && len(data) > 0; n-- {
			at := random.IntN(len(data))
			switch random.IntN(4) {
			case 0:
				data[at] = byte(random.Uint32())
			case 1: // delete some bytes
				data = append(data[:at], data[min(at+1+random.IntN(30), len(data)-1):]...)
			case 2: // repeat some bytes
				data = slices.Concat(data[:at], data[at:min(at+1+random.IntN(200), len(data))], data[at:])
			case 3: // truncate
				data = data[:max(at, len(data)/2)]
			}
		}
		if survive(t, data, random.IntN(2) == 0) {
			whole++
		} else {
			damaged++
		}
	}
	t.Logf("%d whole, %d damaged", whole, damaged)
	assert.Greater(t, whole, 500)
	assert.Greater(t, damaged, 500)
}

// survive decodes all frames and checks what must hold for any input. It reports whether all frames were decoded.
func survive(t testing.TB, data []byte, alpha bool) bool {
	h, err := gif.ReadHeader(data)
	if err != nil {
		lanetest.RequireClass(t, err)
		return false
	}
	if h.Width*h.Height > 1e6 || h.Frames < 1 {
		return false
	}
	fuzzed.Accept()
	channels := 3
	if alpha {
		channels = 4
	}
	c, err := call.Enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Leave()
	still := newTarget(t, h.Width, h.Height, channels)
	defer still.Close()
	still.o.MaxMemory = 64 << 20
	report, first := gif.Decode(c, data, still.o)
	requireReport(t, report, first)

	animation, err := gif.Open(data)
	if err != nil {
		t.Fatalf("the header can be read, the file not opened: %v", err)
	}
	defer animation.Close()
	moving := newTarget(t, h.Width, h.Height, channels)
	defer moving.Close()
	moving.o.MaxMemory = 64 << 20
	report, err = animation.Next(c, moving.o)
	requireReport(t, report, err)
	if (err == nil) != (first == nil) {
		t.Fatalf("alone: %v, as the first of several: %v", first, err)
	}
	if rows := moving.Sink.Rows(); rows != still.Sink.Rows() ||
		!bytes.Equal(still.Pixels[:rows*h.Width*channels], moving.Pixels[:rows*h.Width*channels]) {
		t.Fatalf("the first frame is another one: %d rows, alone %d", rows, still.Sink.Rows())
	}
	for i := 1; i < min(h.Frames, 20) && err == nil; i++ {
		report, err = animation.Next(c, gif.Options{MaxMemory: 64 << 20})
		requireReport(t, report, err)
	}
	return err == nil
}

func requireReport(t testing.TB, report gif.Report, err error) {
	if report.Fraction < 0 || report.Fraction > 1 || err == nil && report.Fraction != 1 {
		t.Fatalf("impossible report %+v, %v", report, err)
	}
	if err != nil {
		lanetest.RequireClass(t, err)
	}
}
