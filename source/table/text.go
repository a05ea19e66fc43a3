package table

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"syscall"

	"github.com/spoolmedia/spool"
)

// table is a text format of rows. It is safe for concurrent use after begin.
type table interface {
	// begin reads the header of all rows, and returns the rows that are data.
	begin(c Columns, text []byte) (rest []byte, err error)
	// end returns where the first row of text ends, after its line feed.
	end(text []byte) int
	parse(text []byte) (line, error)
	// labelOf returns the label of a row; ok is false if the row cannot be read.
	labelOf(text []byte) (label string, ok bool)
	// names returns the names of the columns.
	names() []string
	// columns describes the columns: see Cells.
	columns() []Column
}

// line is a row of a text table that has been parsed. It keeps no memory of the table.
type line interface {
	row() (Row, error)
	cell(column string) (Cell, error)
}

// formats are the text formats by extension.
var formats = map[string]func() table{
	".csv":    func() table { return &separated{comma: ','} },
	".tsv":    func() table { return &separated{comma: '\t'} },
	".jsonl":  func() table { return &objects{} },
	".ndjson": func() table { return &objects{} },
}

// Known reports whether the package reads files with an extension, which is in lower case.
func Known(ext string) bool { return formats[ext] != nil }

// examined is the number of rows whose names of values count as columns.
const examined = 16

// textRows are the rows of a text table, which is kept in memory.
type textRows struct {
	table table
	text  []byte // the rows that are data
	n     int
	marks []int // where every stride-th row begins
	last  recent
	next  atomic.Uint64 // where the row after the last one begins: see after
}

// maxText bounds the memory of a manifest: about a hundred million rows.
const maxText = 16 << 30

// stride is the number of rows between stored positions.
const stride = 16

// Open reads a text table and finds its rows. The extension of the name, in lower case, decides the format, or else the
// first character: JSON lines begin with a brace, and anything else is CSV.
func Open(ctx context.Context, ext string, open func(context.Context) (spool.Object, error), c Columns) (Rows, error) {
	r := &textRows{}
	text, err := r.read(ctx, open)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	format := formats[ext]
	switch {
	case format != nil:
	case bytes.HasPrefix(text[blank(text):], []byte("{")):
		format = formats[".jsonl"]
	default:
		format = formats[".csv"]
	}
	r.table = format()
	if r.text, err = r.table.begin(c, text); err != nil {
		return nil, err
	}
	for at := 0; ; {
		at += blank(r.text[at:])
		if at == len(r.text) {
			return r, nil
		}
		if r.n%stride == 0 {
			r.marks = append(r.marks, at)
		}
		r.n++
		at += r.table.end(r.text[at:])
	}
}

// read returns the whole file in memory outside Go's heap: the collector allows as much garbage as the heap in use.
func (r *textRows) read(ctx context.Context, open func(context.Context) (spool.Object, error)) ([]byte, error) {
	o, err := open(ctx)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	size := o.Info().Size
	if size == 0 {
		return nil, &spool.Error{Op: "list", Class: spool.ErrEmpty, Text: "a manifest of zero bytes"}
	}
	if size > maxText {
		return nil, &spool.Error{Op: "list", Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("a manifest of %d bytes, the limit is %d", size, int64(maxText))}
	}
	text, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%w: %d bytes for a manifest: %w", spool.ErrOutOfMemory, size, err)
	}
	runtime.AddCleanup(r, func(text []byte) { _ = syscall.Munmap(text) }, text)
	return text, spool.ReadFull(ctx, o, text)
}

// blank returns the length of the empty lines at the beginning of text.
func blank(text []byte) int {
	for n := 0; ; n++ {
		switch {
		case bytes.HasPrefix(text[n:], []byte("\r\n")):
			n++
		case bytes.HasPrefix(text[n:], []byte("\n")):
		case string(text[n:]) == "\r":
			return n + 1
		default:
			return n
		}
	}
}

func (r *textRows) Len() int { return r.n }

func (r *textRows) Names() []string { return r.table.names() }

func (r *textRows) Row(k int) (Row, error) {
	l, err := r.line(k)
	if err != nil {
		return Row{}, err
	}
	return l.row()
}

func (r *textRows) Columns() []Column { return r.table.columns() }

func (r *textRows) Cell(_ context.Context, k int, column string) (Cell, error) {
	l, err := r.line(k)
	if err != nil {
		return Cell{}, err
	}
	return l.cell(column)
}

// line parses row k, unless it was parsed recently.
func (r *textRows) line(k int) (line, error) {
	defer runtime.KeepAlive(r)
	if l := r.last.find(k); l != nil {
		return l, nil
	}
	text := r.row(k)
	l, err := r.table.parse(text)
	if err == nil {
		r.last.keep(k, l, len(text))
	}
	return l, err
}

// row returns the text of row k.
func (r *textRows) row(k int) []byte {
	at, i := r.marks[k/stride], 0
	if next, ok := r.after(k); ok {
		at, i = next, k%stride
	}
	for ; ; i++ {
		at += blank(r.text[at:])
		end := at + r.table.end(r.text[at:])
		if i == k%stride {
			r.next.Store(uint64(end)<<rowBits | uint64(k+1)%(1<<rowBits))
			return r.text[at:end]
		}
		at = end
	}
}

// rowBits is the number of lower bits of a row's number beside the position in next. maxText fits into the others.
const rowBits = 24

// after returns where row k begins, if row k-1 was read last.
func (r *textRows) after(k int) (at int, ok bool) {
	next := r.next.Load()
	at = int(next >> rowBits)
	block := k / stride // its rows differ in their lower bits
	return at, next%(1<<rowBits) == uint64(k)%(1<<rowBits) && at >= r.marks[block] &&
		(block+1 == len(r.marks) || at < r.marks[block+1])
}

func (r *textRows) Labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		defer runtime.KeepAlive(r)
		for at := 0; ; {
			if at += blank(r.text[at:]); at == len(r.text) {
				return
			}
			end := at + r.table.end(r.text[at:])
			if label, ok := r.table.labelOf(r.text[at:end]); ok && !yield(label) {
				return
			}
			at = end
		}
	}
}
