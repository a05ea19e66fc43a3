package arrow

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/spoolmedia/spool/source"
)

// The keys of a table's metadata, in the schema. Values are JSON.
const (
	classesKey = "spool.classes" // an array of the names of labels; null without
	sizesKey   = "spool.sizes"   // an array of the number of rows of each shard; missing if there is one part
)

const labelColumn = "label"

// The limits of a record batch, whichever is reached first.
const (
	batchRows = 1 << 16
	batchText = 16 << 20
)

// WriteTable writes a listing as an Arrow IPC file, which opens without reading its rows: see [Open]. The columns are
// path, label, key, size and etag, and for segments start, end and stream, as those of source.Listing.WriteManifest.
// Labels are class names if every label is one, and integers otherwise. The table gives the same items, with the same
// indices, labels, classes and sizes of shards, as the listing.
//
// It needs the memory of one record batch: up to 65,536 rows. The file has no compression, and pyarrow and Hugging
// Face's datasets read it. The error of a segment, of w, or of ctx ends it.
func WriteTable(ctx context.Context, w io.Writer, l *source.Listing) error {
	t := &tableWriter{w: w, classes: l.Classes()}
	if !l.LabelsAreClasses() {
		t.classes = nil
	}
	t.columns = []*output{{name: "path", kind: utf8}, {name: labelColumn, kind: integer}, {name: "key", kind: utf8},
		{name: "size", kind: integer}, {name: "etag", kind: utf8}}
	if t.classes != nil {
		t.columns[1].kind = utf8
	}
	segments := l.Segmented()
	if segments {
		t.columns = append(t.columns, &output{name: "start", kind: float}, &output{name: "end", kind: float},
			&output{name: "stream", kind: integer})
	}
	var sizes []int
	if parts := l.Sizes(); len(parts) > 1 {
		sizes = parts
	}
	if err := t.begin(sizes); err != nil {
		return err
	}
	for i := range l.Len() {
		t.item(l, i)
		if segments {
			part, err := l.Segment(ctx, i)
			if err != nil {
				return fmt.Errorf("write table: %w", err)
			}
			t.segment(part)
		}
		if t.rows++; t.rows == batchRows || t.text >= batchText {
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
	at      int64 // bytes written
	classes []string
	columns []*output
	rows    int // of the batch so far
	text    int // bytes of its text
	schema  func(*builder) int
	blocks  []byte // positions of batches, as the footer has them
}

// output is a column of the batch so far.
type output struct {
	name  string
	kind  kind
	valid []byte // a bit for each row
	nulls int
	rows  int
	ends  []byte // of text: an offset for each row and one more
	data  []byte // text, or numbers of 8 bytes
}

// mark begins a value, which is there or not.
func (c *output) mark(there bool) {
	if c.rows%8 == 0 {
		c.valid = append(c.valid, 0)
	}
	if there {
		c.valid[c.rows/8] |= 1 << (c.rows % 8)
	} else {
		c.nulls++
	}
	c.rows++
}

func (c *output) string(s string) {
	c.mark(s != "")
	if len(c.ends) == 0 {
		c.ends = append(c.ends, 0, 0, 0, 0)
	}
	c.data = append(c.data, s...)
	c.ends = binary.LittleEndian.AppendUint32(c.ends, uint32(len(c.data)))
}

func (c *output) number(bits uint64, there bool) {
	c.mark(there)
	c.data = binary.LittleEndian.AppendUint64(c.data, bits)
}

// item adds the columns that all listings have.
func (t *tableWriter) item(l *source.Listing, i int) {
	item := l.Item(i)
	entry, _ := l.Entry(i)
	t.columns[0].string(item.Name)
	switch {
	case t.classes == nil:
		t.columns[1].number(uint64(item.Label), item.Label >= 0)
	case item.Label < 0:
		t.columns[1].string("")
	default:
		t.columns[1].string(t.classes[item.Label])
	}
	t.columns[2].string(item.Key)
	t.columns[3].number(uint64(entry.Size), entry.Version != "")
	t.columns[4].string(entry.Version)
	t.text += len(item.Name) + len(item.Key) + len(entry.Version)
}

// segment adds the columns of a segment, which may be nil.
func (t *tableWriter) segment(s *source.Segment) {
	start, end, stream := math.Inf(-1), math.Inf(1), -1
	if s != nil {
		start, end = s.Start, s.End
		if s.Stream != nil {
			stream = *s.Stream
		}
	}
	t.columns[5].number(math.Float64bits(start), !math.IsInf(start, 0))
	t.columns[6].number(math.Float64bits(end), !math.IsInf(end, 0))
	t.columns[7].number(uint64(stream), stream >= 0)
}

func (t *tableWriter) write(p []byte) error {
	n, err := t.w.Write(p)
	t.at += int64(n)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// begin writes the schema.
func (t *tableWriter) begin(sizes []int) error {
	metadata := [][2]string{{classesKey, asJSON(t.classes)}}
	if sizes != nil {
		metadata = append(metadata, [2]string{sizesKey, asJSON(sizes)})
	}
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
