package avif_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/seed"
)

// FuzzDecode checks that any input gives images or an error with a class.
func FuzzDecode(f *testing.F) {
	mutate.Fuzz(f, lanetest.ReadAll(f, lanetest.Goldens[golden](f)),
		func(t testing.TB, data []byte, knobs uint64) { survive(t, data, knobs) })
}

// TestMutations changes the boxes, the first AV1 data and the rest equally often.
func TestMutations(t *testing.T) {
	random := seed.Rand(t)
	originals := lanetest.ReadAll(t, lanetest.Goldens[golden](t))
	decoded, refused := 0, 0
	for range 2000 {
		data := bytes.Clone(originals[random.IntN(len(originals))])
		start := bytes.Index(data, []byte("mdat")) + 4
		for range 1 + random.IntN(3) {
			at := [3]int{random.IntN(start), min(start+random.IntN(60), len(data)-1), random.IntN(len(data))}[random.IntN(3)]
			switch random.IntN(3) {
			case 0:
				data[at] = byte(random.Uint32())
			case 1:
				data[at] ^= 1 << random.IntN(8)
			case 2: // small, as most numbers of boxes
				data[at] = byte(random.IntN(4))
			}
		}
		if survive(t, data, random.Uint64()) {
			decoded++
		} else {
			refused++
		}
	}
	t.Logf("%d decoded, %d refused", decoded, refused)
	assert.Greater(t, decoded, 200)
	assert.Greater(t, refused, 200)
}

// survive decodes frames, in order or not, and checks what must hold for any input. It reports whether all frames were
// decoded.
func survive(t testing.TB, data []byte, knobs uint64) bool {
	d, err := avif.Open(data)
	if err != nil {
		lanetest.RequireClass(t, err)
		return false
	}
	defer d.Close()
	h := d.Header()
	if h.Width < 1 || h.Height < 1 || h.Frames < 1 || h.Orientation < 1 || h.Orientation > 8 || h.Memory() <= 0 {
		t.Fatalf("impossible header %+v", h)
	}
	if h.Width*h.Height > 1e6 {
		return false
	}
	fuzzed.Accept()
	c, err := call.Enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Leave()
	first := int(knobs & 3)
	for i := range min(h.Frames, 6) {
		target, o := newTarget(t, h, 0, h.Height)
		o.MaxPixels = 1e6
		err := d.Decode(c, (first+i)%h.Frames, o)
		rows := target.Sink.Rows()
		target.Close()
		if err != nil {
			lanetest.RequireClass(t, err)
			return false
		}
		if rows != h.Height {
			t.Fatalf("%d of %d rows, and no error", rows, h.Height)
		}
	}
	return true
}
