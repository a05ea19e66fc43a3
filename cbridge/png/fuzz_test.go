package png_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/lanetest"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/seed"
)

// FuzzDecode: any bytes give an image or an error with a class, rows of a part equal those of the whole, and libpng
// agrees. Most mutated files have a wrong CRC: FuzzChunks gets past the CRCs.
func FuzzDecode(f *testing.F) {
	mutate.Fuzz(f, small(f), func(t testing.TB, data []byte, knobs uint64) {
		survive(t, data, byte(knobs), byte(knobs>>8))
	})
}

// FuzzChunks is FuzzDecode with the CRCs of all chunks corrected.
func FuzzChunks(f *testing.F) {
	mutate.Fuzz(f, small(f), func(t testing.TB, data []byte, knobs uint64) {
		survive(t, mutate.Sealed(data), byte(knobs), byte(knobs>>8))
	})
}

// small returns the images of testdata without the largest.
func small(t testing.TB) (files [][]byte) {
	for _, name := range slices.Sorted(maps.Keys(lanetest.Goldens[golden](t))) {
		if data := lanetest.Read(t, name); len(data) < 3000 {
			files = append(files, data)
		}
	}
	return files
}

func TestMutations(t *testing.T) {
	random := seed.Rand(t)
	originals := lanetest.ReadAll(t, lanetest.Goldens[golden](t))
	var decoded, damaged, warned int
	for range 6000 {
		data := bytes.Clone(originals[random.IntN(len(originals))])
		for range 1 + random.IntN(4) {
			at := 8 + random.IntN(len(data)-8)
			switch random.IntN(5) {
			case 0, 1:
				data[at] = byte(random.Uint32())
			case 2: // flip a bit
				data[at] ^= 1 << random.IntN(8)
			case 3: // remove a piece
				data = append(data[:at], data[min(at+1+random.IntN(30), len(data)):]...)
			case 4: // repeat a piece
				piece := data[at:min(at+1+random.IntN(200), len(data))]
				data = slices.Concat(data[:at], piece, data[at:])
			}
			if len(data) < 20 {
				break
			}
		}
		if random.IntN(4) > 0 {
			data = mutate.Sealed(data)
		}
		report := survive(t, data, byte(random.Uint32()), byte(random.Uint32()*uint32(random.IntN(2))))
		if report.Rows > 0 {
			decoded++
		}
		if report.Damaged && report.Rows > 0 {
			damaged++
		}
		if report.Warnings > 0 {
			warned++
		}
	}
	t.Logf("%d with rows, %d with damage, %d with warnings", decoded, damaged, warned)
	assert.Greater(t, decoded, 1000)
	assert.Greater(t, damaged, 200)
	assert.Greater(t, warned, 200)
}

// survive decodes the whole image, a part of it and the first frames of an animation, and checks the invariants that
// hold for any input.
func survive(t testing.TB, data []byte, first, accept uint8) png.Report {
	h, err := png.ReadHeader(data)
	if err != nil {
		lanetest.RequireClass(t, err)
		requireRefused(t, data, err)
		return png.Report{}
	}
	h.Profile()
	if h.Width*h.Height > 1e5 || h.Width > 1e4 {
		return png.Report{}
	}
	fuzzed.Accept()
	asked := asked(h)
	o := asked[int(first)%len(asked)]
	o.Accept, o.MaxMemory = float64(accept)/255, 16<<20
	row := h.Width * pixelBytes(o)
	o.Dst = make([]byte, row*h.Height)
	report, err := run(t, data, o)
	if report.Rows < 0 || report.Rows > h.Height || report.Fraction < 0 || report.Fraction > 1 {
		t.Fatalf("impossible report %+v", report)
	}
	frames(t, data, h, first)
	agree(t, data, h)
	if err != nil {
		lanetest.RequireClass(t, err)
		return report
	}
	if !report.Damaged && (report.Rows != h.Height || report.Fraction != 1) {
		t.Fatalf("a whole image of %d rows has %d", h.Height, report.Rows)
	}
	part := o
	part.First = int(first) * h.Height / 256
	part.Last = min(h.Height, part.First+1+int(accept)%16)
	part.Dst = make([]byte, row*(part.Last-part.First))
	again, err := run(t, data, part)
	rows := min(max(report.Rows-part.First, 0), part.Last-part.First)
	if report.Damaged && err != nil {
		return report
	}
	if err != nil || again.Rows != rows {
		t.Fatalf("rows [%d, %d): %+v, %v; the whole: %+v", part.First, part.Last, again, err, report)
	}
	if !bytes.Equal(o.Dst[part.First*row:][:rows*row], part.Dst[:rows*row]) {
		t.Fatalf("rows from %d on are not those of the whole", part.First)
	}
	return report
}

// agree compares with libpng, called as in torchvision. Two differences are allowed, and counted. This package may
// accept a stream that neither libpng nor Go inflates, if the size of the image and the checksum are right. It skips
// chunks whose names break PNG's rules, as libpng 1.6.39 and Pillow do; newer versions of libpng refuse them.
func agree(t testing.TB, data []byte, h png.Header) {
	ours, theirs := make([]byte, h.Width*h.Height*3), make([]byte, h.Width*h.Height*3)
	report, err := run(t, data, png.Options{Dst: ours})
	bare := floor.PNG(data, theirs)
	switch {
	case (err == nil) == (bare == nil):
	case err != nil || report.Libpng || inflates(data) && wellNamed(data):
		t.Fatalf("libpng: %v, here: %v, %+v", bare, err, report)
	case !inflates(data):
		fuzzed.Disagree("zlib refuses a stream that libdeflate reads")
	default:
		fuzzed.Disagree("libpng refuses the name of a chunk")
	}
	if err == nil && bare == nil && !bytes.Equal(ours, theirs) {
		t.Fatalf("not libpng's pixels: %+v", report)
	}
}

// chunks yields the names and contents of complete chunks.
func chunks(data []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for at := 8; at+12 <= len(data); {
			n := int(binary.BigEndian.Uint32(data[at:]))
			if n > len(data)-at-12 || !yield(string(data[at+4:at+8]), data[at+8:at+8+n]) {
				return
			}
			at += 12 + n
		}
	}
}

// inflates reports whether Go inflates the chunks of pixels. Go is as strict as zlib.
func inflates(data []byte) bool {
	var pixels []byte
	for name, content := range chunks(data) {
		if name == "IDAT" {
			pixels = append(pixels, content...)
		} else if len(pixels) > 0 {
			break
		}
	}
	r, err := zlib.NewReader(bytes.NewReader(pixels))
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	return err == nil
}

// wellNamed reports whether the third letter of all names is a capital (PNG specification 5.4).
func wellNamed(data []byte) bool {
	for name := range chunks(data) {
		if name[2] >= 'a' {
			return false
		}
	}
	return true
}

// requireRefused checks that libpng refuses the header, too.
func requireRefused(t testing.TB, data []byte, err error) {
	if floor.PNG(data, make([]byte, 1<<16)) == nil {
		t.Fatalf("libpng decodes what is refused: %v", err)
	}
}

func frames(t testing.TB, data []byte, h png.Header, first uint8) {
	if h.Frames < 2 || h.Interlaced && h.Width*h.Height > 1e4 {
		return
	}
	a, err := png.OpenAnimation(data, 16<<20)
	if err != nil {
		lanetest.RequireClass(t, err)
		return
	}
	defer a.Close()
	o := png.Options{Channels: []int{4, 3, 1}[int(first)%3]}
	if h.Channels() > 2 {
		o.Channels = max(o.Channels, 3)
	}
	o.Dst = make([]byte, h.Width*h.Height*o.Channels)
	for i := range min(h.Frames, 12) {
		if _, err := next(t, a, o); err != nil {
			lanetest.RequireClass(t, err)
			if i == 0 && !strings.Contains(err.Error(), "fcTL") && !strings.Contains(err.Error(), "sequence") &&
				!strings.Contains(err.Error(), "first frame") {
				if _, plain := run(t, data, o); plain == nil {
					t.Fatalf("the image is whole, its first frame is not: %v", err)
				}
			}
			return
		}
	}
}
