package annotation

import (
	"fmt"
	"math"
	"slices"

	"github.com/spoolmedia/spool/internal/jsonscan"
	"github.com/spoolmedia/spool/resize"
)

// RLE is a mask as run lengths, in COCO's order: from top to bottom, column after column. Runs outside the area and in
// it alternate; the first is outside.
type RLE struct {
	Width, Height int
	Counts        []uint32 // their sum is Width * Height
}

func readRLE(s *jsonscan.Scanner) (*RLE, error) {
	at := s.Offset()
	var r RLE
	var counts []uint32
	sized := false
	err := s.Object(func(name string) (err error) {
		switch name {
		case "size":
			sized = true
			return r.readSize(s)
		case "counts":
			if s.Next() == jsonscan.String {
				counts, err = readCompressed(s)
			} else {
				counts, err = readCounts(s)
			}
			return err
		}
		return s.Skip()
	})
	switch {
	case err != nil:
		return nil, err
	case !sized || counts == nil:
		return nil, jsonscan.ErrorAt(at, `run lengths without "size" or "counts"`)
	}
	if r.Counts = counts; r.problem() != "" {
		return nil, jsonscan.ErrorAt(at, "%s", r.problem())
	}
	return &r, nil
}

// problem describes what is wrong with the counts. It is "" for valid ones.
func (r *RLE) problem() string {
	sum := 0
	for _, n := range r.Counts {
		sum += int(n)
	}
	if sum != r.Width*r.Height {
		return fmt.Sprintf("run lengths of %d pixels, in a mask of %dx%d", sum, r.Width, r.Height)
	}
	return ""
}

// readSize reads the height and the width.
func (r *RLE) readSize(s *jsonscan.Scanner) error {
	at, count := s.Offset(), 0
	err := s.Array(func(i int) error {
		at := s.Offset()
		n, err := s.Int()
		if err == nil && (n < 0 || n > resize.MaxEdge) {
			err = jsonscan.ErrorAt(at, "a side of %d pixels", n)
		}
		if count++; i == 0 {
			r.Height = int(n)
		} else {
			r.Width = int(n)
		}
		return err
	})
	if err == nil && count != 2 {
		err = jsonscan.ErrorAt(at, "a size of %d numbers", count)
	}
	return err
}

func readCounts(s *jsonscan.Scanner) ([]uint32, error) {
	counts := []uint32{}
	err := s.Array(func(int) error {
		at := s.Offset()
		n, err := s.Int()
		if err == nil && (n < 0 || n > math.MaxUint32) {
			err = jsonscan.ErrorAt(at, "a run of %d pixels", n)
		}
		counts = append(counts, uint32(n))
		return err
	})
	return counts, err
}

// readCompressed reads counts in COCO's text: 5 bits a character, the lowest first, bit 5 set if more follow, and the
// sign in the last one's highest bit. From the fourth count on, the text has the difference to the count two before.
func readCompressed(s *jsonscan.Scanner) ([]uint32, error) {
	at := s.Offset()
	text, err := s.String()
	if err != nil {
		return nil, err
	}
	counts := make([]uint32, 0, len(text)/2)
	for i := 0; i < len(text); {
		n, shift, more := int64(0), 0, true
		for more {
			if i == len(text) || text[i] < '0' || text[i] > '0'+63 || shift > 35 {
				return nil, jsonscan.ErrorAt(at, "compressed run lengths that are invalid at character %d", i)
			}
			c := int64(text[i] - '0')
			n |= c & 0x1f << shift
			i, shift, more = i+1, shift+5, c&0x20 != 0
			if !more && c&0x10 != 0 {
				n |= -1 << shift
			}
		}
		if len(counts) > 2 {
			n += int64(counts[len(counts)-2])
		}
		if n < 0 || n > math.MaxUint32 {
			return nil, jsonscan.ErrorAt(at, "compressed run lengths with a run of %d pixels", n)
		}
		counts = append(counts, uint32(n))
	}
	return slices.Clip(counts), nil
}

// runs calls fill with each run in the area, as a range of pixels in COCO's order.
func (r *RLE) runs(fill func(from, to int)) {
	at := 0
	for i, n := range r.Counts {
		if i%2 == 1 && n > 0 {
			fill(at, at+int(n))
		}
		at += int(n)
	}
}
