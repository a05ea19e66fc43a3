package parquet_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

var formats = source.Options{Formats: map[string]table.Format{".parquet": parquet.Open}}

// input returns the content of an input, which is nil if the sample lacks it.
func input(t *testing.T, r *source.Records, i, k int) []byte {
	t.Helper()
	o, err := r.OpenInput(t.Context(), i, k)
	require.NoError(t, err)
	if o == nil {
		return nil
	}
	defer o.Close()
	data, err := spool.ReadAll(t.Context(), o, nil, 1<<20)
	require.NoError(t, err)
	return data
}

// TestRecords: media, values, lists and values within structures are inputs of one sample.
func TestRecords(t *testing.T) {
	const file = "testdata/cells_words.parquet"
	expected := expectedCells(t)["cells_words.parquet"]
	r, err := source.OpenRecords(t.Context(), []string{file}, []source.Input{{Name: "IMAGE", Optional: true},
		{Name: "text", Value: true, Optional: true}, {Name: "vector", Value: true, Optional: true},
		{Name: "meta.size;word", Value: true, Optional: true}, {Name: "list_of_bytes", Optional: true}}, formats)
	require.NoError(t, err)
	assert.Equal(t, []int{16, 8}, r.Sizes())
	assert.Equal(t, []string{file + ": columns that are not used: long, lists, points, map"}, r.Notices())
	files := 0
	for i := range r.Len() {
		assert.Equal(t, expected["image"][i][2], r.Item(i).Key, "the path within the structure")
		if cell := expected["image"][i]; cell[0] == "JSON" { // bytes are missing, and the path leads nowhere
			_, err := r.OpenInput(t.Context(), i, 0)
			require.ErrorIs(t, err, spool.ErrNotFound)
		} else if cell[0] == "bytes" {
			assert.Equal(t, cell[1], base64.StdEncoding.EncodeToString(input(t, r, i, 0)))
			files++
		} else {
			assert.Nil(t, input(t, r, i, 0))
		}
		assert.Equal(t, expected["text"][i][1], string(input(t, r, i, 1)))
		if vector := expected["vector"][i][1]; vector != "" {
			assert.JSONEq(t, vector, string(input(t, r, i, 2)))
		}
		cell := input(t, r, i, 3)
		if i%9 != 8 && i%4 == 0 { // the structure has no size
			assert.Equal(t, expected["word"][i][1], string(cell))
		} else if i%9 != 8 {
			assert.NotEmpty(t, cell)
		}
		if i%9 != 8 {
			assert.Len(t, input(t, r, i, 4), i)
		}
	}
	assert.Positive(t, files)
	_, err = source.OpenRecords(t.Context(), []string{file}, []source.Input{{Name: "Words"}}, formats)
	assert.EqualError(t, err, "list "+file+": not-found: no column is called Words; there are vector, long, lists, meta, "+
		"meta.Size, meta.inner, meta.inner.c, meta.inner.d, points, map, image, image.bytes and 4 more; did you mean word?")
}

// TestRecordsOfPaths: names are paths, and paths begin at the table.
func TestRecordsOfPaths(t *testing.T) {
	r, err := source.OpenRecords(t.Context(), []string{"testdata/classes.parquet"},
		[]source.Input{{Name: "path"}, {Name: "other", Value: true}}, formats)
	require.NoError(t, err)
	assert.Equal(t, source.Item{ID: 1, Name: "train/n00000001/n00000001_1.JPEG", Label: 1, Key: "k1"}, r.Item(1))
	assert.Equal(t, "0.5", string(input(t, r, 1, 1)))
	_, err = r.OpenInput(t.Context(), 1, 0)
	assert.EqualError(t, err, "open train/n00000001/n00000001_1.JPEG: not-found: no such file or directory")

	for name, label := range map[string]string{"refused_float": "1.5", "refused_list": "[1]"} {
		r, err = source.OpenRecords(t.Context(), []string{"testdata/" + name + ".parquet"},
			[]source.Input{{Name: "path"}, {Name: "label", Value: true}}, formats)
		require.NoError(t, err)
		assert.Equal(t, label, string(input(t, r, 1, 1)))
		assert.EqualValues(t, -1, r.Item(1).Label)
	}
}

func TestInferInputs(t *testing.T) {
	found, err := source.InferInputs(t.Context(), []string{"testdata/cells_words.parquet"}, formats)
	require.NoError(t, err)
	kinds := map[string]string{}
	for _, in := range found {
		kind := in.Kind
		if in.Value {
			kind = "=" + kind
		}
		kinds[in.Name] = kind
		assert.Equal(t, 16, in.Examined)
	}
	// Lists of numbers have several lengths here.
	assert.Equal(t, map[string]string{"vector": "=json", "long": "=json", "lists": "=json", "meta": "=json",
		"points": "=json", "map": "=json", "image": "image", "list_of_bytes": "=json", "word": "=text", "text": "=text"},
		kinds)
}
