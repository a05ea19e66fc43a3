package parquet_test

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

// FuzzOpen: for any file, rows and media are returned or an error with a class, within the memory limit.
func FuzzOpen(f *testing.F) {
	for _, data := range mutate.Files(f, 20_000, "testdata/*.parquet") {
		f.Add(data)
	}
	const limit = 1 << 20
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		file := &counted{Memory: data}
		rows, err := parquet.Open(t.Context(), file.opener, usual, table.NewCache(limit))
		if err != nil {
			classified(t, err)
		} else {
			fuzzed.Accept()
			read(t, rows)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<30 {
			t.Fatalf("%d bytes were taken for a file of %d", took, len(data))
		}
		if n := file.open.Load(); n != 0 {
			t.Fatalf("%d files are open", n)
		}
	})
}

func classified(t testing.TB, err error) {
	if spool.ClassOf(err) == "" {
		t.Fatalf("%v has no class", err)
	}
}

// read reads some of the first and of the last rows.
func read(t *testing.T, rows table.Rows) {
	n := rows.Len()
	const some = 20
	for i := range min(n, 2*some) {
		k := i
		if i >= some {
			k = n - 1 - (i - some)
		}
		row, err := rows.Row(k)
		if err != nil {
			classified(t, err)
		}
		if !row.Held {
			continue
		}
		o, err := rows.(table.Media).Open(t.Context(), k)
		if err != nil {
			classified(t, err)
			continue
		}
		if o == nil {
			continue
		}
		if _, err := spool.ReadAll(t.Context(), o, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzCells: for any file, each cell is returned or an error with a class, and JSON is valid.
func FuzzCells(f *testing.F) {
	mutate.Fuzz(f, mutate.Files(f, 1<<20, "testdata/*.parquet"), func(t testing.TB, data []byte, _ uint64) {
		if len(data) > 1<<16 {
			return
		}
		file := &counted{Memory: data}
		rows, err := parquet.Open(t.Context(), file.opener, all, table.NewCache(1<<20))
		if err != nil {
			classified(t, err)
			return
		}
		fuzzed.Accept()
		cells := rows.(table.Cells)
		for _, column := range cells.Columns()[:min(50, len(cells.Columns()))] {
			for i := range min(cells.Len(), 6) {
				k := i
				if i >= 3 {
					k = cells.Len() - 1 - (i - 3)
				}
				cell, err := cells.Cell(t.Context(), k, column.Name)
				if err != nil {
					classified(t, err)
				} else if cell.Type == table.JSON && !json.Valid(cell.Data) {
					t.Fatalf("%s is %q", column.Name, cell.Data)
				}
			}
		}
		if n := file.open.Load(); n != 0 {
			t.Fatalf("%d files are open", n)
		}
	})
}
