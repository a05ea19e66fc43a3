package arrow

import (
	"encoding/binary"
	"fmt"
	"io"
)

// fileWriter writes a file of record batches.
type fileWriter struct {
	w       io.Writer
	at      int64 // bytes written
	columns []*output
	rows    int // of the batch so far
	schema  func(*builder) int
	blocks  []byte // positions of batches, as the footer has them
}

func (f *fileWriter) write(p []byte) error {
	n, err := f.w.Write(p)
	f.at += int64(n)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// begin writes the schema.
func (f *fileWriter) begin(metadata [][2]string) error {
	f.schema = func(b *builder) int {
		var pairs []int
		for _, m := range metadata {
			value, key := b.text(m[1]), b.text(m[0])
			pairs = append(pairs, b.table(ref(0, key), ref(1, value)))
		}
		fields := describeAll(b, f.columns)
		metadata, columns := b.references(pairs), b.references(fields)
		return b.table(ref(1, columns), ref(2, metadata))
	}
	if err := f.write([]byte(magic)); err != nil {
		return err
	}
	return f.message(schemaMessage, f.schema, nil)
}

func ref(field, to int) value { return value{field: field, v: int64(to)} }

// describeAll prepends the fields of columns.
func describeAll(b *builder, columns []*output) []int {
	var fields []int
	for _, c := range columns {
		fields = append(fields, c.describe(b))
	}
	return fields
}

// describe prepends the column's field of the schema.
func (c *output) describe(b *builder) int {
	var details []value
	switch c.kind {
	case integer:
		details = []value{{0, 4, 64}, {1, 1, 1}} // bits; signed
	case float:
		details = []value{{0, 2, 2}} // double precision
	}
	children := b.references(describeAll(b, c.children))
	kind, name := b.table(details...), b.text(c.name)
	return b.table(ref(0, name), ref(3, kind), ref(5, children), value{1, 1, 1}, value{2, 1, int64(c.kind)})
}

// message writes a header of version 5 of the format, and its body, each part of which is padded to 8 bytes.
func (f *fileWriter) message(kind int, header func(*builder) int, body [][]byte) error {
	size := int64(0)
	for _, p := range body {
		size += padded(p)
	}
	b := &builder{}
	inner := header(b)
	head := b.finish(b.table(value{3, 8, size}, ref(2, inner), value{0, 2, 4}, value{1, 1, int64(kind)}))
	prefix := binary.LittleEndian.AppendUint32([]byte{0xff, 0xff, 0xff, 0xff}, uint32(len(head)))
	if kind == recordBatch {
		f.blocks = binary.LittleEndian.AppendUint64(f.blocks, uint64(f.at))
		f.blocks = binary.LittleEndian.AppendUint64(f.blocks, uint64(len(prefix)+len(head)))
		f.blocks = binary.LittleEndian.AppendUint64(f.blocks, uint64(size))
	}
	if err := f.write(append(prefix, head...)); err != nil {
		return err
	}
	var padding [8]byte
	for _, p := range body {
		if err := f.write(p); err != nil {
			return err
		}
		if err := f.write(padding[:padded(p)-int64(len(p))]); err != nil {
			return err
		}
	}
	return nil
}

// padded returns the bytes of a buffer in a file.
func padded(p []byte) int64 { return int64(len(p)+7) &^ 7 }

// recordHeader collects what the header of a record batch says, and its buffers.
type recordHeader struct {
	nodes, places []byte
	body          [][]byte
	at            int64
}

func (h *recordHeader) buffer(p []byte) {
	h.places = binary.LittleEndian.AppendUint64(h.places, uint64(h.at))
	h.places = binary.LittleEndian.AppendUint64(h.places, uint64(len(p)))
	h.body = append(h.body, p)
	h.at += padded(p)
}

func (h *recordHeader) column(c *output) {
	h.nodes = binary.LittleEndian.AppendUint64(h.nodes, uint64(c.rows))
	h.nodes = binary.LittleEndian.AppendUint64(h.nodes, uint64(c.nulls))
	h.buffer(c.valid)
	switch c.kind {
	case structure:
		for _, child := range c.children {
			h.column(child)
		}
		return
	case utf8, binaries:
		h.buffer(c.ends)
	}
	h.buffer(c.data)
}

// flush writes the rows so far as a record batch.
func (f *fileWriter) flush() error {
	var h recordHeader
	for _, c := range f.columns {
		h.column(c)
	}
	rows := int64(f.rows)
	err := f.message(recordBatch, func(b *builder) int {
		at, values := b.structs(h.places, 16), b.structs(h.nodes, 16)
		return b.table(value{0, 8, rows}, ref(1, values), ref(2, at))
	}, h.body)
	for _, c := range f.columns {
		c.empty()
	}
	f.rows = 0
	return err
}

// end writes the last batch and the footer.
func (f *fileWriter) end() error {
	if f.rows > 0 {
		if err := f.flush(); err != nil {
			return err
		}
	}
	b := &builder{}
	schema, blocks := f.schema(b), b.structs(f.blocks, 24)
	none := b.structs(nil, 24)
	footer := b.finish(b.table(ref(1, schema), ref(2, none), ref(3, blocks), value{0, 2, 4}))
	tail := append([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, footer...)
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(footer)))
	return f.write(append(tail, magic[:6]...))
}
