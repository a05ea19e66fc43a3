package arrow_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
)

const rowsOfBatch = 1 << 16

// heap returns the bytes that are held on Go's heap.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// sparse writes a table of a number of batches, of which the filled ones have the rows of a listing, and the others are
// holes of the file: rows without a path.
func sparse(t testing.TB, l *source.Listing, batches int, filled ...int) string {
	t.Helper()
	var one bytes.Buffer
	require.NoError(t, arrow.WriteTable(context.Background(), &one, l))
	data := one.Bytes()
	message := func(at int) int { return at + 8 + int(binary.LittleEndian.Uint32(data[at+4:])) }
	begin := message(8) // the schema has no body
	footer := int(binary.LittleEndian.Uint32(data[len(data)-10:]))
	body, end := message(begin), len(data)-10-footer-8
	path := filepath.Join(t.TempDir(), "sparse.arrow")
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	put := func(p []byte, at int64) {
		_, err := file.WriteAt(p, at)
		require.NoError(t, err)
	}
	put(data[:begin], 0)
	at := int64(begin)
	for k := range batches {
		put(data[begin:body], at)
		for _, f := range filled {
			if f == k {
				put(data[body:end], at+int64(body-begin))
			}
		}
		at += int64(end - begin)
	}
	put([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}, at)
	return path
}

// A table of a billion rows opens with memory for its batches only, and gives any row in any order.
func TestBillionRows(t *testing.T) {
	batches := 1_000_000_000/rowsOfBatch + 1
	if testing.Short() {
		batches = 200
	}
	var text bytes.Buffer
	for i := range rowsOfBatch {
		fmt.Fprintf(&text, "/data/%05d.jpg\n", i)
	}
	list := filepath.Join(t.TempDir(), "list.txt")
	require.NoError(t, os.WriteFile(list, text.Bytes(), 0o600))
	from, err := source.Open(context.Background(), []string{"@" + list}, source.Options{})
	require.NoError(t, err)
	last := batches - 1
	path := sparse(t, from, batches, 0, last/2, last)

	before, begun := heap(), time.Now()
	l, err := source.Open(context.Background(), []string{path}, source.Options{Formats: formats.Formats})
	require.NoError(t, err)
	opened := time.Since(begun)
	require.Equal(t, batches*rowsOfBatch, l.Len())
	begun = time.Now()
	shuffled := order.NewPermutation(l.Len(), 1, 0)
	for i := range 256 {
		row := shuffled.At(i)
		want := fmt.Sprintf("%s:%d", path, row+1) // a row in a hole
		if b := row / rowsOfBatch; b == 0 || b == last/2 || b == last {
			want = from.Item(row % rowsOfBatch).Name
		}
		assert.Equal(t, want, l.Item(row).Name)
	}
	for _, row := range []int{0, 77, last / 2 * rowsOfBatch, last*rowsOfBatch + 65_535} {
		assert.Equal(t, from.Item(row%rowsOfBatch).Name, l.Item(row).Name)
	}
	grown := heap() - before
	assert.Less(t, grown, int64(batches)*1000+1<<20, "about 200 bytes a batch")
	t.Logf("%d rows: opened in %v, 256 shuffled names in %v, %d bytes of heap", l.Len(), opened, time.Since(begun), grown)
	runtime.KeepAlive(l)
}
