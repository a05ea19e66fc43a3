package arrow_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

var formats = source.Options{Formats: map[string]table.Format{".arrow": arrow.Open, ".parquet": parquet.Open}}

// open opens data as a table with cells.
func open(t testing.TB, data []byte) (table.Cells, error) {
	t.Helper()
	rows, err := arrow.Open(context.Background(), func(context.Context) (spool.Object, error) {
		return spool.Bytes{Data: data}, nil
	}, table.Columns{Path: []string{"image"}, Cells: true}, table.NewCache(1<<20))
	if err != nil {
		return nil, err
	}
	return rows.(table.Cells), nil
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return data
}

// expected is what pyarrow reads: rows of each column. Bytes are base64.
func expected(t testing.TB) map[string][]any {
	t.Helper()
	var columns map[string][]any
	d := json.NewDecoder(bytes.NewReader(read(t, "expected.json")))
	d.UseNumber()
	require.NoError(t, d.Decode(&columns))
	return columns
}

// plain returns a cell in the form of expected.
func plain(t testing.TB, c table.Cell) any {
	t.Helper()
	switch c.Type {
	case table.Absent:
		return nil
	case table.Text:
		return string(c.Data)
	case table.Bytes:
		return base64.StdEncoding.EncodeToString(c.Data)
	case table.Number:
		switch text := string(c.Data); text {
		case "NaN", "Infinity", "-Infinity":
			return map[string]string{"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}[text]
		}
	case table.JSON:
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(c.Data))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), "%s", c.Data)
	return v
}

// same compares values, numbers by their float64 unless they are integers.
func same(t testing.TB, want, got any, where string) {
	t.Helper()
	switch w := want.(type) {
	case json.Number:
		if strings.ContainsAny(w.String(), ".e") {
			a, err := w.Float64()
			require.NoError(t, err)
			b, err := got.(json.Number).Float64()
			require.NoError(t, err)
			require.Equal(t, a, b, where)
			return
		}
	case []any:
		list, ok := got.([]any)
		require.True(t, ok, where)
		require.Len(t, list, len(w), where)
		for i := range w {
			if w[i] == "nan" || w[i] == "inf" {
				w[i] = nil // in lists
			}
			same(t, w[i], list[i], where)
		}
		return
	case map[string]any:
		fields, ok := got.(map[string]any)
		require.True(t, ok, "%s: %v", where, got)
		require.Len(t, fields, len(w), where)
		for name := range w {
			same(t, w[name], fields[name], where)
		}
		return
	}
	require.Equal(t, want, got, where)
}

// TestCells compares all cells with what pyarrow reads, in any order of rows.
func TestCells(t *testing.T) {
	want := expected(t)
	for _, name := range []string{"types.arrow", "file.arrow", "legacy.arrow"} {
		cells, err := open(t, read(t, name))
		require.NoError(t, err, name)
		require.Equal(t, 23, cells.Len())
		seen := 0
		for _, column := range cells.Columns() {
			values, ok := want[column.Name]
			if !ok {
				require.Contains(t, column.Name, ".")
				continue
			}
			seen++
			for k := range cells.Len() {
				k = (k*7 + 3) % cells.Len()
				where := fmt.Sprintf("%s: %s of row %d", name, column.Name, k)
				cell, err := cells.Cell(t.Context(), k, strings.ToUpper(column.Name))
				require.NoError(t, err, where)
				if picture, ok := values[k].(map[string]any); ok && column.Name == "image" {
					assert.Equal(t, picture["path"], cell.Path)
					if picture["bytes"] != nil {
						assert.Equal(t, table.Bytes, cell.Type)
						same(t, picture["bytes"], plain(t, cell), where)
						continue
					}
				}
				same(t, values[k], plain(t, cell), where)
			}
		}
		assert.Equal(t, map[string]int{"types.arrow": len(want), "file.arrow": len(want) - 1, "legacy.arrow": 3}[name], seen)
	}
}

func TestColumns(t *testing.T) {
	cells, err := open(t, read(t, "types.arrow"))
	require.NoError(t, err)
	formats := map[string]string{}
	for _, c := range cells.Columns() {
		formats[c.Name] = c.Format + c.Element
	}
	assert.Equal(t, map[string]string{"image": "", "image.bytes": "z", "image.path": "u", "text": "u", "long": "u",
		"data": "z", "large_data": "z", "fixed": "w:3", "truth": "b", "nothing": "", "vector": "+lf", "numbers": "+ls",
		"pair": "+lg", "grid": "", "words": "+lu", "flags": "+lb", "blobs": "", "meta": "", "meta.Size": "l",
		"meta.inner": "", "meta.inner.c": "u", "meta.inner.d": "g", "map": "", "f16": "e", "f32": "f", "f64": "g",
		"date": "tdD", "stamp": "tsu:UTC", "clock": "ttm", "span": "tDn", "label": "l", "key": "u", "int8": "c",
		"int16": "s", "int32": "i", "int64": "l", "uint8": "C", "uint16": "S", "uint32": "I", "uint64": "L"}, formats)
	cell, err := cells.Cell(t.Context(), 6, "meta.inner.d")
	require.NoError(t, err)
	assert.Equal(t, table.Cell{Type: table.Number, Data: []byte("3")}, cell)
	cell, err = cells.Cell(t.Context(), 8, "meta.inner.c") // the structure is missing
	require.NoError(t, err)
	assert.Equal(t, table.Cell{}, cell)
	assert.Equal(t, source.Item{ID: 4, Name: "testdata/types.arrow:5", Label: 1, Key: "k4"},
		item(t, "testdata/types.arrow", 4))
}

// item returns an item of a manifest.
func item(t *testing.T, name string, i int) source.Item {
	t.Helper()
	l, err := source.Open(t.Context(), []string{name}, formats)
	require.NoError(t, err)
	return l.Item(i)
}

// TestSaved: a folder that datasets has saved, as a manifest and as records.
func TestSaved(t *testing.T) {
	const root = "testdata/saved/train"
	l, err := source.Open(t.Context(), []string{root}, formats)
	require.NoError(t, err)
	require.Equal(t, 9, l.Len())
	assert.Equal(t, []int{5, 4}, l.Sizes())
	r, err := source.OpenRecords(t.Context(), []string{root}, []source.Input{{Name: "image"},
		{Name: "caption", Value: true}, {Name: "vector", Value: true}}, formats)
	require.NoError(t, err)
	require.Equal(t, 9, r.Len())
	for i := range r.Len() {
		assert.Equal(t, source.Item{ID: int64(i), Name: fmt.Sprintf("%s/data-0000%d-of-00002.arrow:%d", root, i/5, i%5+1),
			Label: int64(i % 2), Key: fmt.Sprintf("%d.png", i)}, r.Item(i))
		assert.Equal(t, r.Item(i), l.Item(i))
		o, err := l.Open(t.Context(), i)
		require.NoError(t, err)
		picture, err := spool.ReadAll(t.Context(), o, nil, 1<<20)
		require.NoError(t, err)
		require.NoError(t, o.Close())
		assert.True(t, bytes.HasPrefix(picture, []byte("\x89PNG")))
		assert.Equal(t, picture, input(t, r, i, 0))
		assert.Equal(t, fmt.Sprintf("flower %d", i), string(input(t, r, i, 1)))
		assert.JSONEq(t, fmt.Sprintf("[%d,%d.5]", i, i), string(input(t, r, i, 2)))
	}
	where := formats
	where.Where = "label == 1"
	l, err = source.Open(t.Context(), []string{root}, where)
	require.NoError(t, err)
	assert.Equal(t, 4, l.Len())
	_, err = source.OpenStream(t.Context(), []string{root}, formats)
	require.NoError(t, err)

	_, err = source.Open(t.Context(), []string{"testdata/saved"}, formats)
	require.EqualError(t, err, "list testdata/saved: unsupported: a DatasetDict: give the folder of one of its splits, "+
		"which are train, test")
	folder := t.TempDir()
	state := filepath.Join(folder, "state.json")
	require.NoError(t, os.WriteFile(state, []byte(`{"_data_files":[{"filename":"../x.arrow"}]}`), 0o600))
	_, err = source.Open(t.Context(), []string{folder}, formats)
	require.ErrorContains(t, err, "cannot be called")
	require.NoError(t, os.WriteFile(state, []byte(`[1]`), 0o600)) // of something else
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.jpg"), []byte("x"), 0o600))
	assert.Equal(t, filepath.Join(folder, "a.jpg"), item(t, folder, 0).Name)
}

func input(t *testing.T, r *source.Records, i, k int) []byte {
	t.Helper()
	o, err := r.OpenInput(t.Context(), i, k)
	require.NoError(t, err)
	defer o.Close()
	data, err := spool.ReadAll(t.Context(), o, nil, 1<<20)
	require.NoError(t, err)
	return data
}

func TestInferInputs(t *testing.T) {
	found, err := source.InferInputs(t.Context(), []string{"testdata/saved/train"}, formats)
	require.NoError(t, err)
	kinds := map[string]string{}
	for _, in := range found {
		kinds[in.Name] = in.Kind
	}
	assert.Equal(t, map[string]string{"image": "image", "caption": "text", "label": "number", "vector": "number"}, kinds)
}

func TestRefused(t *testing.T) {
	for name, text := range map[string]string{
		"lz4":   "unsupported: record batches are compressed by LZ4: write the file without compression",
		"zstd":  "unsupported: record batches are compressed by ZSTD: write the file without compression",
		"view":  "unsupported: column odd has the type string_view",
		"union": "unsupported: column odd has the type union",
	} {
		_, err := source.Open(t.Context(), []string{"testdata/" + name + ".arrow"}, formats)
		require.EqualError(t, err, "read testdata/"+name+".arrow: "+text)
	}
	cells, err := open(t, read(t, "dictionary.arrow"))
	require.NoError(t, err)
	for column, text := range map[string]string{"word": "dictionary", "money": "decimal"} {
		_, err = cells.Cell(t.Context(), 1, column)
		require.EqualError(t, err, "read: unsupported: column "+column+" has the type "+text)
	}
	cell, err := cells.Cell(t.Context(), 1, "path")
	require.NoError(t, err)
	assert.Equal(t, "y", string(cell.Data))
	_, err = source.Open(t.Context(), []string{"testdata/dictionary.arrow"},
		source.Options{Formats: formats.Formats, Path: "n"})
	require.ErrorContains(t, err, "no column of the manifest is called n; there are word, path, money")
	for _, text := range []string{"", "short", "an image, which is no Arrow stream", "\xff\xff\xff\xff\x00\x00\x00\x00"} {
		_, err = open(t, []byte(text))
		require.Contains(t, []spool.Class{spool.ErrCorrupt, spool.ErrTruncated}, spool.ClassOf(err), text)
	}
}

// TestDamage: a file that ends anywhere, or with changed bytes, is refused with a class, or gives cells or such errors.
func TestDamage(t *testing.T) {
	whole := read(t, "file.arrow")
	classes := []spool.Class{spool.ErrCorrupt, spool.ErrTruncated, spool.ErrTooLarge, spool.ErrUnsupported}
	examine := func(data []byte, what string) {
		cells, err := open(t, data)
		if err != nil {
			require.Contains(t, classes, spool.ClassOf(err), what)
			return
		}
		for _, c := range cells.Columns() {
			for k := range min(cells.Len(), 30) {
				if _, err := cells.Cell(t.Context(), k, c.Name); err != nil {
					require.Contains(t, classes, spool.ClassOf(err), "%s: %v", what, err)
				}
			}
		}
	}
	for n := 0; n < len(whole)-1; n += short.Of(151, 599) {
		examine(whole[:n], fmt.Sprintf("%d bytes", n))
	}
	for at := 0; at < len(whole); at += short.Of(13, 67) {
		damaged := slices.Clone(whole)
		damaged[at] ^= byte(1 + at*31%255)
		examine(damaged, fmt.Sprintf("byte %d", at))
	}
}

func TestChanged(t *testing.T) {
	data := read(t, "types.arrow")
	rows, err := arrow.Open(t.Context(), func(context.Context) (spool.Object, error) {
		return spool.Bytes{Data: data}, nil
	}, table.Columns{Cells: true}, table.NewCache(1<<20))
	require.NoError(t, err)
	data = append(data, 0)
	_, err = rows.(table.Cells).Cell(t.Context(), 1, "text")
	require.ErrorContains(t, err, "the file was changed")
}

// FuzzOpen: any bytes are refused, or have cells or errors of them.
func FuzzOpen(f *testing.F) {
	for _, name := range []string{"legacy.arrow", "dictionary.arrow", "saved/test/data-00000-of-00001.arrow"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		cells, err := open(t, data)
		if err != nil {
			require.NotEmpty(t, spool.ClassOf(err))
			return
		}
		fuzzed.Accept()
		for _, c := range cells.Columns() {
			for k := range min(cells.Len(), 10) {
				_, _ = cells.Cell(t.Context(), k, c.Name)
			}
		}
	})
}
