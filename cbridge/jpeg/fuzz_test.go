package jpeg_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
)

// FuzzDecode: whatever the bytes are, the answer is a picture or an error with a class, and the rows of a
// part are those of the whole.
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
	f.Fuzz(func(t *testing.T, data []byte, first, accept uint8) {
		h, err := jpeg.ReadHeader(data)
		if err != nil {
			requireClass(t, err)
			return
		}
		if h.Width*h.Height > 1e6 || h.ExifOffset+h.ExifLength > len(data) {
			if h.Width*h.Height <= 1e6 {
				t.Fatalf("Exif [%d, +%d) in %d bytes", h.ExifOffset, h.ExifLength, len(data))
			}
			return
		}
		c, err := call.Enter(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Leave()
		o := jpeg.Options{Color: jpeg.Color(first % 3), Accept: float64(accept) / 255, MaxMemory: 64 << 20}
		row := h.Width * o.Color.Channels()
		o.Dst = make([]byte, row*h.Height)
		report, err := jpeg.Decode(c, data, o)
		if report.Rows < 0 || report.Rows > h.Height || report.Fraction < 0 || report.Fraction > 1 {
			t.Fatalf("impossible report %+v", report)
		}
		if err != nil {
			requireClass(t, err)
			return
		}
		if report.Truncated != (report.Rows < h.Height) && report.Fraction == 1 && !report.Truncated {
			t.Fatalf("a whole picture of %d rows has %d", h.Height, report.Rows)
		}
		part := o
		part.First = int(first) * h.Height / 256
		part.Dst = make([]byte, row*(h.Height-part.First))
		again, err := jpeg.Decode(c, data, part)
		if err != nil || again.Rows != max(report.Rows-part.First, 0) {
			t.Fatalf("from row %d: %+v, %v; the whole: %+v", part.First, again, err, report)
		}
		if report.Warnings == 0 && !bytes.Equal(o.Dst[part.First*row:][:again.Rows*row], part.Dst[:again.Rows*row]) {
			t.Fatalf("rows from %d on are not those of the whole", part.First)
		}
	})
}

func requireClass(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, spool.ErrInternal) || spool.ClassOf(err) == "" {
		t.Fatalf("not an error of the input: %v", err)
	}
}
