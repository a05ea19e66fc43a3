package chunked_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/chunked"
	"github.com/spoolmedia/spool/source/table"
)

var options = source.Options{Sets: map[string]table.Set{"index.json": chunked.Set()}, Ignore: []string{"*"}}

// expected returns what the format's own reader reads.
func expected(t *testing.T, name string) (rows []map[string]any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&rows))
	return rows
}

func decoded(t *testing.T, v any) string {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(v.(string))
	require.NoError(t, err)
	return string(data)
}

// contents returns the bytes of an object, which it closes.
func contents(t *testing.T, o spool.Object, err error) string {
	t.Helper()
	require.NoError(t, err)
	defer o.Close()
	data, err := spool.ReadAll(context.Background(), o, nil, 0)
	require.NoError(t, err)
	return string(data)
}

// sets are the data sets, and what their own readers read in them.
var sets = map[string]string{"mds": "mds.json", "mds-zstd": "mds.json", "lit": "lit.json", "lit-zstd": "lit.json"}

// Samples are the images with their labels and keys, in the order of the index, in any order of reading.
func TestImages(t *testing.T) {
	ctx := context.Background()
	for name, answers := range sets {
		want := expected(t, answers)
		for _, path := range []string{"testdata/" + name, "testdata/" + name + "/index.json"} {
			src, err := source.Open(ctx, []string{path}, options)
			require.NoError(t, err)
			require.Equal(t, len(want), src.Len())
			assert.Len(t, src.Sizes(), 3)
			for i := range slices.Backward(want) {
				label, err := want[i]["label"].(json.Number).Int64()
				require.NoError(t, err)
				assert.Equal(t, label, src.Item(i).Label)
				assert.Equal(t, want[i]["key"], src.Item(i).Key)
				o, err := src.Open(ctx, i)
				assert.Equal(t, decoded(t, want[i]["image"]), contents(t, o, err))
			}
		}
	}
}

// Inputs have the values that the formats' own readers read.
func TestValues(t *testing.T) {
	ctx := context.Background()
	for name, answers := range sets {
		inputs := []source.Input{{Name: "image"}}
		for _, value := range map[string][]string{
			"mds.json": {"raw", "key", "meta", "half", "small", "wide", "score", "exact", "label"},
			"lit.json": {"key", "label", "pair.0", "pair.1"},
		}[answers] {
			inputs = append(inputs, source.Input{Name: value, Value: true})
		}
		src, err := source.OpenRecords(ctx, []string{"testdata/" + name}, inputs, options)
		require.NoError(t, err)
		for i, row := range expected(t, answers) {
			for k, in := range inputs {
				o, err := src.OpenInput(ctx, i, k)
				got := contents(t, o, err)
				if column, at, inside := strings.Cut(in.Name, "."); inside {
					row[in.Name] = row[column].([]any)[at[0]-'0']
				}
				switch v := row[in.Name].(type) {
				case json.Number:
					want, err := v.Float64()
					require.NoError(t, err)
					f, err := json.Number(got).Float64()
					require.NoError(t, err)
					assert.InDelta(t, want, f, 1e-7*max(1, math.Abs(want)), in.Name)
				case string:
					if in.Name != "key" {
						v = decoded(t, v)
					}
					assert.Equal(t, v, got)
				default:
					text, err := json.Marshal(v)
					require.NoError(t, err)
					assert.JSONEq(t, string(text), got)
				}
			}
		}
	}
	src, err := source.OpenRecords(ctx, []string{"testdata/mds"}, []source.Input{{Name: "wide", Value: true},
		{Name: "array", Value: true}}, options)
	require.NoError(t, err)
	o, err := src.OpenInput(ctx, 3, 0)
	assert.Equal(t, "18446744073709551612", contents(t, o, err))
	_, err = src.OpenInput(ctx, 3, 1)
	assert.ErrorIs(t, err, spool.ErrUnsupported)
}

// changed copies a data set with a change of its index, and opens it.
func changed(t *testing.T, name, from, to string) (*source.Listing, error) {
	t.Helper()
	folder := t.TempDir()
	files, err := filepath.Glob("testdata/" + name + "/*")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		if filepath.Base(file) == "index.json" {
			require.Contains(t, string(data), from)
			data = []byte(strings.ReplaceAll(string(data), from, to))
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(file)), data, 0o600))
	}
	return source.Open(context.Background(), []string{folder}, options)
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, from, to string
		class          spool.Class
	}{
		{"mds", `"version": 2, `, `"version": 3, `, spool.ErrUnsupported},
		{"mds-zstd", "zstd:7", "br:7", spool.ErrUnsupported},
		{"mds", `"samples": 5`, `"samples": 4`, spool.ErrCorrupt},
		{"mds", `"shard.00001.mds"`, `"../x.mds"`, spool.ErrCorrupt},
		{"mds", `"shard.00001.mds"`, `"none.mds"`, spool.ErrNotFound},
		{"mds", `"column_sizes": [null, null, 2,`, `"column_sizes": [null, 2,`, spool.ErrCorrupt},
		{"lit-zstd", `"compression_level": null`, `"compression_level": "batch"`, spool.ErrUnsupported},
		{"lit", `"data_format": ["bytes", `, `"data_format": [`, spool.ErrCorrupt},
		{"lit", `"data_spec": "[1, `, `"data_spec": "[`, spool.ErrCorrupt},
	} {
		_, err := changed(t, c.name, c.from, c.to)
		assert.ErrorIs(t, err, c.class, c.to)
	}
	photos := t.TempDir()
	require.NoError(t, os.WriteFile(photos+"/index.json", []byte(`{"images": []}`), 0o600))
	require.NoError(t, os.WriteFile(photos+"/a.jpg", nil, 0o600))
	src, err := source.Open(context.Background(), []string{photos}, options)
	require.NoError(t, err, "a folder whose index.json is something else")
	assert.Equal(t, 1, src.Len())
}

// For any change of an index or a file, samples are read or an error with a class is returned.
func TestMutated(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for _, name := range []string{"mds/shard.00000.mds", "lit/chunk-0-0.bin"} {
		good := [2][]byte{}
		for i, file := range []string{filepath.Dir(name) + "/index.json", name} {
			data, err := os.ReadFile("testdata/" + file)
			require.NoError(t, err)
			good[i] = data
		}
		for range 3000 {
			files := [2][]byte{slices.Clone(good[0]), slices.Clone(good[1])}
			for range 1 + random.IntN(3) {
				at := random.IntN(2)
				files[at][random.IntN(len(files[at]))] = byte(random.Uint32())
			}
			open := func(_ context.Context, name string) (spool.Object, error) {
				if name == "" {
					return spool.Bytes{Data: files[0]}, nil
				}
				return spool.Bytes{Data: files[1]}, nil
			}
			for _, c := range []table.Columns{{Cells: true}, {Path: []string{"image"}}} {
				rows, err := chunked.Set().Open(t.Context(), open, c, table.NewCache(1<<20))
				if err != nil {
					assert.NotEqual(t, spool.Class(""), spool.ClassOf(err))
					continue
				}
				accepted++
				read(t, rows)
			}
		}
	}
	assert.Positive(t, accepted)
}

// read reads values of rows; an error has a class.
func read(t *testing.T, rows table.Rows) {
	t.Helper()
	for k := range min(rows.Len(), 20) {
		if m, ok := rows.(table.Media); ok {
			if o, err := m.Open(t.Context(), k); err == nil {
				assert.NoError(t, o.Close())
			} else {
				assert.NotEqual(t, spool.Class(""), spool.ClassOf(err))
			}
		}
		if cells, ok := rows.(table.Cells); ok {
			for _, c := range cells.Columns() {
				if _, err := cells.Cell(t.Context(), k, c.Name); err != nil {
					assert.NotEqual(t, spool.Class(""), spool.ClassOf(err))
				}
			}
		}
	}
}
