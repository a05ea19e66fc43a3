package arrow_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/table"
)

// dense writes a table of at least so many rows, which all have a name and a label. Its batches have equal rows.
func dense(t testing.TB, rows int) (path string) {
	t.Helper()
	var text bytes.Buffer
	for i := range rowsOfBatch {
		fmt.Fprintf(&text, "/data/photos/%05d.jpg\t%d\n", i, i%1000)
	}
	list := filepath.Join(t.TempDir(), "list.txt")
	require.NoError(t, os.WriteFile(list, text.Bytes(), 0o600))
	l, err := source.Open(context.Background(), []string{"@" + list}, source.Options{})
	require.NoError(t, err)
	batches := (rows + rowsOfBatch - 1) / rowsOfBatch
	all := make([]int, batches)
	for k := range all {
		all[k] = k
	}
	return sparse(t, l, batches, all...)
}

// counted counts the rows that are read one by one.
type counted struct {
	table.Rows
	read *atomic.Int64
}

func (c counted) Row(k int) (table.Row, error) {
	c.read.Add(1)
	return c.Rows.Row(k)
}

// The first samples of a large table in random order need these rows only, and no memory for the others. A condition
// takes little more than a bit for each row.
func TestDenseRows(t *testing.T) {
	rows := 1_000_000
	if testing.Short() {
		rows = 200_000
	}
	path := dense(t, rows)
	var read atomic.Int64
	form := func(ctx context.Context, open func(context.Context) (spool.Object, error), c table.Columns,
		u *table.Cache) (table.Rows, error) {
		r, err := arrow.Open(ctx, open, c, u)
		if c.Cells {
			return r, err
		}
		return counted{r, &read}, err
	}
	open := func(where string) (l *source.Listing, grown int64) {
		before := heap()
		l, err := source.Open(t.Context(), []string{path}, source.Options{Where: where,
			Formats: map[string]table.Format{".arrow": form}})
		require.NoError(t, err)
		return l, heap() - before
	}
	l, grown := open("")
	n := l.Len()
	assert.Less(t, grown, int64(n/10+64<<10), "of %d rows", n)
	shuffled := order.NewPermutation(n, 7, 0)
	for i := range 256 {
		row := shuffled.At(i)
		assert.Equal(t, source.Item{ID: int64(row), Name: fmt.Sprintf("/data/photos/%05d.jpg", row%rowsOfBatch),
			Label: int64(row % rowsOfBatch % 1000)}, l.Item(row))
	}
	assert.LessOrEqual(t, read.Load(), int64(256+16))
	runtime.KeepAlive(l)

	read.Store(0)
	l, grown = open("label < 500")
	kept := 0
	for k := range rowsOfBatch {
		if k%1000 < 500 {
			kept++
		}
	}
	assert.Equal(t, n/rowsOfBatch*kept, l.Len())
	assert.Less(t, grown, int64(n/7+n/10+64<<10), "of %d rows", n)
	assert.LessOrEqual(t, read.Load(), int64(16))
	runtime.KeepAlive(l)
}

// SPOOL_ROWS is the number of rows: 100000000 takes 6 GB of disk for the time of the benchmark, below TMPDIR.
func BenchmarkDenseRows(b *testing.B) {
	rows := 1_000_000
	if text := os.Getenv("SPOOL_ROWS"); text != "" {
		var err error
		rows, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	path := dense(b, rows)
	for _, c := range []struct {
		name, where string
		use         func(l *source.Listing)
	}{
		{"Shuffled", "", func(l *source.Listing) {
			shuffled := order.NewPermutation(l.Len(), 7, 0)
			for i := range 256 {
				l.Item(shuffled.At(i))
			}
		}},
		{"Where", "label < 500", func(l *source.Listing) { l.Item(order.NewPermutation(l.Len(), 7, 0).At(0)) }},
		{"WhereText", "path endsWith '7.jpg'", func(*source.Listing) {}},
		{"Selection", "label < 500", func(l *source.Listing) { l.Selection() }},
		{"Balanced", "", func(l *source.Listing) { order.ClassesOf(l.Len(), l.Labels).Sampler(0, 7, 0).At(0) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			var grown int64
			for b.Loop() {
				before := heap()
				l, err := source.Open(b.Context(), []string{path}, source.Options{Where: c.where, Formats: formats.Formats})
				require.NoError(b, err)
				c.use(l)
				grown = heap() - before
				runtime.KeepAlive(l)
			}
			b.ReportMetric(float64(grown), "heap-bytes")
		})
	}
}

// Rows of a list that are written as a table, with the time to list them.
func BenchmarkCompile(b *testing.B) {
	var text bytes.Buffer
	const rows = 1_000_000
	for i := range rows {
		fmt.Fprintf(&text, "/data/photos/%08d.jpg\t%d\n", i, i%1000)
	}
	list := filepath.Join(b.TempDir(), "list.txt")
	require.NoError(b, os.WriteFile(list, text.Bytes(), 0o600))
	begun := time.Now()
	for b.Loop() {
		l, err := source.Open(b.Context(), []string{"@" + list}, source.Options{})
		require.NoError(b, err)
		require.NoError(b, arrow.WriteTable(b.Context(), io.Discard, l))
	}
	b.ReportMetric(float64(rows)*float64(b.N)/time.Since(begun).Seconds(), "rows/s")
}
