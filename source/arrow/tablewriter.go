package arrow

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spoolmedia/spool/source"
)

// The keys of a table's metadata, in the schema. Values are JSON.
const (
	classesKey = "spool.classes" // an array of the names of labels; null without
	sizesKey   = "spool.sizes"   // an array of the number of rows of each shard; missing if there is one part
	furtherKey = "spool.columns" // an array of the names of further columns; missing without
)

// The limits of a record batch, whichever is reached first.
const (
	batchRows = 1 << 16
	batchText = 16 << 20
)

// Column is a further column of a table. One of its functions is set, and returns the value of a row. ok is false for a
// row without a value, and so is an empty text.
type Column struct {
	Name     string
	Integers func(i int) (v int64, ok bool)
	Floats   func(i int) (v float64, ok bool)
	Texts    func(i int) string
}

// WriteTable writes a listing as an Arrow IPC file, which opens without reading its rows: see [Open]. The columns are
// path, label, key, size and etag, for segments start, end and stream, as those of source.Listing.WriteManifest, and
// for samples in shards offset and length. Size and etag are those of the shard where a row has an offset. Labels are
// class names if every label is one, and integers otherwise. The table gives the same items, with the same indices,
// labels, classes and sizes of shards, as the listing. A sample in an uncompressed shard is opened at its offset,
// without the headers of the shard, as long as the shard has the size and version that the table says.
//
// Further columns come last; one called size or etag replaces the usual one. Conditions on rows use them as any column.
//
// It needs the memory of one record batch: up to 65,536 rows. The file has no compression, and pyarrow and Hugging
// Face's datasets read it. The error of a segment, of w, or of ctx ends it.
func WriteTable(ctx context.Context, w io.Writer, l *source.Listing, more ...Column) error {
	t := newTableWriter(ctx, w, l)
	if err := t.add(more); err != nil {
		return err
	}
	var sizes []int
	if parts := l.Sizes(); len(parts) > 1 {
		sizes = parts
	}
	if err := t.begin(sizes); err != nil {
		return err
	}
	for i := range l.Len() {
		if err := t.row(l, i); err != nil {
			return fmt.Errorf("write table: %w", err)
		}
		if t.rows == batchRows || t.text >= batchText {
			if err := ctx.Err(); err != nil {
				return err
			}
			t.text = 0
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return t.end()
}

// tableWriter writes the rows of a listing.
type tableWriter struct {
	fileWriter
	ctx     context.Context
	classes []string
	further []string // names of columns that the caller added
	text    int      // bytes of text in the batch so far

	placed    source.Placement // the row that is written
	segmented bool
	segment   source.Segment
}

// begin writes the schema.
func (t *tableWriter) begin(sizes []int) error {
	metadata := [][2]string{{classesKey, asJSON(t.classes)}}
	if sizes != nil {
		metadata = append(metadata, [2]string{sizesKey, asJSON(sizes)})
	}
	if t.further != nil {
		metadata = append(metadata, [2]string{furtherKey, asJSON(t.further)})
	}
	return t.fileWriter.begin(metadata)
}

// asJSON returns names or numbers as JSON, which is always possible.
func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
