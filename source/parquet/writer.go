package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/table"
)

// writer implements table.Writer.
type writer struct {
	w      io.Writer
	at     int64 // bytes written
	meta   format.FileMetaData
	codec  format.CompressionCodec
	leaves []*outputs
	bytes  int64 // of the row group so far
	rows   int64
}

// NewWriter begins a Parquet file. It is a table.Create. A row group has table.PartRows rows, or
// fewer if their bytes reach table.PartBytes: the memory of one row group is needed. Pages have checksums, and about 1
// MiB of values, or one value that is larger.
func NewWriter(w io.Writer, s table.Schema) (table.Writer, error) {
	p := &writer{w: w}
	p.meta.Version, p.meta.CreatedBy = 1, "spool"
	for _, m := range s.Metadata {
		p.meta.KeyValueMetadata = append(p.meta.KeyValueMetadata, format.KeyValue{Key: m[0], Value: m[1]})
	}
	p.meta.Schema = append(p.meta.Schema, format.SchemaElement{Name: "schema",
		NumChildren: thrift.New(int32(len(s.Fields)))})
	for _, f := range s.Fields {
		switch f.Kind {
		case table.MediaField:
			p.element(format.SchemaElement{Name: f.Name, NumChildren: thrift.New(int32(2))})
			p.leaf(format.ByteArray, 2, false, f.Name, "bytes")
			p.leaf(format.ByteArray, 2, true, f.Name, "path")
		case table.TextField:
			p.leaf(format.ByteArray, 1, true, f.Name)
		case table.BytesField:
			p.leaf(format.ByteArray, 1, false, f.Name)
		case table.IntegerField:
			p.leaf(format.Int64, 1, false, f.Name)
		case table.FloatField:
			p.leaf(format.Double, 1, false, f.Name)
		case table.BoolField:
			p.leaf(format.Boolean, 1, false, f.Name)
		}
	}
	if s.Compress {
		p.codec = format.Gzip
		for _, out := range p.leaves {
			out.gzip = gzip.NewWriter(nil)
		}
	}
	return p, p.write([]byte(magic))
}

// element adds an optional element to the schema.
func (p *writer) element(e format.SchemaElement) {
	e.RepetitionType = thrift.New(format.Optional)
	p.meta.Schema = append(p.meta.Schema, e)
}

// leaf adds a column of values.
func (p *writer) leaf(kind format.Type, level byte, text bool, path ...string) {
	e := format.SchemaElement{Name: path[len(path)-1], Type: thrift.New(kind)}
	if text {
		e.ConvertedType = thrift.New(deprecated.UTF8)
		e.LogicalType.Value = &format.StringType{}
	}
	p.element(e)
	p.leaves = append(p.leaves, &outputs{path: path, kind: kind, level: level})
}

func (p *writer) write(data []byte) error {
	n, err := p.w.Write(data)
	p.at += int64(n)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// WriteRow adds a row.
func (p *writer) WriteRow(values []table.Value) error {
	at := 0
	for _, v := range values {
		if len(v.Data) > table.MaxValue {
			return &spool.Error{Op: "write", Class: spool.ErrTooLarge, Text: "a value of more than 1 GiB"}
		}
		out := p.leaves[at]
		at++
		var err error
		switch out.kind {
		case format.Int64:
			err = out.number(uint64(v.Integer), v.Present)
		case format.Double:
			err = out.number(math.Float64bits(v.Float), v.Present)
		case format.Boolean:
			err = out.bit(v.Bool, v.Present)
		default:
			err = out.bytes(v.Data, v.Present)
		}
		if err == nil && out.level == 2 {
			err = p.leaves[at].bytes([]byte(v.Path), v.Present)
			at++
		}
		if err != nil {
			return err
		}
		p.bytes += int64(len(v.Data) + len(v.Path))
	}
	if p.rows++; p.rows < table.PartRows && p.bytes < table.PartBytes {
		return nil
	}
	return p.flush()
}

// flush writes the rows so far as a row group.
func (p *writer) flush() error {
	g := format.RowGroup{NumRows: p.rows, FileOffset: p.at, Ordinal: int16(len(p.meta.RowGroups))}
	for _, out := range p.leaves {
		if err := out.page(); err != nil {
			return err
		}
		begin, plain := p.at, int64(0)
		for _, page := range out.pages {
			if err := p.write(page.head); err != nil {
				return err
			}
			if err := p.write(page.body); err != nil {
				return err
			}
			plain += page.plain
		}
		size := p.at - begin
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: format.ColumnMetaData{Type: out.kind,
			Encoding: []format.Encoding{format.Plain, format.RLE}, PathInSchema: out.path, Codec: p.codec, NumValues: p.rows,
			TotalUncompressedSize: plain, TotalCompressedSize: size, DataPageOffset: begin,
			Statistics: format.Statistics{NullCount: out.nulls}}})
		g.TotalByteSize += plain
		g.TotalCompressedSize += size
		out.empty()
	}
	p.meta.RowGroups = append(p.meta.RowGroups, g)
	p.meta.NumRows += p.rows
	p.rows, p.bytes = 0, 0
	return nil
}

// Close writes the last row group and the footer.
func (p *writer) Close() error {
	if p.rows > 0 {
		if err := p.flush(); err != nil {
			return err
		}
	}
	footer, err := encodeThrift(&p.meta)
	if err != nil {
		return err
	}
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
	return p.write(append(footer, magic...))
}

// encodeThrift encodes a structure.
func encodeThrift(v any) ([]byte, error) {
	var out bytes.Buffer
	if err := thrift.NewEncoder((&thrift.CompactProtocol{}).NewWriter(&out)).Encode(v); err != nil {
		return nil, fmt.Errorf("write table: %w", err)
	}
	return out.Bytes(), nil
}
