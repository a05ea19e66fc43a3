package table

import (
	"context"

	"github.com/spoolmedia/spool"
)

// Numeric are Cells whose numbers can be read in binary form, one part of the file at a time.
type Numeric interface {
	Cells
	Parted
	// Numbers returns the numbers of a column in a part: see Sizes. Lists must have the same length in all rows, and no
	// value may be missing. The case of the column's name is ignored. Callers must not change the data, which is cached.
	Numbers(ctx context.Context, part int, column string) (Numbers, error)
}

// Numbers are the numbers of a column in consecutive rows.
type Numbers struct {
	DType spool.DType // Float16, Float32, Float64, Int32, Int64, or Uint8 for truth values
	Width int         // of a row: 1, or the elements of its list, and of lists within it
	Data  []byte      // row by row, in the machine's byte order
}

// Row returns the numbers of row k.
func (n Numbers) Row(k int) []byte {
	size := n.Width * n.DType.Size()
	return n.Data[k*size : (k+1)*size : (k+1)*size]
}
