package tfrecord

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/internal/held"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
)

// file implements held.File.
type file struct {
	open    func(context.Context) (spool.Object, error)
	offsets []int64 // of each record, and the end
	columns []table.Column
	limit   int64 // of the bytes of a record
}

// The parts of a record around its data.
const (
	headBytes = 12 // length, and its checksum
	tailBytes = 4  // checksum of the data
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked returns the checksum of a record's part.
func masked(p []byte) uint32 {
	sum := crc32.Checksum(p, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// usual are names of features that TensorFlow's data sets have, after those that source.Manifest looks for.
func usual(c table.Columns) table.Columns {
	c.Path = append(slices.Clone(c.Path), "image/encoded")
	if c.Label != nil {
		c.Label = append(slices.Clone(c.Label), "image/class/label")
	}
	c.Key = append(slices.Clone(c.Key), "image/filename")
	return c
}

// Open finds the records of a file. It is a table.Format.
func Open(ctx context.Context, open func(context.Context) (spool.Object, error), c table.Columns,
	u *table.Cache) (table.Rows, error) {
	f := &file{open: open, limit: u.Limit()}
	if err := f.scan(ctx); err != nil {
		return nil, err
	}
	return held.Open(ctx, f, usual(c), u.Limit())
}

// scan finds the records and their features.
func (f *file) scan(ctx context.Context) error {
	o, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer o.Close()
	in := held.NewWindow(ctx, o, true)
	features := map[string]*seen{}
	at := int64(0)
	for at < in.Size {
		length, err := lengthAt(in, at)
		if err != nil {
			return err
		}
		record := message{in, at + headBytes, at + headBytes + length}
		if err := record.features(func(x feature) error {
			if features[x.name] == nil {
				features[x.name] = &seen{}
			}
			if len(features) > maxColumns {
				return corrupt("more than %d features", maxColumns)
			}
			return features[x.name].note(in, x)
		}); err != nil {
			return err
		}
		f.offsets = append(f.offsets, at)
		at = record.end + tailBytes
	}
	f.offsets = append(slices.Clip(f.offsets), at)
	f.columns = describe(features)
	return nil
}

// lengthAt returns the bytes of the data of the record at a position.
func lengthAt(w *held.Window, at int64) (int64, error) {
	head, err := w.Read(at, min(headBytes, w.Size-at))
	if err != nil {
		return 0, err
	}
	if at == 0 && (bytes.HasPrefix(head, []byte{0x1f, 0x8b}) || bytes.HasPrefix(head, []byte{0x78})) &&
		(len(head) < headBytes || masked(head[:8]) != binary.LittleEndian.Uint32(head[8:])) {
		return 0, failed(spool.ErrUnsupported, "a TFRecord file that is compressed as a whole")
	}
	if len(head) < headBytes {
		return 0, failed(spool.ErrTruncated, "the file ends within a record, at byte %d", w.Size)
	}
	if masked(head[:8]) != binary.LittleEndian.Uint32(head[8:]) {
		return 0, corrupt("no TFRecord at byte %d, or a damaged one", at)
	}
	length := binary.LittleEndian.Uint64(head)
	if length > uint64(max(0, w.Size-at-headBytes-tailBytes)) {
		return 0, failed(spool.ErrTruncated, "the file ends within a record, at byte %d", w.Size)
	}
	return int64(length), nil
}

// Columns describes the features.
func (f *file) Columns() []table.Column { return f.columns }

// Sizes returns the number of records, which are one part.
func (f *file) Sizes() []int { return []int{len(f.offsets) - 1} }

// Begin returns a reader.
func (f *file) Begin(ctx context.Context, inOrder bool) held.Reader {
	return &reader{file: f, ctx: ctx, inOrder: inOrder}
}

// reader implements held.Reader.
type reader struct {
	*file
	ctx     context.Context
	inOrder bool
	window  *held.Window // nil until something is read
}

// record returns the data of record k.
func (r *reader) record(k int) (message, error) {
	if r.window == nil {
		o, err := r.open(r.ctx)
		if err != nil {
			return message{}, err
		}
		r.window = held.NewWindow(r.ctx, o, r.inOrder)
	}
	if end := r.offsets[len(r.offsets)-1]; r.window.Size != end {
		return message{}, failed(spool.ErrIO, "the file was changed: %d bytes when it was listed, now %d", end, r.window.Size)
	}
	return message{r.window, r.offsets[k] + headBytes, r.offsets[k+1] - tailBytes}, nil
}

// named finds a feature of a record; its kind is none if the record lacks it.
func (m message) named(name string) (found feature, err error) {
	err = m.features(func(f feature) error {
		if f.name == name {
			found = f
		}
		return nil
	})
	return found, err
}

// Cell returns a value of record k.
func (r *reader) Cell(k, column int) (table.Cell, error) {
	m, err := r.record(k)
	if err != nil {
		return table.Cell{}, err
	}
	f, err := m.named(r.columns[column].Name)
	if err != nil || f.kind == none {
		return table.Cell{}, err
	}
	if f.size > r.limit {
		return table.Cell{}, failed(spool.ErrTooLarge, "a feature of %d bytes", f.size)
	}
	p, err := r.window.Read(f.at, f.size)
	if err != nil {
		return table.Cell{}, err
	}
	values, err := parse(f.kind, slices.Clone(p))
	if err != nil {
		return table.Cell{}, err
	}
	return values.cell(r.columns[column].Type), nil
}

// Open returns the binary value of record k, whose checksum is right.
func (r *reader) Open(k, column int) (spool.Object, error) {
	m, err := r.record(k)
	if err != nil {
		return nil, err
	}
	size := m.end - m.at + tailBytes
	if size > r.limit {
		return nil, failed(spool.ErrTooLarge, "a record of %d bytes", size)
	}
	data, err := r.window.ReadAll(m.at, size)
	if err != nil {
		return nil, err
	}
	data, sum := data[:size-tailBytes], binary.LittleEndian.Uint32(data[size-tailBytes:])
	if masked(data) != sum {
		return nil, corrupt("record %d has another checksum than its data", k+1)
	}
	inner := held.NewWindow(r.ctx, shard.Memory(data), false)
	f, err := message{inner, 0, int64(len(data))}.named(r.columns[column].Name)
	if err != nil || f.kind == none {
		return nil, err
	}
	values, err := parse(f.kind, data[f.at:f.at+f.size])
	if err != nil || len(values.binary) != 1 {
		return nil, err
	}
	return shard.Memory(values.binary[0]), nil
}

// Close closes the file.
func (r *reader) Close() {
	if r.window != nil {
		_ = r.window.Object.Close() // it was only read
	}
}
