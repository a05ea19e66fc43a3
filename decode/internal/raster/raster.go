package raster

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// Image is an image whose rows Go code decodes: the result of reading its header.
type Image struct {
	Width, Height int
	Channels      int // of pushed rows: 1, 3, or 4 with alpha last; interleaved
	Bits          int // a channel, in the file
	Alpha         bool
	wide          bool // rows are pushed as uint16 in native byte order, not uint8
	// Lines finds the rows in the file. It may walk the file's data, but allocates memory only in proportion to them: a
	// header alone costs nothing.
	Lines func() Rows
}

// Rows are the rows of a file, numbered from the first stored row.
type Rows struct {
	Complete int  // rows before the data ends
	bottomUp bool // the first stored row is the lowest
	unpack   func(dst []byte, line int) error
}

// StripBytes is the size of the rows that are decoded between two pushes: small enough for the CPU cache, large enough
// for the cost of a push not to matter.
const StripBytes = 64 << 10

// row is the size in bytes of a pushed row.
func (r Image) row() int {
	n := r.Width * r.Channels
	if r.wide {
		n *= 2
	}
	return n
}

// Rows decodes the image from top to bottom into one strip, which it pushes when it is full and then uses again. It
// stops when push reports enough. When the data end early, the rows above the gap are pushed before the error is
// returned.
//
// An image that is stored bottom up then lacks its upper rows: they are pushed with pixel fill, or nothing is pushed
// where fill is nil. read is the number of rows that the file held.
func (r Image) Rows(fill []byte, push func(rows []byte, n int) (enough bool, err error)) (read int, err error) {
	l := r.Lines()
	complete := min(l.Complete, r.Height)
	missing, end := 0, complete // missing rows at the top, and the end of the rows to push
	if l.bottomUp {
		missing, end = r.Height-complete, r.Height
	}
	if complete == 0 || missing > 0 && fill == nil {
		return 0, r.cut(l)
	}
	row := r.row()
	strip := make([]byte, row*min(max(1, StripBytes/row), end))
	for y := 0; y < end; {
		n, damage := 0, error(nil)
		for to := strip; len(to) > 0 && y+n < end; to = to[row:] {
			line := y + n
			if l.bottomUp {
				line = r.Height - 1 - line
			}
			if y+n < missing {
				for pixel := to[:row]; len(pixel) > 0; pixel = pixel[len(fill):] {
					copy(pixel, fill)
				}
			} else if damage = l.unpack(to[:row], line); damage != nil {
				break
			}
			n++
		}
		if n > 0 {
			enough, err := push(strip[:n*row], n)
			if enough && missing > 0 {
				err = r.cut(l)
			}
			if enough || err != nil {
				return complete, err
			}
		}
		y += n
		if damage != nil {
			return y - missing, damage
		}
	}
	if complete < r.Height {
		return complete, r.cut(l)
	}
	return complete, nil
}

// cut is the error for missing rows.
func (r Image) cut(l Rows) error {
	return fault(spool.ErrTruncated, "the data ends after %d of %d rows", l.Complete, r.Height)
}

// stored are uncompressed rows.
type stored struct {
	data   []byte // from the first row on
	stride int
	used   int // bytes of the stride with pixels; the last row may lack the others
}

// complete is the number of rows in the data, at most height.
func (s stored) complete(height int) int {
	if len(s.data) < s.used {
		return 0
	}
	return min(height, (len(s.data)-s.used)/s.stride+1)
}

func (s stored) row(line int) []byte { return s.data[line*s.stride:][:s.used] }

// fault is an error about an image that Go code reads.
func fault(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: class, Text: fmt.Sprintf(format, args...)}
}
