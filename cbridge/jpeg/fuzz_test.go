package jpeg_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/seed"
)

// FuzzDecode checks that any input gives an image or an error with a class, and that a crop equals that range of the
// whole image. Half of the mutations hit the header, so TestMutations mutates the data after it.
func FuzzDecode(f *testing.F) {
	mutate.Fuzz(f, lanetest.ReadAll(f, lanetest.Goldens[golden](f)),
		func(t testing.TB, data []byte, knobs uint64) { survive(t, data, knobs) })
}

func TestMutations(t *testing.T) {
	random := seed.Rand(t)
	originals := lanetest.ReadAll(t, lanetest.Goldens[golden](t))
	var decoded, warned, accepted int
	for range 4000 {
		data := bytes.Clone(originals[random.IntN(len(originals))])
		scan := bytes.Index(data, []byte{0xFF, 0xDA})
		for range 1 + random.IntN(4) {
			at := scan + random.IntN(len(data)-scan)
			switch random.IntN(5) {
			case 0: // any byte, including tables and frame
				data[random.IntN(len(data))] = byte(random.Uint32())
			case 1:
				data[at] = byte(random.Uint32())
			case 2: // a marker at an invalid position
				copy(data[at:], []byte{0xFF, 0xC0 + byte(random.IntN(64))})
			case 3: // a range is removed
				data = append(data[:at], data[min(at+1+random.IntN(30), len(data)):]...)
			case 4: // a range is repeated
				piece := data[at:min(at+1+random.IntN(200), len(data))]
				data = slices.Concat(data[:at], piece, data[at:])
			}
			scan = min(scan, len(data)-1)
		}
		report := survive(t, data, random.Uint64()&^(0xFF*uint64(random.IntN(2))))
		if report.Rows > 0 {
			decoded++
		}
		if report.Warnings > 0 {
			warned++
		}
		if report.Truncated && report.Rows > 0 {
			accepted++
		}
	}
	t.Logf("%d with rows, %d with warnings, %d cut short", decoded, warned, accepted)
	assert.Greater(t, decoded, 1000)
	assert.Greater(t, warned, 500)
}

// survive decodes the whole image and a crop of it, and checks what must hold for any input. Each byte of knobs is a
// choice: the accepted fraction, the color, and left, top, right and bottom of the crop.
func survive(t testing.TB, data []byte, knobs uint64) jpeg.Report {
	h, err := jpeg.ReadHeader(data)
	if err != nil {
		lanetest.RequireClass(t, err)
		return jpeg.Report{}
	}
	if h.Width*h.Height > 1e6 {
		return jpeg.Report{}
	}
	fuzzed.Accept()
	o := jpeg.Options{Color: jpeg.Color(knobs >> 8 % 3), Accept: float64(knobs%256) / 255, MaxMemory: 64 << 20}
	n := o.Color.Channels()
	row := h.Width * n
	o.Dst = make([]byte, row*h.Height)
	c, err := call.Enter(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Leave()
	report, err := jpeg.Decode(c, data, o)
	if report.Rows < 0 || report.Rows > h.Height || report.Fraction < 0 || report.Fraction > 1 {
		t.Fatalf("impossible report %+v", report)
	}
	if err != nil {
		lanetest.RequireClass(t, err)
		return report
	}
	if !report.Truncated && (report.Rows != h.Height || report.Fraction != 1) {
		t.Fatalf("a whole image of %d rows has %d", h.Height, report.Rows)
	}

	at := func(knob uint64, from, to int) int { return from + int(knob%256)*(to-from)/256 }
	left, top := at(knobs>>16, 0, h.Width), at(knobs>>24, 0, h.Height)
	right, bottom := at(knobs>>32, left, h.Width)+1, at(knobs>>40, top, h.Height)+1
	sink, part := window(t, report, n, left, top, right, bottom)
	again, err := jpeg.Decode(c, data, jpeg.Options{Color: o.Color, Accept: o.Accept, MaxMemory: o.MaxMemory,
		Sink: sink.Pointer(), Width: h.Width, Height: h.Height})
	stored := sink.Rows()
	sink.Close()
	// The last row above a cut may be delivered before it is known to be incomplete.
	rows := min(max(report.Rows-top, 0), bottom-top)
	if lost := rows - again.Rows; err != nil || lost != 0 && (!report.Truncated || lost < -1 || lost > 1) {
		t.Fatalf("%d columns from %d, %d rows from %d: %+v, %v; the whole: %+v", right-left, left, bottom-top, top, again,
			err, report)
	}
	if rows = min(rows, again.Rows, stored); !bytes.Equal(cropOf(o.Dst, report, n, left, top, right, top+rows),
		part[:rows*(right-left)*n]) {
		t.Fatalf("%d columns from %d, %d rows from %d are not those of the whole", right-left, left, bottom-top, top)
	}
	return report
}
