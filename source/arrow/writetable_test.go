package arrow_test

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/table"
)

// written writes a listing of sources as a table, and lists that.
func written(t *testing.T, o source.Options, sources ...string) (from, table *source.Listing, path string) {
	t.Helper()
	ctx := context.Background()
	from, err := source.Open(ctx, sources, o)
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "table.arrow")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, arrow.WriteTable(ctx, file, from))
	require.NoError(t, file.Close())
	o.Formats = formats.Formats
	o.Where = ""
	table, err = source.Open(ctx, []string{path}, o)
	require.NoError(t, err)
	return from, table, path
}

func put(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o750))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// A table has the items, labels, classes and bytes of the source of which it was made.
func TestTableOfSources(t *testing.T) {
	folder := t.TempDir()
	for i, class := range []string{"0", "cat", "dog", "empty"} {
		for k := range i {
			put(t, fmt.Sprintf("%s/photos/%s/%d é.jpg", folder, class, k), class+fmt.Sprint(k))
		}
	}
	put(t, folder+"/numbers.csv", "path,label,key\n"+folder+"/photos/dog/0 é.jpg,7,a\nnone.jpg,,\n")
	put(t, folder+"/list.txt", folder+"/photos/dog/1 é.jpg\t3\n")
	put(t, folder+"/times.csv", "path,start,end,stream\nx.mp4,1.5,2.25,1\nx.mp4,,,\n")
	for _, name := range []string{"a", "b"} {
		var data bytes.Buffer
		w := tar.NewWriter(&data)
		for k := range 3 {
			for _, m := range []string{fmt.Sprintf("%d.jpg", k), fmt.Sprintf("%d.cls", k)} {
				require.NoError(t, w.WriteHeader(&tar.Header{Name: m, Size: 1, Mode: 0o644}))
				_, err := w.Write([]byte{byte('0' + k)})
				require.NoError(t, err)
			}
		}
		require.NoError(t, w.Close())
		put(t, folder+"/"+name+".tar", data.String())
	}
	photos := folder + "/photos"
	for _, c := range []struct {
		o       source.Options
		sources []string
	}{
		{source.Options{AllowEmpty: true}, []string{photos}},
		{source.Options{}, []string{folder + "/numbers.csv"}},
		{source.Options{Where: "label == 7"}, []string{folder + "/numbers.csv"}},
		{source.Options{}, []string{"@" + folder + "/list.txt"}},
		{source.Options{Medium: source.Videos}, []string{folder + "/times.csv"}},
		{source.Options{}, []string{folder + "/a.tar", folder + "/b.tar"}},
	} {
		if c.o.AllowEmpty {
			require.NoError(t, os.MkdirAll(photos+"/0", 0o750))
		}
		from, got, _ := written(t, c.o, c.sources...)
		sameItems(t, from, got)
	}
	// Several sources: labels of the list are numbers, so that the classes have none either.
	from, got, _ := written(t, source.Options{AllowEmpty: true}, photos, "@"+folder+"/list.txt", folder+"/a.tar")
	assert.Nil(t, got.Classes())
	assert.Equal(t, from.Sizes(), got.Sizes())
	for i := range from.Len() {
		assert.Equal(t, from.Item(i), got.Item(i))
	}
}

// sameItems compares two listings of the same samples.
func sameItems(t *testing.T, from, got *source.Listing) {
	t.Helper()
	ctx := context.Background()
	require.Equal(t, from.Len(), got.Len())
	assert.Equal(t, from.Classes(), got.Classes())
	assert.Equal(t, from.Sizes(), got.Sizes())
	assert.Empty(t, got.Notices())
	for i := range from.Len() {
		assert.Equal(t, from.Item(i), got.Item(i))
		a, err := from.Segment(ctx, i)
		require.NoError(t, err)
		b, err := got.Segment(ctx, i)
		require.NoError(t, err)
		assert.Equal(t, a, b)
		o, err := from.Open(ctx, i)
		p, wrong := got.Open(ctx, i)
		require.Equal(t, err == nil, wrong == nil, "%v, %v", err, wrong)
		if err == nil {
			want, err := spool.ReadAll(ctx, o, nil, 1<<20)
			require.NoError(t, err)
			data, err := spool.ReadAll(ctx, p, nil, 1<<20)
			require.NoError(t, err)
			assert.Equal(t, want, data)
			assert.NoError(t, o.Close())
			assert.NoError(t, p.Close())
		}
	}
}

// Conditions on the labels of a table are those on the labels of a CSV.
func TestTableFiltered(t *testing.T) {
	folder := t.TempDir()
	put(t, folder+"/classes.csv", "path,label,key\na.jpg,cat,1\nb.jpg,dog,2\nc.jpg,cat,3\n")
	_, _, path := written(t, source.Options{}, folder+"/classes.csv")
	got, err := source.Open(context.Background(), []string{path}, source.Options{Formats: formats.Formats,
		Where: "label == 'cat'"})
	require.NoError(t, err)
	require.Equal(t, 2, got.Len())
	assert.Equal(t, source.Item{ID: 1, Name: "c.jpg", Label: 0, Key: "3"}, got.Item(1))
	assert.Equal(t, []string{"cat", "dog"}, got.Classes())
}

// millions is a CSV of so many rows.
func millions(t testing.TB, rows int) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("path,label,key,size,etag\n")
	for i := range rows {
		fmt.Fprintf(&text, "s3://bucket/train/%08d.jpg,class%03d,,%d,\"\"\"%032x\"\"\"\n", i, i%1000, i+1, i)
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	return path
}

// The memory of a table on Go's heap does not grow with its rows: 200,000 rows take less than a byte each, and
// most of that is for the classes.
func TestTableOnHeap(t *testing.T) {
	grown := func(rows int) int64 {
		_, got, path := written(t, source.Options{}, millions(t, rows))
		require.Equal(t, rows, got.Len())
		before := heap()
		l, err := source.Open(context.Background(), []string{path}, source.Options{Formats: formats.Formats})
		require.NoError(t, err)
		grown := heap() - before
		assert.Equal(t, fmt.Sprintf("s3://bucket/train/%08d.jpg", rows-1), l.Item(rows-1).Name)
		assert.Equal(t, int64(999), l.Item(rows-1).Label)
		assert.Len(t, l.Classes(), 1000)
		return grown
	}
	few, many := grown(short.Of(20_000, 10_000)), grown(short.Of(200_000, 70_000)) // two batches and more
	assert.Less(t, many, int64(200_000))
	assert.Less(t, many-few, int64(10_000), "beside about 100 bytes for each of the 1,000 classes")
}

// A table that is cut short while it is in use is an error of its rows, and does not end the process.
func TestTableCutShort(t *testing.T) {
	_, got, path := written(t, source.Options{}, millions(t, 20_000))
	name := got.Item(19_999).Name
	require.Equal(t, "s3://bucket/train/00019999.jpg", name)
	require.NoError(t, os.Truncate(path, 4096))
	assert.Equal(t, path+":19999", got.Item(19_998).Name, "the name of a row that cannot be read")
	_, err := got.Open(context.Background(), 19_998)
	assert.ErrorIs(t, err, spool.ErrCorrupt)
	assert.ErrorContains(t, err, "cut short")
}

// Damaged metadata is an error of the table.
func TestTableMetadata(t *testing.T) {
	folder := t.TempDir()
	put(t, folder+"/classes.csv", "path,label\na.jpg,cat\nb.jpg,dog\n")
	_, _, path := written(t, source.Options{}, folder+"/classes.csv")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for from, to := range map[string]string{`["cat","dog"]`: `["dog","cat"]`, `["cat",`: `["cat":`} {
		damaged := bytes.Replace(data, []byte(from), []byte(to), 1)
		require.NotEqual(t, data, damaged)
		_, err := arrow.Open(context.Background(), func(context.Context) (spool.Object, error) {
			return spool.Bytes{Data: damaged}, nil
		}, table.Columns{Path: []string{"path"}}, table.NewCache(1<<20))
		assert.ErrorIs(t, err, spool.ErrCorrupt)
	}
}

// Rows of an uncompressed shard have the places of their members, as a reader of tar files finds them.
func TestTableOfShard(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a.tar")
	var data bytes.Buffer
	w := tar.NewWriter(&data)
	want := map[string]int64{}
	for k := range 40 {
		name, text := fmt.Sprintf("%02d.jpg", k), strings.Repeat(string(rune('a'+k%26)), 1+37*k)
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644}))
		want[path+"/"+name] = int64(data.Len())
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	put(t, path, data.String())
	from, got, table := written(t, source.Options{}, path)
	sameItems(t, from, got)
	require.True(t, got.Packed())
	for i := range got.Len() {
		p := got.Placement(i)
		assert.True(t, p.Packed)
		assert.Equal(t, want[p.Name], p.Offset)
		assert.Equal(t, int64(1+37*i), p.Length)
		assert.Equal(t, from.Placement(i), p)
	}
	selected, err := source.Open(ctx, []string{table}, source.Options{Formats: formats.Formats, Where: "length > 1000"})
	require.NoError(t, err)
	require.Equal(t, 12, selected.Len())
	assert.Equal(t, got.Placement(28).Offset, selected.Placement(0).Offset)

	read := func(l *source.Listing, i int) (string, error) {
		o, err := l.Open(ctx, i)
		if err != nil {
			return "", err
		}
		defer o.Close()
		data, err := spool.ReadAll(ctx, o, nil, 1<<20)
		return string(data), err
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	text, err := read(got, 39)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("n", 1+37*39), text)

	// No header is read: those of the first members can be damaged, in a file with the same size and time.
	damaged := append(bytes.Repeat([]byte{7}, 4096), data.Bytes()[4096:]...)
	put(t, path, string(damaged))
	require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	again, err := source.Open(ctx, []string{table}, source.Options{Formats: formats.Formats})
	require.NoError(t, err)
	text, err = read(again, 39)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("n", 1+37*39), text)

	// Members of a shard that was written anew are found by its headers.
	data.Reset()
	w = tar.NewWriter(&data)
	for _, name := range []string{"0.txt", "39.jpg"} {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: 3, Mode: 0o644}))
		_, err := w.Write([]byte("new"))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	put(t, path, data.String())
	again, err = source.Open(ctx, []string{table}, source.Options{Formats: formats.Formats})
	require.NoError(t, err)
	text, err = read(again, 39)
	require.NoError(t, err)
	assert.Equal(t, "new", text)
	_, err = read(again, 38)
	assert.ErrorIs(t, err, spool.ErrNotFound)
}

// Further columns are conditions' columns, and are not reported as unused. One replaces the size.
func TestTableFurtherColumns(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	put(t, folder+"/list.csv", "path,label\na.jpg,1\nb.jpg,2\nc.jpg,3\n")
	l, err := source.Open(ctx, []string{folder + "/list.csv"}, source.Options{})
	require.NoError(t, err)
	path := folder + "/table.arrow"
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, arrow.WriteTable(ctx, file, l,
		arrow.Column{Name: "width", Integers: func(i int) (int64, bool) { return int64(100 * i), i > 0 }},
		arrow.Column{Name: "duration", Floats: func(i int) (float64, bool) { return float64(i) / 2, true }},
		arrow.Column{Name: "format", Texts: func(i int) string { return []string{"jpeg", "", "png"}[i] }},
		arrow.Column{Name: "size", Integers: func(i int) (int64, bool) { return int64(7 + i), true }},
		arrow.Column{Name: "etag", Texts: func(int) string { return "v" }}))
	require.NoError(t, file.Close())
	for where, want := range map[string]string{"width >= 200": "c.jpg", "format == 'jpeg'": "a.jpg",
		"duration == 0.5": "b.jpg"} {
		got, err := source.Open(ctx, []string{path}, source.Options{Formats: formats.Formats, Where: where})
		require.NoError(t, err)
		require.Equal(t, 1, got.Len(), where)
		assert.Equal(t, want, filepath.Base(got.Item(0).Name))
		assert.Empty(t, got.Notices())
	}
	got, err := source.Open(ctx, []string{path}, source.Options{Formats: formats.Formats})
	require.NoError(t, err)
	assert.Empty(t, got.Notices())
	assert.Equal(t, int64(9), got.Placement(2).Size)
	for _, bad := range []arrow.Column{{Name: "path", Texts: func(int) string { return "" }}, {Name: "x"},
		{Name: "size", Texts: func(int) string { return "" }}} {
		assert.ErrorIs(t, arrow.WriteTable(ctx, io.Discard, l, bad), spool.ErrOptions)
	}
}
