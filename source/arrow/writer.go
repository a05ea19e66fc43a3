package arrow

import (
	"fmt"
	"io"
)

// Writer writes columns as an Arrow IPC file, a record batch at a time. The file has no compression. A Writer needs the
// memory of one record batch. It is not safe for concurrent use.
type Writer struct{ table tableWriter }

// NewWriter writes the schema. The error is that of columns, of which two may not have the same name, or that of w.
func NewWriter(w io.Writer, columns ...Column) (*Writer, error) {
	t := &Writer{tableWriter{w: w}}
	if err := t.table.add(columns); err != nil {
		return nil, fmt.Errorf("write table: %w", err)
	}
	return t, t.table.begin(nil)
}

// Write writes rows 0 to n-1 of the columns as a record batch. No rows make none.
func (t *Writer) Write(n int) error {
	if n == 0 {
		return nil
	}
	for i := range n {
		for _, c := range t.table.columns {
			c.fill(c, i)
		}
	}
	t.table.rows = n
	return t.table.flush()
}

// Close completes the file. It does not close the io.Writer.
func (t *Writer) Close() error { return t.table.end() }
