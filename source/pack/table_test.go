package pack_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/chunked"
	"github.com/spoolmedia/spool/source/pack"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

// tables are the readers of the formats of tables.
var tables = source.Options{Formats: map[string]table.Format{".parquet": parquet.Open, ".arrow": arrow.Open}}

// Tables have the samples of the source with their labels and names, in order, and the same bytes for any workers.
func TestTables(t *testing.T) {
	ctx := context.Background()
	_, src := photos(t, 50, short.Of(3<<18, 3<<15))
	by := order.NewPermutation(src.Len(), 5, 0)
	for _, format := range []string{"parquet", "arrow"} {
		var first map[string]string
		var folder string
		for _, workers := range []int{1, 3, 0} {
			folder = filepath.Join(t.TempDir(), "packed")
			m, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 45, Shuffle: true, Seed: 5, Workers: workers,
				Format: formats[format]})
			require.NoError(t, err)
			require.Len(t, m.Shards, 2)
			got := contents(t, folder)
			if first == nil {
				first = got
			}
			assert.True(t, maps.Equal(first, got))
		}
		m, err := pack.Verify(ctx, folder, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"cat", "dog"}, m.Classes)

		packed, err := source.Open(ctx, []string{folder + "/*." + format}, tables)
		require.NoError(t, err)
		require.Equal(t, src.Len(), packed.Len())
		assert.Len(t, packed.Sizes(), short.Of(3, 2), "two parts of a large first shard")
		for i := range packed.Len() {
			want := src.Item(by.At(i))
			assert.Equal(t, want.Label, packed.Item(i).Label)
			assert.Equal(t, filepath.Base(want.Name), packed.Item(i).Key)
			assert.Equal(t, bytesOf(t, src, by.At(i)), bytesOf(t, packed, i))
		}
		assert.NotEmpty(t, m.Format)
		_, err = pack.Write(ctx, src, folder, pack.Options{PerShard: 45, Shuffle: true, Seed: 5})
		assert.ErrorIs(t, err, spool.ErrOptions, "another format")
	}
}

// MDS has an index of all shards, which comes before the manifest. A missing label is -1 there, and none when it is
// read.
func TestMDS(t *testing.T) {
	ctx := context.Background()
	_, folder := photos(t, 20, 5000)
	names, labels := make([]string, folder.Len()), make([]int64, folder.Len())
	for i := range names {
		names[i], labels[i] = folder.Item(i).Name, int64(i%3)-1
	}
	src, err := source.Open(ctx, names, source.Options{Labels: labels})
	require.NoError(t, err)
	mds := pack.Format{Name: "mds", Create: chunked.NewWriter, Index: chunked.MDSIndex}
	o := pack.Options{PerShard: 4, Shuffle: true, Format: mds, Workers: 2}
	_, err = pack.WriteShards(ctx, src, t.TempDir(), o, 0, 1)
	assert.ErrorIs(t, err, spool.ErrOptions, "the index has all shards")

	out := t.TempDir()
	_, err = pack.Write(ctx, src, out, o)
	require.NoError(t, err)
	first := contents(t, out)
	require.NoError(t, os.Remove(filepath.Join(out, "000001.mds")))
	require.NoError(t, os.Remove(filepath.Join(out, "index.json")))
	require.NoError(t, os.Remove(filepath.Join(out, "manifest.json")))
	_, err = pack.Write(ctx, src, out, o)
	require.NoError(t, err)
	assert.True(t, maps.Equal(first, contents(t, out)))

	packed, err := source.Open(ctx, []string{out}, source.Options{Sets: map[string]table.Set{"index.json": chunked.Set()}})
	require.NoError(t, err)
	by := order.NewPermutation(src.Len(), 0, 0)
	require.Equal(t, src.Len(), packed.Len())
	for i := range packed.Len() {
		assert.Equal(t, src.Item(by.At(i)).Label, packed.Item(i).Label)
		assert.Equal(t, bytesOf(t, src, by.At(i)), bytesOf(t, packed, i))
	}
}

// Columns of a table are the members of each sample: files, text, and none.
func TestTablesOfRecords(t *testing.T) {
	ctx := context.Background()
	from := t.TempDir()
	rows := "image,mask,caption,label,key\n"
	for i := range 1200 { // several parts
		name := fmt.Sprintf("%04d.png", i)
		require.NoError(t, os.WriteFile(filepath.Join(from, name), []byte(name), 0o600))
		rows += fmt.Sprintf("%s,%s,\"é %d\",%d,k%d\n", name, []string{"", name}[i%2], i, i%7, i)
	}
	list := filepath.Join(from, "t.csv")
	require.NoError(t, os.WriteFile(list, []byte(rows), 0o600))
	inputs := []source.Input{{Name: "image"}, {Name: "mask", Optional: true}, {Name: "caption", Value: true}}
	src, err := source.OpenRecords(ctx, []string{list}, inputs, source.Options{})
	require.NoError(t, err)
	o := pack.Options{Members: []string{"png", "seg.png", "txt"}, Values: []string{"txt"}, PerShard: 3000}
	for _, format := range []string{"parquet", "arrow"} {
		o.Format = formats[format]
		folder := filepath.Join(t.TempDir(), "packed")
		m, err := pack.Write(ctx, src, folder, o)
		require.NoError(t, err)
		packed, err := source.OpenRecords(ctx, []string{filepath.Join(folder, m.Shards[0].Name)}, []source.Input{
			{Name: "png"}, {Name: "seg_png", Optional: true}, {Name: "txt", Value: true}}, tables)
		require.NoError(t, err)
		require.Equal(t, src.Len(), packed.Len())
		for i := 0; i < src.Len(); i += 83 {
			assert.Equal(t, src.Item(i).Label, packed.Item(i).Label)
			assert.Equal(t, src.Item(i).Key, packed.Item(i).Key)
			for k := range inputs {
				assert.Equal(t, input(t, src, i, k), input(t, packed, i, k))
			}
		}
	}
	for _, bad := range []pack.Options{{Members: []string{"png", "a.b", "a_b"}}, {Members: []string{"key", "a", "b"}},
		{Members: []string{"png", "a", "b"}, Values: []string{"c"}}} {
		bad.Format = formats["arrow"]
		_, err = pack.Write(ctx, src, t.TempDir(), bad)
		require.ErrorIs(t, err, spool.ErrOptions)
	}
	require.NoError(t, os.WriteFile(list, []byte("image,caption\n0000.png,\xff\n"), 0o600))
	src, err = source.OpenRecords(ctx, []string{list}, []source.Input{inputs[0], inputs[2]}, source.Options{})
	require.NoError(t, err)
	_, err = pack.Write(ctx, src, t.TempDir(), pack.Options{Members: []string{"png", "txt"}, Values: []string{"txt"},
		Format: formats["arrow"]})
	assert.ErrorContains(t, err, "txt is not UTF-8")
}

// input returns the bytes of an input, or that it is missing.
func input(t *testing.T, src source.RecordSource, i, k int) string {
	t.Helper()
	o, err := src.OpenInput(context.Background(), i, k)
	require.NoError(t, err)
	if o == nil {
		return "missing"
	}
	defer o.Close()
	data, err := spool.ReadAll(context.Background(), o, nil, 1<<20)
	require.NoError(t, err)
	return string(data)
}

// No table is larger than asked, unless it has one sample, and none is much smaller.
func TestTablesOfASize(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		samples, largest int
		most             int64
	}{{1200, 50, 60 << 10}, {short.Of(200, 60), 100 << 10, 1 << 20},
		{30, short.Of(2<<20, 2<<17), short.Of[int64](8<<20, 8<<17)}, {40, 3 << 10, 1}} {
		_, src := photos(t, c.samples, c.largest)
		for _, format := range []string{"parquet", "arrow"} {
			folder := filepath.Join(t.TempDir(), "packed")
			m, err := pack.Write(ctx, src, folder, pack.Options{ShardBytes: c.most, Format: formats[format]})
			require.NoError(t, err)
			total := int64(0)
			for _, s := range m.Shards {
				assert.True(t, s.Bytes <= c.most || s.Samples == 1, "%d", s.Bytes)
				assert.True(t, strings.HasSuffix(s.Name, "."+format))
				total += s.Bytes
			}
			if c.most > 1 {
				assert.Greater(t, total, c.most*int64(len(m.Shards))/5)
			}
		}
	}
}
