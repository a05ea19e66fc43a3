package jpeg_test

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jpeg"
)

// FuzzDecode: whatever the bytes are, the answer is a picture or an error with a class, and the rows of a
// part are those of the whole. C tells the fuzzer nothing of where it went, so that most of what it
// tries ends in the header: TestMutations aims behind it.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jpg")
	if err != nil {
		f.Fatal(err)
	}
	for i, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint8(i), uint8(0))
		f.Add(data[:len(data)*(i%7+2)/9], uint8(i), uint8(1+i*8))
	}
	f.Fuzz(func(t *testing.T, data []byte, first, accept uint8) { survive(t, data, first, accept) })
}

func TestMutations(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var originals [][]byte
	for _, name := range slices.Sorted(maps.Keys(goldens(t))) {
		originals = append(originals, read(t, name))
	}
	var decoded, warned, accepted int
	for range 4000 {
		data := bytes.Clone(originals[random.IntN(len(originals))])
		scan := bytes.Index(data, []byte{0xFF, 0xDA})
		for range 1 + random.IntN(4) {
			at := scan + random.IntN(len(data)-scan)
			switch random.IntN(5) {
			case 0: // any byte, tables and frame included
				data[random.IntN(len(data))] = byte(random.Uint32())
			case 1:
				data[at] = byte(random.Uint32())
			case 2: // a marker where none belongs
				copy(data[at:], []byte{0xFF, 0xC0 + byte(random.IntN(64))})
			case 3: // a piece lost
				data = append(data[:at], data[min(at+1+random.IntN(30), len(data)):]...)
			case 4: // a piece twice
				piece := data[at:min(at+1+random.IntN(200), len(data))]
				data = slices.Concat(data[:at], piece, data[at:])
			}
			scan = min(scan, len(data)-1)
		}
		report := survive(t, data, byte(random.Uint32()), byte(random.Uint32()*uint32(random.IntN(2))))
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

// survive decodes the whole picture and a part of it, and checks what must hold for any input.
func survive(t *testing.T, data []byte, first, accept uint8) jpeg.Report {
	h, err := jpeg.ReadHeader(data)
	if err != nil {
		requireClass(t, err)
		return jpeg.Report{}
	}
	if h.Width*h.Height > 1e6 {
		return jpeg.Report{}
	}
	o := jpeg.Options{Color: jpeg.Color(first % 3), Accept: float64(accept) / 255, MaxMemory: 64 << 20}
	row := h.Width * o.Color.Channels()
	o.Dst = make([]byte, row*h.Height)
	report, err := run(t, data, o)
	if report.Rows < 0 || report.Rows > h.Height || report.Fraction < 0 || report.Fraction > 1 {
		t.Fatalf("impossible report %+v", report)
	}
	if err != nil {
		requireClass(t, err)
		return report
	}
	if !report.Truncated && (report.Rows != h.Height || report.Fraction != 1) {
		t.Fatalf("a whole picture of %d rows has %d", h.Height, report.Rows)
	}
	part := o
	part.First = int(first) * h.Height / 256
	part.Dst = make([]byte, row*(h.Height-part.First))
	again, err := run(t, data, part)
	rows := max(report.Rows-part.First, 0)
	// Whether the last row above a cut is final is known in time only where it has not been delivered.
	if lost := rows - again.Rows; err != nil || lost != 0 && (!report.Truncated || lost < -1 || lost > 1) {
		t.Fatalf("from row %d: %+v, %v; the whole: %+v", part.First, again, err, report)
	}
	same := min(again.Rows, rows) * row
	if !bytes.Equal(o.Dst[part.First*row:][:same], part.Dst[:same]) {
		t.Fatalf("rows from %d on are not those of the whole", part.First)
	}
	return report
}

func requireClass(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, spool.ErrInternal) || spool.ClassOf(err) == "" {
		t.Fatalf("not an error of the input: %v", err)
	}
}
