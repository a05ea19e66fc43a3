package parquet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/predicate"
	"github.com/spoolmedia/spool/source/table"
)

// selected returns the rows of a predicate.
func selected(t *testing.T, cells table.Cells, text string) []uint32 {
	t.Helper()
	p, err := predicate.Parse(text)
	require.NoError(t, err)
	f, err := p.Bind(t.Context(), cells)
	require.NoError(t, err, text)
	rows, err := f.Rows(t.Context())
	require.NoError(t, err, text)
	var selected []uint32
	for k := range rows.All() {
		selected = append(selected, uint32(k))
	}
	return selected
}

// unbounded are cells without statistics.
type unbounded struct{ table.Cells }

// TestBounds: statistics exclude no row for which a predicate is true.
func TestBounds(t *testing.T) {
	excluded := 0
	for _, file := range []string{"cells_v1.parquet", "cells_v2.parquet", "cells_split.parquet", "cells_words.parquet",
		"cells_required.parquet", "cells_delta.parquet"} {
		rows, _, err := open(t, file, all, 1<<20)
		require.NoError(t, err)
		cells := rows.(table.Bounded)
		for _, column := range cells.Columns() {
			for group := range cells.Sizes() {
				least, greatest, ok := cells.Bounds(group, column.Name)
				if !ok {
					continue
				}
				for _, bound := range []table.Cell{least, greatest} {
					constant := string(bound.Data)
					if strings.Contains(constant, "Infinity") { // the language has no word for it
						continue
					}
					if bound.Type == table.Text {
						constant = fmt.Sprintf("%q", constant)
					}
					for _, operator := range []string{"==", "<", "<=", ">", ">="} {
						for _, form := range []string{"%s %s %s", "not (%s %s %s)", "true and %s %s %s", "false or %s %s %s"} {
							text := fmt.Sprintf(form, column.Name, operator, constant)
							want := selected(t, unbounded{cells}, text)
							assert.Equal(t, want, selected(t, cells, text), "%s %s", file, text)
							if len(want) < 8 {
								excluded++
							}
						}
						text := fmt.Sprintf("%s %s %s", constant, operator, column.Name)
						assert.Equal(t, selected(t, unbounded{cells}, text), selected(t, cells, text), "%s %s", file, text)
					}
				}
			}
		}
	}
	assert.Greater(t, excluded, 100)
}

// TestWhere: only the columns that a predicate names are read, and of these only the row groups that may have matches.
func TestWhere(t *testing.T) {
	rows, f, err := open(t, "cells_v2.parquet", all, 1<<20)
	require.NoError(t, err)
	cells := rows.(table.Cells)
	read := func(text string) (bytes int64, rows []uint32) {
		before := f.read.Load()
		rows = selected(t, cells, text)
		return f.read.Load() - before, rows
	}
	whole, found := read("int32 > -10000000000")
	assert.Len(t, found, 21)
	again, found := read("int64 >= 2800000000000000000 and int64 != nil")
	assert.Equal(t, []uint32{16, 17, 18, 19, 21, 22, 23}, found)
	assert.Positive(t, again)
	assert.Less(t, again, whole, "the first of two row groups has other values")
	none, found := read("'dogs' < word or word > \"zzzz\"")
	assert.Empty(t, found)
	assert.Zero(t, none)

	l, err := source.Open(t.Context(), []string{"testdata/classes.parquet"},
		source.Options{Formats: formats.Formats, Where: "label == 'dog' or key == 'k1'"})
	require.NoError(t, err)
	for i := range l.Len() {
		assert.Equal(t, int64(i), l.Item(i).ID)
	}
	r, err := source.OpenRecords(t.Context(), []string{"testdata/cells_words.parquet"},
		[]source.Input{{Name: "word", Value: true}},
		source.Options{Formats: formats.Formats, Where: "word == 'cat' and meta.Size > 3"})
	require.NoError(t, err)
	sizes := r.Sizes()
	assert.Len(t, sizes, 2, "of two row groups")
	assert.Equal(t, r.Len(), sizes[0]+sizes[1])
	for i := range r.Len() {
		assert.Equal(t, "cat", string(input(t, r, i, 0)))
	}
	cells = mustCells(t, "cells_words.parquet")
	want := 0
	for k := range cells.Len() {
		if slices.Contains(selected(t, unbounded{cells}, "word == 'cat' and meta.Size > 3"), uint32(k)) {
			want++
		}
	}
	assert.Equal(t, want, r.Len())
}

func mustCells(t *testing.T, file string) table.Cells {
	t.Helper()
	rows, _, err := open(t, file, all, 1<<20)
	require.NoError(t, err)
	return rows.(table.Cells)
}
