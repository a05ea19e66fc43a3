package chunked

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// mdsSizeLimit is what an index says of its shards besides their sizes: the default of MDSWriter, which no reader uses.
const mdsSizeLimit = 1 << 26

// mdsLayout is the part of an index that a shard begins with, too.
type mdsLayout struct {
	Encodings   []string `json:"column_encodings"`
	Names       []string `json:"column_names"`
	Sizes       []*int64 `json:"column_sizes"`
	Compression *string  `json:"compression"`
	Format      string   `json:"format"`
	Hashes      []string `json:"hashes"`
	SizeLimit   int64    `json:"size_limit"`
}

func mdsLayoutOf(s table.Schema) mdsLayout {
	l := mdsLayout{Format: "mds", Hashes: []string{}, SizeLimit: mdsSizeLimit}
	for _, f := range s.Fields {
		encoding, size := "bytes", new(int64)
		*size = 8
		switch f.Kind {
		case table.MediaField, table.BytesField:
			size = nil
		case table.TextField:
			encoding, size = "str", nil
		case table.IntegerField:
			encoding = "int"
		case table.FloatField:
			encoding = "float64"
		case table.BoolField:
			encoding = "uint8"
			*size = 1
		}
		l.Encodings, l.Names, l.Sizes = append(l.Encodings, encoding), append(l.Names, f.Name), append(l.Sizes, size)
	}
	return l
}

// mdsWriter collects the samples of a shard, whose positions come before them.
type mdsWriter struct {
	w       io.Writer
	fields  []table.Field
	sizes   []*int64 // of the values of a field; nil: each sample says it
	head    []byte
	ends    []uint32 // of each sample in samples
	samples []byte
}

// NewWriter begins a shard of MDS version 2. Media are their bytes, without the path. Missing text and media are empty,
// missing numbers are -1, and missing truth values are 0. The shard is in memory until Close writes it: less than 4
// GiB. [MDSIndex] makes the index of all shards.
func NewWriter(w io.Writer, s table.Schema) (table.Writer, error) {
	layout := mdsLayoutOf(s)
	head, err := json.Marshal(layout)
	return &mdsWriter{w: w, fields: s.Fields, sizes: layout.Sizes, head: head}, err
}

// WriteRow adds a sample: the sizes of values whose type has none, and all values.
func (m *mdsWriter) WriteRow(values []table.Value) error {
	size := uint64(len(m.head)) + 4*uint64(len(m.ends)+3) + uint64(len(m.samples))
	for i, v := range values {
		size += uint64(len(v.Data)) + 8
		if m.sizes[i] == nil {
			m.samples = binary.LittleEndian.AppendUint32(m.samples, uint32(len(v.Data)))
		}
	}
	if size > math.MaxUint32 {
		return &spool.Error{Op: "write", Class: spool.ErrTooLarge, Text: "a shard of MDS has less than 4 GiB"}
	}
	for i, v := range values {
		m.value(m.fields[i].Kind, v)
	}
	m.ends = append(m.ends, uint32(len(m.samples)))
	return nil
}

func (m *mdsWriter) value(kind table.FieldKind, v table.Value) {
	switch kind {
	case table.MediaField, table.TextField, table.BytesField:
		m.samples = append(m.samples, v.Data...)
	case table.IntegerField:
		if !v.Present {
			v.Integer = -1
		}
		m.samples = binary.LittleEndian.AppendUint64(m.samples, uint64(v.Integer))
	case table.FloatField:
		if !v.Present {
			v.Float = -1
		}
		m.samples = binary.LittleEndian.AppendUint64(m.samples, math.Float64bits(v.Float))
	case table.BoolField:
		var b byte
		if v.Bool {
			b = 1
		}
		m.samples = append(m.samples, b)
	}
}

// Close writes the number of samples, their positions, the layout and the samples.
func (m *mdsWriter) Close() error {
	first := uint32(4 + 4*(len(m.ends)+1) + len(m.head))
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(m.ends)))
	head = binary.LittleEndian.AppendUint32(head, first)
	for _, end := range m.ends {
		head = binary.LittleEndian.AppendUint32(head, first+end)
	}
	if _, err := m.w.Write(append(head, m.head...)); err != nil {
		return err
	}
	_, err := m.w.Write(m.samples)
	return err
}

// MDSIndex makes index.json for shards that [NewWriter] wrote with a schema.
func MDSIndex(s table.Schema, files []table.File) (name string, contents []byte, err error) {
	type raw struct {
		Basename string            `json:"basename"`
		Bytes    int64             `json:"bytes"`
		Hashes   map[string]string `json:"hashes"`
	}
	type shard struct {
		mdsLayout
		Raw     raw  `json:"raw_data"`
		Samples int  `json:"samples"`
		Version int  `json:"version"`
		Zip     *raw `json:"zip_data"`
	}
	shards, layout := make([]shard, len(files)), mdsLayoutOf(s)
	for i, f := range files {
		shards[i] = shard{layout, raw{f.Name, f.Bytes, map[string]string{}}, f.Rows, 2, nil}
	}
	contents, err = json.Marshal(map[string]any{"shards": shards, "version": 2})
	return "index.json", append(contents, '\n'), err
}
