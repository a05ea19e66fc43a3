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

	"github.com/spoolmedia/spool/source/table"
)

// Writer writes columns as a Parquet file, a row group at a time. A column has one page in each group, compressed by
// gzip. A Writer needs the memory of one column of a row group. It is not safe for concurrent use.
type Writer struct {
	w       io.Writer
	at      int64 // bytes written
	columns []table.Values
	file    format.FileMetaData

	pack  *gzip.Writer
	valid []byte // of the page: a bit for each row
	all   bool   // no value is missing
	data  bytes.Buffer
	page  bytes.Buffer
}

// NewWriter begins a file. The error is that of columns, of which two may not have the same name, or that of w.
func NewWriter(w io.Writer, columns ...table.Values) (*Writer, error) {
	t := &Writer{w: w, columns: columns, pack: gzip.NewWriter(nil),
		file: format.FileMetaData{Version: 1, CreatedBy: "spool", Schema: thrift.Slice[format.SchemaElement]{
			{Name: "schema", NumChildren: thrift.New(int32(len(columns)))}}}}
	seen := map[string]bool{}
	for _, c := range columns {
		if err := c.Validate(); err != nil {
			return nil, fmt.Errorf("write table: %w", err)
		}
		if seen[c.Name] {
			return nil, fmt.Errorf("write table: two columns are called %s", c.Name)
		}
		seen[c.Name] = true
		e := format.SchemaElement{Name: c.Name, Type: thrift.New(physical(c)), RepetitionType: thrift.New(format.Optional)}
		if c.Texts != nil {
			e.ConvertedType = thrift.New(deprecated.UTF8)
			e.LogicalType.Value = new(format.StringType)
		}
		t.file.Schema = append(t.file.Schema, e)
	}
	return t, t.write([]byte(magic))
}

// physical returns the type of a column in the file.
func physical(c table.Values) format.Type {
	switch {
	case c.Integers != nil:
		return format.Int64
	case c.Floats != nil:
		return format.Double
	case c.Truths != nil:
		return format.Boolean
	}
	return format.ByteArray
}

func (t *Writer) write(p []byte) error {
	n, err := t.w.Write(p)
	t.at += int64(n)
	if err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

// Write writes rows 0 to n-1 of the columns as a row group. No rows make none.
func (t *Writer) Write(n int) error {
	if n == 0 {
		return nil
	}
	group := format.RowGroup{NumRows: int64(n), FileOffset: t.at, Ordinal: int16(len(t.file.RowGroups))}
	for _, c := range t.columns {
		chunk, err := t.chunk(c, n)
		if err != nil {
			return err
		}
		group.TotalByteSize += chunk.MetaData.TotalUncompressedSize
		group.TotalCompressedSize += chunk.MetaData.TotalCompressedSize
		group.Columns = append(group.Columns, chunk)
	}
	t.file.NumRows += int64(n)
	t.file.RowGroups = append(t.file.RowGroups, group)
	return nil
}

// chunk writes a column of a row group: a header, and a page of version 1.
func (t *Writer) chunk(c table.Values, n int) (format.ColumnChunk, error) {
	t.fill(c, n)
	t.page.Reset()
	t.pack.Reset(&t.page)
	size := 0
	for _, part := range [][]byte{t.levels(n), t.data.Bytes()} {
		size += len(part)
		if _, err := t.pack.Write(part); err != nil {
			return format.ColumnChunk{}, err // never, in memory
		}
	}
	if err := t.pack.Close(); err != nil {
		return format.ColumnChunk{}, err
	}
	at := t.at
	header, err := thrift.Marshal(new(thrift.CompactProtocol), &format.PageHeader{Type: format.DataPage,
		UncompressedPageSize: int32(size), CompressedPageSize: int32(t.page.Len()),
		DataPageHeader: thrift.New(format.DataPageHeader{NumValues: int32(n), Encoding: format.Plain,
			DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE})})
	if err != nil {
		return format.ColumnChunk{}, err
	}
	for _, part := range [][]byte{header, t.page.Bytes()} {
		if err := t.write(part); err != nil {
			return format.ColumnChunk{}, err
		}
	}
	return format.ColumnChunk{MetaData: format.ColumnMetaData{Type: physical(c),
		Encoding:     thrift.Slice[format.Encoding]{format.Plain, format.RLE},
		PathInSchema: thrift.Slice[string]{c.Name}, Codec: format.Gzip, NumValues: int64(n), DataPageOffset: at,
		TotalUncompressedSize: int64(len(header) + size), TotalCompressedSize: t.at - at}}, nil
}

// fill collects the values of a column that are there, and which are.
func (t *Writer) fill(c table.Values, n int) {
	t.data.Reset()
	t.valid, t.all = make([]byte, (n+7)/8), true
	var word []byte
	var truths, values int
	for i := range n {
		var there, truth bool
		switch word = word[:0]; {
		case c.Integers != nil:
			var v int64
			v, there = c.Integers(i)
			word = binary.LittleEndian.AppendUint64(word, uint64(v))
		case c.Floats != nil:
			var v float64
			v, there = c.Floats(i)
			word = binary.LittleEndian.AppendUint64(word, math.Float64bits(v))
		case c.Truths != nil:
			truth, there = c.Truths(i)
		default:
			v := c.Texts(i)
			there = v != ""
			word = append(binary.LittleEndian.AppendUint32(word, uint32(len(v))), v...)
		}
		if !there {
			t.all = false
			continue
		}
		t.valid[i/8] |= 1 << (i % 8)
		if c.Truths == nil {
			t.data.Write(word)
			continue
		}
		if truth {
			truths |= 1 << (values % 8)
		}
		if values++; values%8 == 0 {
			t.data.WriteByte(byte(truths))
			truths = 0
		}
	}
	if values%8 > 0 {
		t.data.WriteByte(byte(truths))
	}
}

// levels returns which of n values are there, as runs of bits behind their length: one run of ones, or the bits.
func (t *Writer) levels(n int) []byte {
	p := make([]byte, 4, 16+len(t.valid))
	if t.all {
		p = append(binary.AppendUvarint(p, uint64(n)<<1), 1)
	} else {
		p = append(binary.AppendUvarint(p, uint64(len(t.valid))<<1|1), t.valid...)
	}
	binary.LittleEndian.PutUint32(p, uint32(len(p)-4))
	return p
}

// Close completes the file. It does not close the io.Writer.
func (t *Writer) Close() error {
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &t.file)
	if err != nil {
		return err
	}
	return t.write(append(binary.LittleEndian.AppendUint32(footer, uint32(len(footer))), magic...))
}
