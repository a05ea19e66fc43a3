package decode

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// raster is a picture whose rows Go code can produce: what a lane of ours knows after the header.
type raster struct {
	width, height int
	channels      int // pushed: 1, 3, or 4 with alpha last; interleaved
	bits          int // a channel, in the file
	alpha         bool
	wide          bool // pushed are uint16 in the machine's byte order, not uint8
	// lines says where the rows lie. It may have to walk the file's data, but allocates no more than
	// in proportion to it: a header alone costs nothing.
	lines func() lines
}

// lines are the rows as a file stores them, numbered from the first one stored.
type lines struct {
	complete int  // how many are there before the data ends
	bottomUp bool // the first one stored is the lowest
	unpack   func(dst []byte, line int) error
}

// stripBytes is how much is decoded between two pushes: little enough to stay in the cache, enough
// for a push to cost nothing.
const stripBytes = 64 << 10

// row is the bytes of a row that is pushed.
func (r raster) row() int {
	n := r.width * r.channels
	if r.wide {
		n *= 2
	}
	return n
}

// rows decodes the picture from top to bottom into a strip of some rows, which it pushes when it is
// full and then uses again. It stops when push has enough. When the data ends early the rows above
// the gap are pushed before the error comes. Of a picture stored from the bottom up the upper ones are
// missing then: they are pushed as fill, a pixel, or nothing is pushed when that is nil. read is how many
// rows of the file were.
func (r raster) rows(fill []byte, push func(rows []byte, n int) (enough bool, err error)) (read int, err error) {
	l := r.lines()
	complete := min(l.complete, r.height)
	missing, end := 0, complete // rows above those that are there, and where these end
	if l.bottomUp {
		missing, end = r.height-complete, r.height
	}
	if complete == 0 || missing > 0 && fill == nil {
		return 0, r.cut(l)
	}
	row := r.row()
	strip := make([]byte, row*min(max(1, stripBytes/row), end))
	for y := 0; y < end; {
		n, damage := 0, error(nil)
		for to := strip; len(to) > 0 && y+n < end; to = to[row:] {
			line := y + n
			if l.bottomUp {
				line = r.height - 1 - line
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
	if complete < r.height {
		return complete, r.cut(l)
	}
	return complete, nil
}

// cut is the error of a picture that lacks rows.
func (r raster) cut(l lines) error {
	return fault(spool.ErrTruncated, "the data ends after %d of %d rows", l.complete, r.height)
}

// stored are uncompressed rows.
type stored struct {
	data   []byte // from the first row on
	stride int
	used   int // bytes of the stride that hold pixels; the last row may lack the others
}

// complete is how many rows are there, at most height.
func (s stored) complete(height int) int {
	if len(s.data) < s.used {
		return 0
	}
	return min(height, (len(s.data)-s.used)/s.stride+1)
}

func (s stored) row(line int) []byte { return s.data[line*s.stride:][:s.used] }

// fault is an error about a picture that Go code reads.
func fault(class spool.Class, format string, args ...any) error {
	return &spool.Error{Op: "decode", Class: class, Text: fmt.Sprintf(format, args...)}
}
