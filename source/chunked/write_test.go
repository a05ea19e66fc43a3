package chunked_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/chunked"
	"github.com/spoolmedia/spool/source/table"
)

var written = table.Schema{Fields: []table.Field{
	{Name: "image"}, {Name: "caption", Kind: table.TextField}, {Name: "count", Kind: table.IntegerField},
	{Name: "score", Kind: table.FloatField}, {Name: "raw", Kind: table.BytesField}, {Name: "good", Kind: table.BoolField},
}}

// What is written is read again. TestMDS of python/tests/peers/test_pack.py reads it by the format's own reader.
func TestWrite(t *testing.T) {
	ctx := context.Background()
	text := func(s string) table.Value { return table.Value{Present: true, Data: []byte(s)} }
	folder := t.TempDir()
	var files []table.File
	for _, rows := range [][][]table.Value{
		{
			{text("\xff\xd8one"), text("é"), {Present: true, Integer: 1 << 40}, {Present: true, Float: 0.1}, text("\x00"),
				{Present: true, Bool: true}},
			make([]table.Value, 6),
		},
		{{text("two"), text(""), {Present: true, Integer: -7}, {Present: true}, text("r"), {Present: true}}},
	} {
		var shard bytes.Buffer
		w, err := chunked.NewWriter(&shard, written)
		require.NoError(t, err)
		for _, row := range rows {
			require.NoError(t, w.WriteRow(row))
		}
		require.NoError(t, w.Close())
		f := table.File{Name: string(rune('a'+len(files))) + ".mds", Rows: len(rows), Bytes: int64(shard.Len())}
		require.NoError(t, os.WriteFile(filepath.Join(folder, f.Name), shard.Bytes(), 0o600))
		files = append(files, f)
	}
	name, index, err := chunked.MDSIndex(written, files)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), index, 0o600))

	inputs := []source.Input{{Name: "image"}}
	for _, f := range written.Fields[1:] {
		if f.Name != "raw" {
			inputs = append(inputs, source.Input{Name: f.Name, Value: true})
		}
	}
	src, err := source.OpenRecords(ctx, []string{folder}, append(inputs, source.Input{Name: "raw"}), options)
	require.NoError(t, err)
	require.Equal(t, 3, src.Len())
	for i, want := range [][]string{
		{"\xff\xd8one", "é", "1099511627776", "0.1", "1", "\x00"},
		{"", "", "-1", "-1", "0", ""},
		{"two", "", "-7", "0", "0", "r"},
	} {
		for k := range want {
			o, err := src.OpenInput(ctx, i, k)
			assert.Equal(t, want[k], contents(t, o, err), "sample %d, input %d", i, k)
		}
	}
}

// full is a file on a full disk.
type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteFails(t *testing.T) {
	w, err := chunked.NewWriter(full{}, written)
	require.NoError(t, err)
	require.NoError(t, w.WriteRow(make([]table.Value, 6)))
	assert.ErrorIs(t, w.Close(), errFull)
}
