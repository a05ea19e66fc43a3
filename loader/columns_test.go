package loader_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch/column"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source"
)

// TestColumns: columns of a table have the types of their values, and belong to the samples of their batch.
func TestColumns(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.ppm"), []byte("P6 1 1 255\nabc"), 0o600))
	var lines, csv strings.Builder
	csv.WriteString("image,n\n")
	for k := range 10 {
		fmt.Fprintf(&lines, `{"image":"%s/a.ppm","n":%d,"x":%d.5,"s":"é%d","ok":%t,"list":[%d],"mixed":%s,"v":[%d,1]}`+"\n",
			folder, k, k, k, k%2 == 0, k, []string{`"a"`, "1"}[k%2], k)
		fmt.Fprintf(&csv, "%s/a.ppm,%d\n", folder, k)
	}
	lines.WriteString(`{"image":"` + folder + `/a.ppm"}` + "\n")
	table := filepath.Join(folder, "t.jsonl")
	require.NoError(t, os.WriteFile(table, []byte(lines.String()), 0o600))
	other := filepath.Join(folder, "t.csv")
	require.NoError(t, os.WriteFile(other, []byte(csv.String()), 0o600))

	schema := append(record.Schema{
		{Name: "image", Kind: record.Image{Spec: image.Spec{Resize: spec(1).Resize}}},
		{Name: "text", Input: "s", Optional: true, Kind: record.Text{}},
		{Name: "number", Input: "n", Optional: true, Kind: record.Number{DType: spool.Int64}},
		{Name: "vector", Input: "v", Optional: true,
			Kind: record.Number{DType: spool.Float32, Shape: spool.Shape{2}}},
	}, record.Columns("n", "x", "s", "ok", "list", "mixed")...)
	fields := []column.Field{{Name: "text", Format: "u"}, {Name: "number", Format: "l"},
		{Name: "vector", Format: "+w:2", Element: "f"}, {Name: "n", Format: "l"}, {Name: "x", Format: "g"},
		{Name: "s", Format: "u"}, {Name: "ok", Format: "b"}, {Name: "list", Format: "u"}, {Name: "mixed", Format: "u"}}
	inputs := schema.Inputs()
	src, err := source.OpenRecords(t.Context(), []string{table}, inputs, source.Options{})
	require.NoError(t, err)
	ld, err := loader.Records(src, loader.RecordOptions{Schema: schema,
		Options: loader.Options{Batch: 4, Shuffle: true, Workers: 3}})
	require.NoError(t, err)
	require.Equal(t, fields, ld.Columns())
	seen := 0
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		columns, err := column.Of(b, ld.Columns())
		require.NoError(t, err)
		for i, s := range b.Samples {
			k := int(s.ID)
			want := []any{fmt.Sprintf("é%d", k), int64(k), []any{float32(k), float32(1)}, int64(k), float64(k) + 0.5,
				fmt.Sprintf("é%d", k), k%2 == 0, fmt.Sprintf("[%d]", k), []string{"a", "1"}[k%2]}
			if k == 10 {
				want = make([]any, len(fields))
			}
			for f := range columns {
				assert.Equal(t, want[f], columns[f].Value(i), "sample %d, column %s", k, columns[f].Name)
			}
			seen++
		}
		b.Release()
	}
	assert.Equal(t, 11, seen)
	require.NoError(t, ld.Close())

	// Tables whose types differ give text.
	schema = append(record.Schema{schema[0]}, record.Columns("n")...)
	inputs = schema.Inputs()
	src, err = source.OpenRecords(t.Context(), []string{table, other}, inputs, source.Options{})
	require.NoError(t, err)
	format, _ := src.Format(1)
	assert.Equal(t, "u", format)
}
