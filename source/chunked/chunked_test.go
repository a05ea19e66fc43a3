package chunked_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/chunked"
	"github.com/spoolmedia/spool/source/internal/heldtest"
	"github.com/spoolmedia/spool/source/table"
)

var options = source.Options{Sets: map[string]table.Set{"index.json": chunked.Set()}, Ignore: []string{"*"}}

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
		want := heldtest.Expected[map[string]any](t, "testdata/"+answers)
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
				assert.Equal(t, heldtest.Decoded(t, want[i]["image"]), contents(t, o, err))
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
		for i, row := range heldtest.Expected[map[string]any](t, "testdata/"+answers) {
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
						v = heldtest.Decoded(t, v)
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

// FuzzOpen: for any index and any file, samples are read or an error with a class is returned.
func FuzzOpen(f *testing.F) {
	sets := [2][2][]byte{}
	var files [][]byte
	for i, shard := range []string{"testdata/mds/shard.00000.mds", "testdata/lit/chunk-0-0.bin"} {
		sets[i] = [2][]byte(mutate.Files(f, 1<<20, filepath.Dir(shard)+"/index.json", shard))
		files = append(files, sets[i][:]...)
	}
	mutate.Fuzz(f, files, func(t testing.TB, data []byte, knobs uint64) {
		set := sets[knobs&1]
		if bytes.HasPrefix(data, []byte("{")) {
			set[0] = data
		} else {
			set[1] = data
		}
		open := func(_ context.Context, name string) (spool.Object, error) {
			if name == "" {
				return spool.Bytes{Data: set[0]}, nil
			}
			return spool.Bytes{Data: set[1]}, nil
		}
		for _, c := range []table.Columns{{Cells: true}, {Path: []string{"image"}}} {
			rows, err := chunked.Set().Open(t.Context(), open, c, table.NewCache(1<<20))
			if err != nil {
				assert.NotEqual(t, spool.Class(""), spool.ClassOf(err))
				continue
			}
			fuzzed.Accept()
			heldtest.Read(t, rows)
		}
	})
}
