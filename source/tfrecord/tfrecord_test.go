package tfrecord_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/internal/heldtest"
	"github.com/spoolmedia/spool/source/shard"
	"github.com/spoolmedia/spool/source/table"
	"github.com/spoolmedia/spool/source/tfrecord"
)

var options = source.Options{Formats: map[string]table.Format{".tfrecord": tfrecord.Open}, Ignore: []string{"*"}}

// expected returns what TensorFlow reads in the records.
func expected(t *testing.T) []map[string][]any {
	t.Helper()
	return heldtest.Expected[map[string][]any](t, "testdata/expected.json")
}

// Samples are the encoded images with their labels and names, in any order, also with the number of a shard in its
// name.
func TestImages(t *testing.T) {
	ctx := context.Background()
	want := expected(t)
	numbered := filepath.Join(t.TempDir(), "train.tfrecord-00000-of-00001")
	data, err := os.ReadFile("testdata/examples.tfrecord")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(numbered, data, 0o600))
	for _, name := range []string{"testdata/examples.tfrecord", numbered} {
		src, err := source.Open(ctx, []string{name}, options)
		require.NoError(t, err)
		require.Equal(t, len(want), src.Len())
		assert.Equal(t, []int{len(want)}, src.Sizes())
		for i := range slices.Backward(want) {
			label, err := want[i]["image/class/label"][0].(json.Number).Int64()
			require.NoError(t, err)
			assert.Equal(t, label, src.Item(i).Label)
			assert.Equal(t, heldtest.Decoded(t, want[i]["image/filename"][0]), src.Item(i).Key)
			o, err := src.Open(ctx, i)
			require.NoError(t, err)
			got, err := spool.ReadAll(ctx, o, nil, 0)
			require.NoError(t, err)
			assert.Equal(t, heldtest.Decoded(t, want[i]["image/encoded"][0]), string(got))
			require.NoError(t, o.Close())
		}
	}
}

// opened opens a file in memory.
func opened(data []byte, c table.Columns) (table.Rows, error) {
	open := func(context.Context) (spool.Object, error) { return shard.Memory(data), nil }
	return tfrecord.Open(context.Background(), open, c, table.NewCache(1<<20))
}

// Cells have the values that TensorFlow reads.
func TestCells(t *testing.T) {
	ctx := context.Background()
	data, err := os.ReadFile("testdata/examples.tfrecord")
	require.NoError(t, err)
	rows, err := opened(data, table.Columns{Cells: true})
	require.NoError(t, err)
	cells := rows.(table.Cells)
	formats := map[string]string{}
	for _, c := range cells.Columns() {
		formats[c.Name] = c.Format + c.Element
	}
	assert.Equal(t, map[string]string{"image/encoded": "z", "image/class/label": "l", "image/filename": "u",
		"image/object/bbox/xmin": "+lf", "names": "+lu", "score": "f", "large": "l", "many": "+ll"}, formats)
	for i, record := range expected(t) {
		for name := range formats {
			got, err := cells.Cell(ctx, i, name)
			require.NoError(t, err)
			values, there := record[name]
			switch {
			case !there || name == "names" && i == 3:
				assert.Equal(t, table.Absent, got.Type, "%s of %d", name, i)
			case got.Type == table.JSON:
				var list []any
				d := json.NewDecoder(bytes.NewReader(got.Data))
				d.UseNumber()
				require.NoError(t, d.Decode(&list))
				require.Len(t, list, len(values))
				for k, v := range values {
					if name == "names" {
						assert.Equal(t, heldtest.Decoded(t, v), list[k])
					} else {
						assert.InDelta(t, number(t, v), number(t, list[k]), 0)
					}
				}
			case got.Type == table.Number:
				assert.InDelta(t, number(t, values[0]), number(t, json.Number(got.Data)), 1e-6)
			default:
				assert.Equal(t, heldtest.Decoded(t, values[0]), string(got.Data))
			}
		}
	}
	got, err := cells.Cell(ctx, 1, "large")
	require.NoError(t, err)
	assert.Equal(t, "-1152921504606846975", string(got.Data))
}

func number(t *testing.T, v any) float64 {
	t.Helper()
	f, err := v.(json.Number).Float64()
	require.NoError(t, err)
	return f
}

// Damage of lengths is an error of the file, and damage of data one of its sample.
func TestDamage(t *testing.T) {
	ctx := context.Background()
	data, err := os.ReadFile("testdata/examples.tfrecord")
	require.NoError(t, err)
	usual := table.Columns{Path: []string{"image"}, Label: []string{"label"}}
	for _, cut := range []int{1, 11, 12, 100, len(data) - 1} {
		_, err := opened(data[:cut], usual)
		assert.ErrorIs(t, err, spool.ErrTruncated, "%d", cut)
	}
	length := slices.Clone(data)
	length[3] ^= 1
	_, err = opened(length, usual)
	require.ErrorIs(t, err, spool.ErrCorrupt)

	at := bytes.Index(data, []byte("IDAT"))
	require.Positive(t, at)
	wrong := slices.Clone(data)
	wrong[at+6] ^= 1
	rows, err := opened(wrong, usual)
	require.NoError(t, err)
	_, err = rows.(table.Media).Open(ctx, 0)
	require.ErrorIs(t, err, spool.ErrCorrupt)
	_, err = rows.(table.Media).Open(ctx, 1)
	require.NoError(t, err)

	for name, class := range map[string]spool.Class{"gzip": spool.ErrUnsupported, "other": spool.ErrCorrupt} {
		other, err := os.ReadFile("testdata/" + name + ".tfrecord")
		require.NoError(t, err)
		_, err = opened(other, usual)
		assert.ErrorIs(t, err, class, name)
	}
}

// FuzzOpen: for any file, rows are returned or an error with a class. Checksums of lengths are made right, so that more
// is read.
func FuzzOpen(f *testing.F) {
	mutate.Fuzz(f, mutate.Files(f, 1<<20, "testdata/examples.tfrecord"), func(t testing.TB, data []byte, _ uint64) {
		for _, c := range []table.Columns{{Cells: true}, {Path: []string{"image"}, Label: []string{"label"}}} {
			rows, err := opened(tfrecord.Mend(data), c)
			if err != nil {
				assert.NotEqual(t, spool.Class(""), spool.ClassOf(err))
				continue
			}
			fuzzed.Accept()
			heldtest.Read(t, rows)
		}
	})
}
