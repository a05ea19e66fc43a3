package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/table"
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

// Column is a further column of a table.
type Column = table.Values

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
	if err := t.begin(t.metadata(sizes)); err != nil {
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
			if err := t.flush(); err != nil {
				return err
			}
		}
	}
	return t.end()
}

// tableWriter writes record batches.
type tableWriter struct {
	w       io.Writer
	ctx     context.Context
	at      int64 // bytes written
	classes []string
	columns []*output
	further []string // names of columns that the caller added
	rows    int      // of the batch so far
	text    int      // bytes of its text
	schema  func(*builder) int
	blocks  []byte // positions of batches, as the footer has them

	placed    source.Placement // the row that is written
	segmented bool
	segment   source.Segment
}

func (t *tableWriter) write(p []byte) error {
	n, err := t.w.Write(p)
	t.at += int64(n)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// metadata returns what the schema says of a listing.
func (t *tableWriter) metadata(sizes []int) [][2]string {
	metadata := [][2]string{{classesKey, asJSON(t.classes)}}
	if sizes != nil {
		metadata = append(metadata, [2]string{sizesKey, asJSON(sizes)})
	}
	if t.further != nil {
		metadata = append(metadata, [2]string{furtherKey, asJSON(t.further)})
	}
	return metadata
}

// begin writes the schema.
func (t *tableWriter) begin(metadata [][2]string) error {
	t.schema = func(b *builder) int {
		var pairs, fields []int
		for _, m := range metadata {
			value, key := b.text(m[1]), b.text(m[0])
			pairs = append(pairs, b.table(ref(0, key), ref(1, value)))
		}
		for _, c := range t.columns {
			fields = append(fields, c.describe(b))
		}
		metadata, columns := b.references(pairs), b.references(fields)
		return b.table(ref(1, columns), ref(2, metadata))
	}
	if err := t.write([]byte(magic)); err != nil {
		return err
	}
	return t.message(schemaMessage, t.schema, nil)
}

// asJSON returns names or numbers as JSON, which is always possible.
func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func ref(field, to int) value { return value{field: field, v: int64(to)} }

// describe prepends the column's field of the schema.
func (c *output) describe(b *builder) int {
	var details []value
	switch c.kind {
	case integer:
		details = []value{{0, 4, 64}, {1, 1, 1}} // bits; signed
	case float:
		details = []value{{0, 2, 2}} // double precision
	}
	children, details64, name := b.references(nil), b.table(details...), b.text(c.name)
	return b.table(ref(0, name), ref(3, details64), ref(5, children), value{1, 1, 1}, value{2, 1, int64(c.kind)})
}

// message writes a header of version 5 of the format, and its body.
func (t *tableWriter) message(kind int, header func(*builder) int, body []byte) error {
	b := &builder{}
	inner := header(b)
	head := b.finish(b.table(value{3, 8, int64(len(body))}, ref(2, inner), value{0, 2, 4}, value{1, 1, int64(kind)}))
	prefix := binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(len(head)))
	if kind == recordBatch {
		t.blocks = binary.LittleEndian.AppendUint64(t.blocks, uint64(t.at))
		t.blocks = binary.LittleEndian.AppendUint64(t.blocks, uint64(len(prefix)+len(head)))
		t.blocks = binary.LittleEndian.AppendUint64(t.blocks, uint64(len(body)))
	}
	for _, p := range [][]byte{prefix, head, body} {
		if err := t.write(p); err != nil {
			return err
		}
	}
	return nil
}

// flush writes the rows so far as a record batch.
func (t *tableWriter) flush() error {
	var nodes, places []byte
	var body bytes.Buffer
	add := func(p []byte) {
		places = binary.LittleEndian.AppendUint64(places, uint64(body.Len()))
		places = binary.LittleEndian.AppendUint64(places, uint64(len(p)))
		body.Write(p)
		body.Write(make([]byte, -len(p)&7))
	}
	for _, c := range t.columns {
		nodes = binary.LittleEndian.AppendUint64(nodes, uint64(c.rows))
		nodes = binary.LittleEndian.AppendUint64(nodes, uint64(c.nulls))
		add(c.valid)
		if c.kind == utf8 {
			add(c.ends)
		}
		add(c.data)
		c.valid, c.ends, c.data, c.rows, c.nulls = c.valid[:0], c.ends[:0], c.data[:0], 0, 0
	}
	rows := int64(t.rows)
	t.rows, t.text = 0, 0
	return t.message(recordBatch, func(b *builder) int {
		at, values := b.structs(places, 16), b.structs(nodes, 16)
		return b.table(value{0, 8, rows}, ref(1, values), ref(2, at))
	}, body.Bytes())
}

// end writes the last batch and the footer.
func (t *tableWriter) end() error {
	if t.rows > 0 {
		if err := t.flush(); err != nil {
			return err
		}
	}
	b := &builder{}
	schema, blocks := t.schema(b), b.structs(t.blocks, 24)
	none := b.structs(nil, 24)
	footer := b.finish(b.table(ref(1, schema), ref(2, none), ref(3, blocks), value{0, 2, 4}))
	tail := append([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, footer...)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(footer)))
	return t.write(append(tail, magic[:6]...))
}
