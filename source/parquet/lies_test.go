package parquet_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"runtime"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

// measureOpen opens a file, and returns its error and how much memory that took.
func measureOpen(t *testing.T, data []byte, limit int64) (took uint64, err error) {
	t.Helper()
	return measureAt(t, "", data, limit)
}

// measureAt opens a file with a path, and reads its first row.
func measureAt(t *testing.T, path string, data []byte, limit int64) (took uint64, err error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := &counted{Memory: data, path: path}
	rows, err := parquet.Open(t.Context(), f.opener, usual, table.NewCache(limit))
	if err == nil {
		_, err = rows.Row(0)
	}
	if media, ok := rows.(table.Media); ok && err == nil {
		_, err = media.Open(t.Context(), 0)
	}
	runtime.ReadMemStats(&after)
	assert.Zero(t, f.open.Load())
	return after.TotalAlloc - before.TotalAlloc, err
}

// footed appends a footer to data.
func footed(data, footer []byte) []byte {
	data = append(bytes.Clone(data), footer...)
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(footer))), "PAR1"...)
}

func thrifted(t testing.TB, v any) []byte {
	t.Helper()
	data, err := thrift.Marshal(&thrift.CompactProtocol{}, v)
	require.NoError(t, err)
	return data
}

// TestFootersThatLie changes the footer of a good file.
func TestFootersThatLie(t *testing.T) {
	good, err := os.ReadFile("testdata/paths_snappy_v1_plain.parquet")
	require.NoError(t, err)
	end := len(good) - 8 - int(binary.LittleEndian.Uint32(good[len(good)-8:]))
	for name, c := range map[string]struct {
		lie  func(m *format.FileMetaData)
		want error
	}{
		"nothing":           {func(*format.FileMetaData) {}, nil},
		"rows":              {func(m *format.FileMetaData) { m.RowGroups[0].NumRows = 1 << 40 }, spool.ErrTooLarge},
		"more rows":         {func(m *format.FileMetaData) { m.RowGroups[0].NumRows++ }, spool.ErrCorrupt},
		"fewer rows":        {func(m *format.FileMetaData) { m.RowGroups[0].NumRows-- }, spool.ErrCorrupt},
		"rows below 0":      {func(m *format.FileMetaData) { m.RowGroups[0].NumRows = -1 }, spool.ErrCorrupt},
		"rows beyond int64": {func(m *format.FileMetaData) { m.RowGroups[1].NumRows = math.MaxInt64 }, spool.ErrTooLarge},
		"a chunk's size": {func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[1].MetaData.TotalCompressedSize = 1 << 40
		}, spool.ErrCorrupt},
		"a chunk's end": {func(m *format.FileMetaData) { m.RowGroups[0].Columns[1].MetaData.TotalCompressedSize -= 5 },
			spool.ErrCorrupt},
		"sizes that go round": {func(m *format.FileMetaData) {
			m.RowGroups[0].Columns[1].MetaData.TotalCompressedSize = math.MaxInt64
		}, spool.ErrCorrupt},
		"a chunk's place": {func(m *format.FileMetaData) { m.RowGroups[0].Columns[1].MetaData.DataPageOffset = -1 << 62 },
			spool.ErrCorrupt},
		"a chunk's type": {func(m *format.FileMetaData) { m.RowGroups[0].Columns[1].MetaData.Type = format.Int64 },
			spool.ErrCorrupt},
		"a codec": {func(m *format.FileMetaData) { m.RowGroups[0].Columns[1].MetaData.Codec = format.Zstd },
			spool.ErrCorrupt},
		"no such codec": {func(m *format.FileMetaData) { m.RowGroups[0].Columns[1].MetaData.Codec = 99 },
			spool.ErrUnsupported},
		"columns": {func(m *format.FileMetaData) { m.RowGroups[0].Columns = m.RowGroups[0].Columns[:2] },
			spool.ErrCorrupt},
		"children":       {func(m *format.FileMetaData) { m.Schema[0].NumChildren.V = math.MaxInt32 }, spool.ErrCorrupt},
		"fewer children": {func(m *format.FileMetaData) { m.Schema[0].NumChildren.V = 1 }, spool.ErrCorrupt},
		"no schema":      {func(m *format.FileMetaData) { m.Schema = nil }, spool.ErrCorrupt},
		"another file": {func(m *format.FileMetaData) { m.RowGroups[0].Columns[1].FilePath = "/etc/passwd" },
			spool.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			var m format.FileMetaData
			require.NoError(t, thrift.Unmarshal(&thrift.CompactProtocol{}, good[end:len(good)-8], &m))
			c.lie(&m)
			for _, path := range []string{"", "local"} {
				took, err := measureAt(t, path, footed(good[:end], thrifted(t, &m)), 1<<20)
				if c.want == nil {
					assert.NoError(t, err)
				} else {
					assert.ErrorIs(t, err, c.want, path)
				}
				assert.Less(t, took, uint64(8<<20))
			}
		})
	}
}

// TestFootersThatPromise tests footers whose decoding would exhaust memory or stack.
func TestFootersThatPromise(t *testing.T) {
	many := []byte{0x19, 0xfc} // a list that declares 2^31-1 structures
	many = binary.AppendUvarint(many, math.MaxInt32)
	for name, footer := range map[string][]byte{
		"elements": append(append([]byte{0x15, 2}, many...), bytes.Repeat([]byte{0}, 1000)...),
		"depth":    bytes.Repeat([]byte{0x1c}, 10<<20),
		"lists":    append([]byte{0x29}, bytes.Repeat([]byte{0x19}, 10<<20)...),
		"text":     {0x68, 0xff, 0xff, 0xff, 0xff, 7},
		"maps":     {0x1b, 0xff, 0xff, 0xff, 0xff, 7, 0xcc},
	} {
		data := footed([]byte("PAR1"), footer)
		took, err := measureOpen(t, data, 1<<20)
		assert.ErrorIs(t, err, spool.ErrCorrupt, name)
		assert.Less(t, took, uint64(2*len(data)+1<<20), name)
	}
}

// single returns a file of one column of one chunk, which is valid except for its pages.
func single(t testing.TB, codec format.CompressionCodec, rows int64, text bool, pages ...any) []byte {
	t.Helper()
	data := []byte("PAR1")
	for _, p := range pages {
		switch p := p.(type) {
		case *format.PageHeader:
			data = append(data, thrifted(t, p)...)
		case []byte:
			data = append(data, p...)
		}
	}
	column := format.SchemaElement{Name: "path", Type: thrift.New(format.ByteArray),
		RepetitionType: thrift.New(format.Required)}
	if text {
		column.ConvertedType = thrift.New(deprecated.UTF8)
	}
	return footed(data, thrifted(t, &format.FileMetaData{
		Schema: []format.SchemaElement{{Name: "schema", NumChildren: thrift.New(int32(1))}, column},
		RowGroups: []format.RowGroup{{NumRows: rows, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: format.ByteArray, Codec: codec, DataPageOffset: 4, TotalCompressedSize: int64(len(data) - 4)}}}}},
	}))
}

func dataPage(values int32, encoding format.Encoding, compressed, size int) *format.PageHeader {
	return &format.PageHeader{Type: format.DataPage, CompressedPageSize: int32(compressed),
		UncompressedPageSize: int32(size),
		DataPageHeader:       thrift.New(format.DataPageHeader{NumValues: values, Encoding: encoding})}
}

func wordsPage(values int32, size int) *format.PageHeader {
	return &format.PageHeader{Type: format.DictionaryPage, CompressedPageSize: int32(size),
		UncompressedPageSize: int32(size),
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: values})}
}

func word(n int) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(n)), make([]byte, n)...)
}

// A page takes little memory for the sizes that it declares, and at most the limit for its content.
func TestPagesThatLie(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer z.Close()
	const limit = 1 << 20
	bomb := z.EncodeAll(make([]byte, 64<<20), nil)
	small := z.EncodeAll(word(1000), nil)
	snapped := snappy.Encode(nil, word(5))
	huge := binary.AppendUvarint(nil, 1<<31)
	// differences: blocks of 128, 4 miniblocks, total values, the first 0
	deltas := func(total uint64, rest ...byte) []byte {
		return append(append(binary.AppendUvarint([]byte{0x80, 1, 4}, total), 0), rest...)
	}
	for name, c := range map[string]struct {
		codec format.CompressionCodec
		rows  int64
		pages []any
		want  error
	}{
		"good": {format.Snappy, 1, []any{dataPage(1, format.Plain, len(snapped), 9), snapped}, nil},
		"size": {format.Snappy, 1, []any{dataPage(1, format.Plain, len(snapped), 1<<30), snapped},
			spool.ErrTooLarge},
		"size within the limit": {format.Snappy, 1, []any{dataPage(1, format.Plain, len(snapped), limit), snapped},
			spool.ErrCorrupt},
		"smaller than it is": {format.Snappy, 1, []any{dataPage(1, format.Plain, len(snapped), 8), snapped},
			spool.ErrCorrupt},
		"a bomb": {format.Zstd, 1, []any{dataPage(1, format.Plain, len(bomb), 1000), bomb}, spool.ErrCorrupt},
		"a bomb that says so": {format.Zstd, 1, []any{dataPage(1, format.Plain, len(bomb), 64<<20), bomb},
			spool.ErrTooLarge},
		"cut off": {format.Zstd, 1, []any{dataPage(1, format.Plain, len(small)-4, 1004), small[:len(small)-4]},
			spool.ErrCorrupt},
		"beyond the chunk": {format.Uncompressed, 1, []any{dataPage(1, format.Plain, 1<<20, 1<<20), word(5)},
			spool.ErrCorrupt},
		"below 0": {format.Uncompressed, 1, []any{dataPage(1, format.Plain, -1, -1), word(5)},
			spool.ErrCorrupt},
		"values": {format.Uncompressed, 1 << 30, []any{dataPage(1<<30, format.Plain, 9, 9), word(5)},
			spool.ErrTooLarge},
		"more values than bytes": {format.Uncompressed, 1 << 20, []any{dataPage(1<<20, format.Plain, 9, 9), word(5)},
			spool.ErrCorrupt},
		"a long value": {format.Uncompressed, 1,
			[]any{dataPage(1, format.Plain, 6, 6), []byte{255, 255, 255, 255, 0, 0}}, spool.ErrCorrupt},
		"no dictionary": {format.Uncompressed, 1, []any{dataPage(1, format.RLEDictionary, 3, 3), []byte{1, 2, 0}},
			spool.ErrCorrupt},
		"not in the dictionary": {format.Uncompressed, 1,
			[]any{wordsPage(1, 9), word(5), dataPage(1, format.RLEDictionary, 3, 3), []byte{1, 2, 1}}, spool.ErrCorrupt},
		"two dictionaries": {format.Uncompressed, 1, []any{wordsPage(1, 9), word(5), wordsPage(1, 9), word(5)},
			spool.ErrCorrupt},
		"a long run": {format.Uncompressed, 1,
			[]any{wordsPage(1, 9), word(5), dataPage(1, format.RLEDictionary, 7, 7), append([]byte{1}, append(huge, 0)...)},
			nil},
		"one word again and again": {format.Uncompressed, 1 << 20, []any{wordsPage(1, 1004), word(1000),
			dataPage(1<<20, format.RLEDictionary, 7, 7), append([]byte{1}, append(huge, 0)...)}, spool.ErrTooLarge},
		"differences": {format.Uncompressed, 1,
			[]any{dataPage(1, format.DeltaLengthByteArray, 9, 9), append(deltas(math.MaxInt32), 0, 0)}, spool.ErrCorrupt},
		"no miniblocks": {format.Uncompressed, 1,
			[]any{dataPage(1, format.DeltaLengthByteArray, 4, 4), []byte{0x80, 1, 0, 1}}, spool.ErrCorrupt},
		"shared prefix": {format.Uncompressed, 1,
			[]any{dataPage(1, format.DeltaByteArray, 10, 10), append(append([]byte{0x80, 1, 4, 1, 10}, deltas(1)...), 0)[:10]},
			spool.ErrCorrupt},
		"of another way": {format.Uncompressed, 1, []any{dataPage(1, format.BitPacked, 9, 9), word(5)}, spool.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			for _, form := range []struct {
				text bool
				path string
			}{{true, ""}, {false, ""}, {true, "local"}} {
				want := c.want
				if name == "one word again and again" && (!form.text || form.path != "") {
					want = nil // they are parts of one page
				}
				took, err := measureAt(t, form.path, single(t, c.codec, c.rows, form.text, c.pages...), limit)
				if want == nil {
					assert.NoError(t, err)
				} else {
					assert.ErrorIs(t, err, want)
				}
				assert.Less(t, took, uint64(64<<20))
			}
		})
	}
}

// TestTruncated: nothing is read from a file that is truncated anywhere.
func TestTruncated(t *testing.T) {
	good, err := os.ReadFile("testdata/media_snappy.parquet")
	require.NoError(t, err)
	for n := range good {
		_, err := measureOpen(t, good[:n], 1<<20)
		want := spool.ErrTruncated
		if n == len(good)-4 || n >= 12 && string(good[n-4:n]) == "PAR1" {
			continue
		}
		require.ErrorIs(t, err, want, n)
	}
	_, err = measureOpen(t, bytes.Repeat([]byte("no file"), 100), 1<<20)
	assert.ErrorIs(t, err, spool.ErrNotMedia)
	_, err = measureOpen(t, append(bytes.Repeat([]byte{0}, 100), "PARE"...), 1<<20)
	assert.ErrorIs(t, err, spool.ErrUnsupported)
}

// BenchmarkOpen reads as many paths as ImageNet has.
func BenchmarkOpen(b *testing.B) {
	const rows, pageRows = 1_281_167, 20_000
	var pages []any
	for first := 0; first < rows; first += pageRows {
		n := min(pageRows, rows-first)
		var body []byte
		for i := first; i < first+n; i++ {
			path := fmt.Sprintf("train/n%08d/n%08d_%d.JPEG", i%1000, i%1000, i)
			body = append(binary.LittleEndian.AppendUint32(body, uint32(len(path))), path...)
		}
		packed := snappy.Encode(nil, body)
		pages = append(pages, dataPage(int32(n), format.Plain, len(packed), len(body)), packed)
	}
	f := &counted{Memory: single(b, format.Snappy, rows, true, pages...)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parquet.Open(b.Context(), f.opener, usual, table.NewCache(1<<30)); err != nil {
			b.Fatal(err)
		}
	}
}
