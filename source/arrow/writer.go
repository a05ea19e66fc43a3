package arrow

import (
	"io"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// rowWriter implements table.Writer.
type rowWriter struct {
	fileWriter
	bytes int64 // of the batch so far
}

// NewWriter begins an Arrow IPC file without compression. It is a table.Create. A record batch has table.PartRows rows,
// or fewer if their bytes reach table.PartBytes: the memory of one batch is needed.
func NewWriter(w io.Writer, s table.Schema) (table.Writer, error) {
	r := &rowWriter{fileWriter: fileWriter{w: w}}
	for _, f := range s.Fields {
		c := &output{name: f.Name}
		switch f.Kind {
		case table.MediaField:
			c.kind = structure
			c.children = []*output{{name: "bytes", kind: binaries}, {name: "path", kind: utf8}}
		case table.TextField:
			c.kind = utf8
		case table.BytesField:
			c.kind = binaries
		case table.IntegerField:
			c.kind = integer
		case table.FloatField:
			c.kind = float
		case table.BoolField:
			c.kind = boolean
		}
		r.columns = append(r.columns, c)
	}
	return r, r.begin(s.Metadata)
}

// WriteRow adds a row.
func (r *rowWriter) WriteRow(values []table.Value) error {
	for i, v := range values {
		if len(v.Data) > table.MaxValue {
			return &spool.Error{Op: "write", Class: spool.ErrTooLarge, Text: "a value of more than 1 GiB"}
		}
		switch c := r.columns[i]; c.kind {
		case structure:
			c.mark(v.Present)
			c.children[0].bytes(v.Data, v.Present)
			c.children[1].string(v.Path)
		case integer:
			c.number(uint64(v.Integer), v.Present)
		case float:
			c.number(math.Float64bits(v.Float), v.Present)
		case boolean:
			c.bit(v.Bool, v.Present)
		default:
			c.bytes(v.Data, v.Present)
		}
		r.bytes += int64(len(v.Data) + len(v.Path))
	}
	if r.rows++; r.rows < table.PartRows && r.bytes < table.PartBytes {
		return nil
	}
	r.bytes = 0
	return r.flush()
}

// Close writes the last batch and the footer.
func (r *rowWriter) Close() error { return r.end() }
