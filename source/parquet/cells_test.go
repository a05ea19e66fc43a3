package parquet_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

// all are the columns of a table that is read cell by cell.
var all = table.Columns{Cells: true}

// expectedCells are the cells of each file, by column: their type, text (bytes in base64) and path.
func expectedCells(t *testing.T) map[string]map[string][][3]string {
	t.Helper()
	text, err := os.ReadFile("testdata/cells.json")
	require.NoError(t, err)
	var expected map[string]map[string][][3]string
	require.NoError(t, json.Unmarshal(text, &expected))
	require.Greater(t, len(expected), 5)
	return expected
}

// TestCells compares all cells of all types with what pyarrow reads.
func TestCells(t *testing.T) {
	for file, columns := range expectedCells(t) {
		for _, limit := range []int64{2 << 10, 1 << 20} { // pages are read again, or cached
			rows, f, err := open(t, file, all, limit)
			require.NoError(t, err)
			cells := rows.(table.Cells)
			for column, want := range columns {
				require.Equal(t, len(want), cells.Len())
				for k := range cells.Len() {
					k = k * 7 % cells.Len() // 7 and the number of rows have no common divisor
					got, err := cells.Cell(t.Context(), k, strings.ToUpper(column))
					require.NoError(t, err, "%s %s %d", file, column, k)
					equal(t, want[k], got, "%s %s %d", file, column, k)
				}
			}
			assert.Zero(t, f.open.Load())
		}
	}
}

func equal(t *testing.T, want [3]string, got table.Cell, message ...any) {
	t.Helper()
	require.Equal(t, want[0], got.Type.String(), message...)
	require.Equal(t, want[2], got.Path, message...)
	switch got.Type {
	case table.Bytes:
		require.Equal(t, want[1], base64.StdEncoding.EncodeToString(got.Data), message...)
	case table.JSON:
		require.JSONEq(t, want[1], string(got.Data), message...)
	case table.Number:
		if want[1] == string(got.Data) {
			return
		}
		x, err := strconv.ParseFloat(want[1], 64)
		require.NoError(t, err, message...)
		y, err := strconv.ParseFloat(string(got.Data), 32)
		require.NoError(t, err, message...)
		if math.IsNaN(x) && math.IsNaN(y) {
			return
		}
		if z, _ := strconv.ParseFloat(string(got.Data), 64); z != x { // a number of 32 bits, or fewer
			require.Equal(t, x, y, message...)
		}
		require.LessOrEqual(t, len(got.Data), max(len(want[1]), 22), message...)
	default:
		require.Equal(t, want[1], string(got.Data), message...)
	}
}

// TestColumnsOfCells: structures have columns within them, and lists are one column.
func TestColumnsOfCells(t *testing.T) {
	rows, _, err := open(t, "cells_words.parquet", all, 1<<20)
	require.NoError(t, err)
	cells := rows.(table.Cells)
	assert.Equal(t, []table.Column{{Name: "vector", Type: table.JSON, Format: "+l", Element: "f"},
		{Name: "long", Type: table.JSON, Format: "+l", Element: "l"},
		{Name: "lists", Type: table.JSON}, {Name: "meta", Type: table.JSON},
		{Name: "meta.Size", Type: table.Number, Format: "i"},
		{Name: "meta.inner", Type: table.JSON}, {Name: "meta.inner.c", Type: table.Text, Format: "u"},
		{Name: "meta.inner.d", Type: table.JSON, Format: "+l", Element: "i"},
		{Name: "points", Type: table.JSON}, {Name: "map", Type: table.JSON},
		{Name: "image", Type: table.Bytes},
		{Name: "image.bytes", Type: table.Bytes, Format: "z"}, {Name: "image.path", Type: table.Text, Format: "u"},
		{Name: "list_of_bytes", Type: table.JSON, Format: "+l", Element: "C"}, {Name: "word", Type: table.Text, Format: "u"},
		{Name: "text", Type: table.Text, Format: "u"},
	}, cells.Columns())
	assert.Equal(t, []int{16, 8}, rows.(table.Parted).Sizes())
	for column, want := range map[string]string{"Meta.size": "1", "meta.INNER.d": "[1]", "meta.inner": `{"c":`,
		"image.path": "1.jpg", "map": `[{"key":"k0","value":0}]`, "meta.nothing": "", "": ""} {
		cell, err := cells.Cell(t.Context(), 1, column)
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(string(cell.Data), want), "%s: %s", column, cell.Data)
		assert.Equal(t, want == "", cell.Type == table.Absent)
	}
	row, err := rows.Row(1)
	require.NoError(t, err)
	assert.Equal(t, table.Row{}, row)
}

// TestFormats: columns have the types that pyarrow reads.
func TestFormats(t *testing.T) {
	want := map[string]string{"truth": "b", "Int8": "c", "uint8": "C", "int32": "i", "uint32": "I", "int64": "l",
		"uint64": "L", "half": "e", "float": "f", "double": "g", "text": "u", "large": "u", "word": "u", "binary": "z",
		"fixed": "w:5", "decimal": "d:20,3", "small_decimal": "d:6,2", "date": "tdD", "time": "tsu:", "uuid": "u",
		"json": "u"}
	for _, file := range []string{"cells_v1.parquet", "cells_v2.parquet", "cells_required.parquet",
		"cells_int96.parquet"} {
		rows, _, err := open(t, file, all, 1<<20)
		require.NoError(t, err)
		for _, column := range rows.(table.Cells).Columns() {
			switch {
			case column.Name == "time" && file == "cells_int96.parquet":
				assert.Equal(t, "tsn:", column.Format)
			case want[column.Name] != "":
				assert.Equal(t, want[column.Name], column.Format, "%s %s", file, column.Name)
			}
		}
	}
}

// TestPathsOfCells: a column of paths is read for names, and other columns of that name are not an error.
func TestPathsOfCells(t *testing.T) {
	for _, c := range []struct {
		file, path string
		want       table.Row
	}{
		{"paths_none_v1_plain.parquet", "path", table.Row{Path: "train/n00000001/n00000001_1.JPEG"}},
		{"cells_words.parquet", "vector", table.Row{}},
		{"cells_words.parquet", "image", table.Row{Path: "1.jpg", Key: "1.jpg", Held: true}},
		{"cells_words.parquet", "image.bytes", table.Row{}},
		{"media_elsewhere.parquet", "image", table.Row{Path: "train/n00000001/n00000001_1.JPEG"}},
		{"cells_words.parquet", "none", table.Row{}},
	} {
		rows, _, err := open(t, c.file, table.Columns{Path: []string{c.path}, Cells: true}, 1<<20)
		require.NoError(t, err)
		row, err := rows.Row(1)
		require.NoError(t, err)
		assert.Equal(t, c.want, row, c.path)
	}
	_, _, err := open(t, "refused_float.parquet", table.Columns{Label: []string{"label"}, Cells: true}, 1<<20)
	assert.ErrorIs(t, err, table.ErrLabel)
	rows, _, err := open(t, "refused_brotli.parquet", all, 1<<20)
	require.NoError(t, err, "a column that nobody reads")
	_, err = rows.(table.Cells).Cell(t.Context(), 0, "label")
	assert.ErrorIs(t, err, spool.ErrUnsupported)
}

func TestCellsByMany(t *testing.T) {
	expected := expectedCells(t)["cells_v2.parquet"]
	rows, f, err := open(t, "cells_v2.parquet", all, 4<<10)
	require.NoError(t, err)
	cells := rows.(table.Cells)
	var workers sync.WaitGroup
	for _, column := range []string{"vector", "long", "meta", "text"} {
		workers.Go(func() {
			for k := range cells.Len() {
				got, err := cells.Cell(t.Context(), k, column)
				if assert.NoError(t, err) {
					assert.Equal(t, expected[column][k][0], got.Type.String())
				}
			}
		})
	}
	workers.Wait()
	assert.Zero(t, f.open.Load())
}

// TestDamagedCells: damage of a column is the error of its cells, and of no others.
func TestDamagedCells(t *testing.T) {
	rows, f, err := open(t, "cells_v1.parquet", all, 1<<20)
	require.NoError(t, err)
	before, err := rows.(table.Cells).Cell(t.Context(), 10, "long")
	require.NoError(t, err)
	at := strings.Index(string(f.Memory), "\x15\x00\x15") // a data page without compression
	require.Positive(t, at)
	lost := 0
	footer := int(binary.LittleEndian.Uint32(f.Memory[len(f.Memory)-8:]))
	for off := at; off < len(f.Memory)-footer-24; off += 397 {
		damaged := &counted{Memory: append([]byte(nil), f.Memory...)}
		clear(damaged.Memory[off : off+16])
		rows, err := parquet.Open(t.Context(), damaged.opener, all, table.NewCache(1<<20))
		require.NoError(t, err)
		for _, column := range rows.(table.Cells).Columns() {
			for k := range rows.Len() {
				if _, err := rows.(table.Cells).Cell(t.Context(), k, column.Name); err != nil {
					require.NotEmpty(t, spool.ClassOf(err), "%v", err)
					lost++
				}
			}
		}
		require.Zero(t, damaged.open.Load())
	}
	assert.Positive(t, lost)
	again, err := rows.(table.Cells).Cell(t.Context(), 10, "long")
	require.NoError(t, err)
	assert.Equal(t, before, again)
}

// splitLists returns a file of a column of lists of integers, whose pages begin within rows.
func splitLists(t testing.TB, rows int64, pages [][]int32, repeats [][]byte) []byte {
	t.Helper()
	data := []byte("PAR1")
	for i, values := range pages {
		bits := byte(0)
		for k, level := range repeats[i] {
			bits |= level << k
		}
		var p []byte
		for _, levels := range [][]byte{{3, bits}, {byte(len(values) << 1), 1}} { // a bit-packed group, and a run
			p = append(binary.LittleEndian.AppendUint32(p, uint32(len(levels))), levels...)
		}
		for _, v := range values {
			p = binary.LittleEndian.AppendUint32(p, uint32(v))
		}
		data = append(data, thrifted(t, &format.PageHeader{Type: format.DataPage, CompressedPageSize: int32(len(p)),
			UncompressedPageSize: int32(len(p)), DataPageHeader: thrift.New(format.DataPageHeader{
				NumValues: int32(len(values)), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE,
				RepetitionLevelEncoding: format.RLE})})...)
		data = append(data, p...)
	}
	return footed(data, thrifted(t, &format.FileMetaData{Version: 1, NumRows: rows,
		Schema: []format.SchemaElement{{Name: "root", NumChildren: thrift.New(int32(1))},
			{Name: "v", Type: thrift.New(format.Int32), RepetitionType: thrift.New(format.Repeated)}},
		RowGroups: []format.RowGroup{{NumRows: rows, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: format.Int32, Codec: format.Uncompressed, DataPageOffset: 4, TotalCompressedSize: int64(len(data) - 4)}}}}}}))
}

// TestListsAcrossPages: a row may go on in the next pages.
func TestListsAcrossPages(t *testing.T) {
	pages := [][]int32{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9}}
	repeats := [][]byte{{0, 1}, {1, 0}, {1, 1}, {1, 0}, {0}}
	f := &counted{Memory: splitLists(t, 4, pages, repeats)}
	rows, err := parquet.Open(t.Context(), f.opener, all, table.NewCache(1<<20))
	require.NoError(t, err)
	for k, want := range []string{"[1,2,3]", "[4,5,6,7]", "[8]", "[9]"} {
		cell, err := rows.(table.Cells).Cell(t.Context(), k, "v")
		require.NoError(t, err)
		assert.Equal(t, want, string(cell.Data))
	}
	for name, c := range map[string]struct {
		rows    int64
		repeats [][]byte
	}{
		"too few rows": {5, repeats}, "too many": {3, repeats},
		"begins within": {3, [][]byte{{1, 1}, {1, 0}, {1, 1}, {1, 0}, {0}}},
	} {
		f := &counted{Memory: splitLists(t, c.rows, pages, c.repeats)}
		rows, err := parquet.Open(t.Context(), f.opener, all, table.NewCache(1<<20))
		require.NoError(t, err)
		_, err = rows.(table.Cells).Cell(t.Context(), 0, "v")
		assert.ErrorIs(t, err, spool.ErrCorrupt, name)
	}
}
