package table

import "context"

// Cells are Rows whose values can be read one by one. Tables opened with Columns.Cells are Cells.
type Cells interface {
	Rows
	// Columns describes the columns, and those within structures by names such as meta.size. For JSON objects these are
	// the values in the first rows.
	Columns() []Column
	// Cell returns the value of a column in row k, or an Absent one. The case of the column's name is ignored, and a dot
	// leads into structures. Callers must not change the value's data.
	Cell(ctx context.Context, k int, column string) (Cell, error)
}

// Numbered are Cells that give the integers of many rows at once.
type Numbered interface {
	Cells
	// Integers sets values to those of a column in the rows from a row on, and there to whether each exists. It returns
	// false if the column has no integers, if it is within a structure, or if it cannot be read: Cell then says why.
	Integers(ctx context.Context, column string, from int, values []int64, there []bool) bool
}

// Worded are Cells that give the text of many rows at once.
type Worded interface {
	Cells
	// Texts calls do for n values of a column, from a row on: i counts from that row, and text is valid until do returns.
	// It returns false if the column has no text, if it is within a structure, or if it cannot be read. Some rows may have
	// been given then.
	Texts(ctx context.Context, column string, from, n int, do func(i int, text []byte, there bool)) bool
}

// Bounded are Cells that know bounds of the values in each part, without reading them.
type Bounded interface {
	Cells
	Parted
	// Bounds returns the least and the greatest value of a column in a part, or values beyond these. Missing values and
	// NaN do not count. ok is false if they are unknown.
	Bounds(part int, column string) (least, greatest Cell, ok bool)
}

// Parted are Rows of a file with parts that are best read as a whole.
type Parted interface {
	Rows
	// Sizes returns the number of rows of each part.
	Sizes() []int
}

// Column describes a column.
type Column struct {
	Name string
	Type Type // of its values; for JSON objects, of the first one that is not null
	// Format is the type of its values in memory, in the form of Arrow's C data interface: "l" for int64. It is empty if
	// only values tell. Element is the type of the elements of a list, "+l".
	Format, Element string
	// Untyped reports that its values are text, whatever they mean, as in CSV and TSV.
	Untyped bool
}

// Cell is a value of a table.
type Cell struct {
	Type Type
	Data []byte // the value as text, or its bytes
	Path string // of a structure of bytes and path: where the bytes came from, or are
}

// Type is the type of a Cell.
type Type uint8

const (
	Absent Type = iota // the row has no value, a null, or an empty one in CSV and TSV
	Text               // UTF-8
	Number             // the shortest decimal form that parses to the same value; also NaN, Infinity and -Infinity
	JSON               // a list, structure or truth value as JSON
	Bytes              // binary
)

// String returns the type's name in messages.
func (t Type) String() string {
	return [...]string{"nothing", "text", "a number", "JSON", "bytes"}[t]
}
