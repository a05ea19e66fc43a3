package parquet

import (
	"bytes"
	"context"
	"iter"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/spoolmedia/spool/source/table"
)

// run is successive rows of a row group.
type run struct{ group, row, n int }

// runs yields the parts of rows [from, to) that are in one row group each, and the first row of each.
func (r *rows) runs(from, to int) iter.Seq2[int, run] {
	return func(yield func(int, run) bool) {
		for from < to {
			group, row := r.locate(from)
			n := min(to, r.first[group+1]) - from
			if !yield(from, run{group, row, n}) {
				return
			}
			from += n
		}
	}
}

// Labels yields the labels of all rows; empty for one that cannot be read.
func (r *rows) Labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		var labels [table.RunRows]string
		last := ""
		for from := 0; from < r.Len(); from += len(labels) {
			all := labels[:min(len(labels), r.Len()-from)]
			clear(all)
			for k, run := range r.runs(from, from+len(all)) {
				if r.label == nil {
					break
				}
				_ = r.label.each(context.Background(), run.group, run.row, run.n, func(i int, v value) {
					if v.whole || string(v.text) != last {
						last = v.String()
					}
					all[k-from+i] = last
				})
			}
			for _, label := range all {
				if !yield(label) {
					return
				}
			}
		}
	}
}

// ReadLabels reads labels without those of rows that have no path: see table.Labeled.
func (r *rows) ReadLabels(from int, labels []int64, number func(name []byte) int64) bool {
	ctx := context.Background()
	for k, run := range r.runs(from, from+len(labels)) {
		to := labels[k-from:][:run.n]
		for i := range to {
			to[i] = -1
		}
		if r.label == nil {
			continue
		}
		var last []byte
		label := int64(-1)
		err := r.label.each(ctx, run.group, run.row, run.n, func(i int, v value) {
			switch {
			case v.whole:
				to[i] = max(v.number, -1)
			case len(v.text) > 0:
				if !bytes.Equal(v.text, last) {
					last, label = v.text, number(v.text)
				}
				to[i] = label
			}
		})
		if err != nil {
			return false
		}
		if r.held {
			continue
		}
		err = r.path.each(ctx, run.group, run.row, run.n, func(i int, v value) {
			if len(v.text) == 0 || bytes.IndexByte(v.text, 0) >= 0 {
				to[i] = -1
			}
		})
		if err != nil {
			return false
		}
	}
	return true
}

// Integers reads a column of integers: see table.Numbered.
func (c *cells) Integers(ctx context.Context, column string, from int, values []int64, there []bool) bool {
	x := c.outer(column)
	if x == nil || x.leaf.kind != format.Int32 && x.leaf.kind != format.Int64 || x.leaf.meaning != isPlain {
		return false
	}
	for k, run := range c.runs(from, from+len(values)) {
		values, there := values[k-from:], there[k-from:]
		err := x.each(ctx, run.group, run.row, run.n, func(i int, v value) { values[i], there[i] = v.number, v.there })
		if err != nil {
			return false
		}
	}
	return true
}

// Texts reads a column of text: see table.Worded.
func (c *cells) Texts(ctx context.Context, column string, from, n int, do func(i int, text []byte, there bool)) bool {
	x := c.outer(column)
	if x == nil || x.leaf.meaning != isText {
		return false
	}
	for k, run := range c.runs(from, from+n) {
		each := func(i int, v value) { do(k-from+i, v.text, v.there) }
		if x.each(ctx, run.group, run.row, run.n, each) != nil {
			return false
		}
	}
	return true
}

// outer returns a column that is in no structure and no list, to be read in order; nil for others.
func (c *cells) outer(name string) *column {
	n := c.nodes[strings.ToLower(name)]
	if n == nil || n.leaf == nil || n.repeated || n.leaf.name != strings.ToLower(n.name) {
		return nil
	}
	return &column{leaf: n.leaf, chunks: c.chunks[n.leaf.index], reader: c.own}
}
