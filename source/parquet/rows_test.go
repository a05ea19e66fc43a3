package parquet_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

func nameOf(i int) string { return fmt.Sprintf("/data/photos/train/%09d.jpg", i) }

// Every 50th row has no label, and the others have that of a class, or a number.
func labelOf(i int, named bool) string {
	switch {
	case i%50 == 7:
		return ""
	case named:
		return fmt.Sprintf("class%02d", i*7%13)
	}
	return strconv.Itoa(i * 7 % 13)
}

// paths writes a table of paths, labels and widths.
func paths(t testing.TB, rows int, named bool) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "table.parquet")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	buffered := bufio.NewWriter(file)
	label := table.Field{Name: "label", Kind: table.IntegerField}
	if named {
		label.Kind = table.TextField
	}
	w, err := parquet.NewWriter(buffered, table.Schema{Fields: []table.Field{{Name: "path", Kind: table.TextField}, label,
		{Name: "width", Kind: table.IntegerField}}})
	require.NoError(t, err)
	for i := range rows {
		text := labelOf(i, named)
		number, _ := strconv.ParseInt(text, 10, 64)
		require.NoError(t, w.WriteRow([]table.Value{{Present: true, Data: []byte(nameOf(i))},
			{Present: text != "", Data: []byte(text), Integer: number}, {Present: i%3 > 0, Integer: int64(i % 100)}}))
	}
	require.NoError(t, w.Close())
	require.NoError(t, buffered.Flush())
	return path
}

// heap returns the bytes that are held on Go's heap.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// The memory of a local table does not grow with its rows: row groups of 1,000 rows take less than 3 KB each after all
// of their pages were read, and the cache has its limit.
func TestRowsOnHeap(t *testing.T) {
	const kept = 2 << 20
	grown := func(rows int) (opened, used int64) {
		path := paths(t, rows, true)
		before := heap()
		l, err := source.Open(context.Background(), []string{path},
			source.Options{Formats: formats.Formats, Unpacked: kept, Ignore: []string{"*"}})
		require.NoError(t, err)
		require.Equal(t, rows, l.Len())
		opened = heap() - before
		shuffled := order.NewPermutation(rows, 1, 0)
		for i := range rows / short.Of(10, 100) {
			row := shuffled.At(i)
			require.Equal(t, nameOf(row), l.Item(row).Name)
		}
		used = heap() - before
		runtime.KeepAlive(l)
		return opened, used
	}
	few, many := short.Of(20_000, 10_000), short.Of(200_000, 100_000)
	opened, _ := grown(few)
	more, used := grown(many)
	assert.Less(t, more-opened, int64(kept+3*(many-few)), "labels were read, for the names of classes")
	assert.Less(t, used, int64(kept+3*many), "after many rows in random order")
	t.Logf("%d rows: %d bytes of heap, %d after reading, of which the cache has %d", many, more, used, kept)
}

// A table gives the same samples as CSV and Arrow, with the same conditions, classes and orders.
func TestRowsLikeOtherTables(t *testing.T) {
	rows := short.Of(10_500, 4500)
	for i, named := range []bool{false, true} {
		folder := t.TempDir()
		file, err := os.Create(folder + "/table.csv")
		require.NoError(t, err)
		fmt.Fprintln(file, "path,label,width")
		for i := range rows {
			width := ""
			if i%3 > 0 {
				width = strconv.Itoa(i % 100)
			}
			fmt.Fprintf(file, "%s,%s,%s\n", nameOf(i), labelOf(i, named), width)
		}
		require.NoError(t, file.Close())
		options := source.Options{Formats: map[string]table.Format{".parquet": parquet.Open, ".arrow": arrow.Open},
			Ignore: []string{"*"}}
		tables := []string{folder + "/table.csv", folder + "/table.arrow", paths(t, rows, named)}
		l, err := source.Open(t.Context(), tables[:1], options)
		require.NoError(t, err)
		written, err := os.Create(tables[1])
		require.NoError(t, err)
		require.NoError(t, arrow.WriteTable(t.Context(), written, l))
		require.NoError(t, written.Close())
		conditions := []string{"", "path endsWith '7.jpg'", "path contains '00999' or path < '" + nameOf(70) + "'",
			"label != nil", "label == nil", "width > 40 and not (path startsWith '/data/photos/train/000000')", "width == nil",
			"len(path) > 3 and path matches '[02468].jpg$'"}
		for _, where := range short.Some(conditions[short.Of(0, i):], 2) { // half of them for each kind of labels
			options.Where = where
			var want *source.Listing
			for _, name := range tables {
				if name == tables[1] && len(where) > 5 && where[:5] == "width" {
					continue // it was not listed
				}
				l, err := source.Open(t.Context(), []string{name}, options)
				require.NoError(t, err, where)
				if want == nil {
					want = l
					require.Greater(t, l.Len(), 50, where)
				}
				compareListings(t, want, l, name+" "+where)
			}
		}
	}
}

// A comparison that fails is an error of its row, unless the operator before it leaves the row out.
func TestComparisonsThatFail(t *testing.T) {
	options := source.Options{Formats: formats.Formats, Ignore: []string{"*"}}
	options.Where = "label == 'class00' or int(path) > 1"
	path := paths(t, 100, true)
	_, err := source.Open(t.Context(), []string{path}, options)
	require.ErrorContains(t, err, "row 2: int(path) > 1")
	options.Where = "label == 'class00' and (width == nil or int(width) > 90 or path contains '5')"
	l, err := source.Open(t.Context(), []string{path}, options)
	require.NoError(t, err)
	assert.Positive(t, l.Len())
	options.Where = "path startsWith 'none' and int(path) > 1 or path endsWith '9.jpg'"
	l, err = source.Open(t.Context(), []string{path}, options)
	require.NoError(t, err)
	assert.Equal(t, 10, l.Len())
}

func compareListings(t *testing.T, want, got *source.Listing, what string) {
	t.Helper()
	require.Equal(t, want.Len(), got.Len(), what)
	require.Equal(t, want.Classes(), got.Classes(), what)
	require.Equal(t, want.Selection(), got.Selection(), what)
	labels := make([]int64, want.Len())
	got.Labels(0, labels)
	for i, label := range labels {
		item := got.Item(i)
		require.Equal(t, want.Item(i), item, what)
		require.Equal(t, item.Label, label, what)
	}
	a := order.ClassesOf(want.Len(), want.Labels).Sampler(0, 3, 1)
	b := order.ClassesOf(got.Len(), got.Labels).Sampler(0, 3, 1)
	require.Equal(t, a.Len(), b.Len(), what)
	for i := range min(a.Len(), 500) {
		require.Equal(t, a.At(i), b.At(i), what)
	}
}

// SPOOL_ROWS is the number of rows.
func BenchmarkShuffledRows(b *testing.B) {
	rows := 1_000_000
	if text := os.Getenv("SPOOL_ROWS"); text != "" {
		var err error
		rows, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	path := paths(b, rows, false)
	options := source.Options{Formats: formats.Formats, Ignore: []string{"*"}}
	for _, read := range []int{256, 25_600} {
		b.Run(fmt.Sprint(read), func(b *testing.B) {
			var grown int64
			for b.Loop() {
				before := heap()
				l, err := source.Open(b.Context(), []string{path}, options)
				require.NoError(b, err)
				shuffled := order.NewPermutation(l.Len(), 7, 0)
				for i := range read {
					l.Item(shuffled.At(i))
				}
				grown = heap() - before
				runtime.KeepAlive(l)
			}
			b.ReportMetric(float64(grown), "heap-bytes")
		})
	}
}
