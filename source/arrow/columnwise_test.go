package arrow_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/table"
)

// twoBatches is a number of rows of which a table has two record batches.
const twoBatches = 70_000

// values writes the same samples as a CSV and as a table, and returns their paths.
func values(t *testing.T, rows int) (csv, table string) {
	t.Helper()
	number := func(i int) (int64, bool) { return int64(i*7919%1000 - 500), i%11 != 0 }
	var text, labels bytes.Buffer
	text.WriteString("path,label,n\n")
	labels.WriteString("path,label\n")
	for i := range rows {
		class := []string{"cat", "dog", ""}[i%3]
		n, there := number(i)
		fmt.Fprintf(&labels, "/d/%d.jpg,%s\n", i, class)
		fmt.Fprintf(&text, "/d/%d.jpg,%s,", i, class)
		if there {
			fmt.Fprint(&text, n)
		}
		text.WriteByte('\n')
	}
	folder := t.TempDir()
	csv, table = folder+"/n.csv", folder+"/n.arrow"
	put(t, csv, text.String())
	put(t, folder+"/labels.csv", labels.String())
	l, err := source.Open(t.Context(), []string{folder + "/labels.csv"}, source.Options{})
	require.NoError(t, err)
	var data bytes.Buffer
	require.NoError(t, arrow.WriteTable(t.Context(), &data, l, arrow.Column{Name: "n", Integers: number}))
	put(t, table, data.String())
	return csv, table
}

// Conditions select the same rows of a table, whose integers are read together, as of a CSV, whose cells are read one
// by one.
func TestConditionsOnIntegers(t *testing.T) {
	csv, path := values(t, short.Of(twoBatches, 5000))
	for _, where := range []string{"n == 3", "n < -1", "n <= 3.5", "3 < n", "n >= 499", "n != 7", "not (n > 0)",
		"n > 0 and label == 'cat'", "n == nil", "n * 2 > 900", "(n ?? 600) > 490", "-5 >= n or label == 'dog'"} {
		want, err := source.Open(t.Context(), []string{csv}, source.Options{Where: where})
		require.NoError(t, err, where)
		for _, form := range []table.Format{arrow.Open, unmapped} {
			got, err := source.Open(t.Context(), []string{path}, source.Options{Where: where,
				Formats: map[string]table.Format{".arrow": form}})
			require.NoError(t, err, where)
			require.Equal(t, want.Len(), got.Len(), where)
			assert.Equal(t, want.Selection(), got.Selection(), where)
			assert.Equal(t, labelsOf(want), labelsOf(got), where)
		}
	}
}

func labelsOf(l *source.Listing) []int64 {
	labels := make([]int64, l.Len())
	l.Labels(0, labels)
	return labels
}

// unmapped opens a table as one of a store, which cannot be mapped.
func unmapped(ctx context.Context, open func(context.Context) (spool.Object, error), c table.Columns,
	u *table.Cache) (table.Rows, error) {
	return arrow.Open(ctx, func(ctx context.Context) (spool.Object, error) {
		o, err := open(ctx)
		return struct{ spool.Object }{o}, err
	}, c, u)
}

// Labels that are read together are those of the items.
func TestLabels(t *testing.T) {
	_, path := values(t, twoBatches)
	numbers := t.TempDir() + "/numbers"
	var text bytes.Buffer
	for i := range short.Of(twoBatches, 6000) {
		fmt.Fprintf(&text, "/d/%d.jpg\t%d\n", i, i%5-1)
	}
	put(t, numbers+".txt", text.String())
	_, _, numbered := written(t, source.Options{}, "@"+numbers+".txt")
	for _, name := range []string{path, numbered} {
		for _, where := range []string{"", "label != nil"} {
			l, err := source.Open(t.Context(), []string{name}, source.Options{Formats: formats.Formats, Where: where})
			require.NoError(t, err)
			got := labelsOf(l)
			want := make([]int64, l.Len())
			for i := range want {
				want[i] = l.Item(i).Label
			}
			assert.Equal(t, want, got)
			for _, from := range []int{0, 1, 4095, 4096, 4097, l.Len() - 1, l.Len()} {
				some := make([]int64, min(5000, l.Len()-from))
				l.Labels(from, some)
				assert.Equal(t, want[from:from+len(some)], some, from)
			}
		}
	}
}
