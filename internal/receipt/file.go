package receipt

import (
	"bufio"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

// Writer writes the receipts of a run. A nil Writer does nothing.
type Writer struct {
	form    form
	digests bool
	batches int
	before  loader.State
}

// form is how the receipts of a file are written.
type form interface {
	add(rows []Row) error
	close() error
}

// NewWriter returns a Writer in the form of a file's name: .arrow is an Arrow IPC file, .parquet is Parquet, and
// everything else has JSON lines. arguments are those of the run's command line; a loader of the library has none.
func NewWriter(w io.Writer, name string, arguments []string, digests bool) (*Writer, error) {
	shown := make([]string, len(arguments))
	for i, word := range arguments {
		shown[i] = spool.Redacted(word)
	}
	head := header{shown, checkup.Version()}
	f, err := newForm(w, strings.ToLower(filepath.Ext(name)), head)
	return &Writer{form: f, digests: digests}, err
}

func newForm(w io.Writer, ending string, head header) (form, error) {
	if ending != arrowEnding && ending != parquetEnding {
		return newLines(w, head)
	}
	create := arrow.NewWriter
	if ending == parquetEnding {
		create = parquet.NewWriter
	}
	t := &rowTable{head: head, buffer: bufio.NewWriter(w)}
	var err error
	t.file, err = create(t.buffer, table.Schema{Fields: fields, Compress: true})
	return t, err
}

// Next notes the loader's state before its next batch.
func (w *Writer) Next(l *loader.Loader) (err error) {
	if w != nil {
		w.before, err = l.State()
	}
	return err
}

// Add writes the receipt of a batch, before which Next was called.
func (w *Writer) Add(b *batch.Batch) error {
	if w == nil {
		return nil
	}
	return w.Write(w.Of(b), w.before)
}

// Of returns the receipt of a batch, for Write. It reads the batch's memory if there are digests.
func (w *Writer) Of(b *batch.Batch) []Row { return rows(b, w.digests) }

// Write writes the receipt of the next batch, before which the loader had a state.
func (w *Writer) Write(rows []Row, before loader.State) error {
	for i := range rows {
		rows[i].Batch = int32(w.batches)
	}
	rows[0].Before = &before
	w.batches++
	return w.form.add(rows)
}

// Close completes the content of the file.
func (w *Writer) Close() error {
	if w == nil {
		return nil
	}
	return w.form.close()
}

// lines are JSON lines: a header, and then a line for each sample.
type lines struct {
	buffer *bufio.Writer
	json   *json.Encoder
}

func newLines(w io.Writer, head header) (form, error) {
	l := lines{buffer: bufio.NewWriter(w)}
	l.json = json.NewEncoder(l.buffer)
	l.json.SetEscapeHTML(false)
	return l, l.json.Encode(head)
}

func (l lines) add(rows []Row) error {
	for _, row := range rows {
		if err := l.json.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

func (l lines) close() error { return l.buffer.Flush() }

// rowTable is a table with a row for each sample. The first row also has the header.
type rowTable struct {
	head   header
	buffer *bufio.Writer
	file   table.Writer
	begun  bool
	values []table.Value
}

// The endings of names of tables.
const (
	arrowEnding   = ".arrow"
	parquetEnding = ".parquet"
)

// The names of columns whose texts are JSON.
const (
	runColumn    = "run"
	beforeColumn = "before"
)

// fields are the columns of a table, in the order of rowTable.row.
var fields = []table.Field{
	{Name: "batch", Kind: table.IntegerField}, {Name: "epoch", Kind: table.IntegerField},
	{Name: "index", Kind: table.IntegerField}, {Name: "slot", Kind: table.IntegerField},
	{Name: "id", Kind: table.IntegerField}, {Name: "name", Kind: table.TextField},
	{Name: "key", Kind: table.TextField}, {Name: "label", Kind: table.IntegerField},
	{Name: "place", Kind: table.IntegerField}, {Name: "occurrence", Kind: table.IntegerField},
	{Name: "padding", Kind: table.BoolField}, {Name: "state", Kind: table.IntegerField},
	{Name: "left", Kind: table.FloatField}, {Name: "top", Kind: table.FloatField},
	{Name: "width", Kind: table.FloatField}, {Name: "height", Kind: table.FloatField},
	{Name: "flip_x", Kind: table.BoolField}, {Name: "flip_y", Kind: table.BoolField},
	{Name: "sha256", Kind: table.TextField}, {Name: beforeColumn, Kind: table.TextField},
	{Name: runColumn, Kind: table.TextField},
}

// row sets the values of a row.
func (t *rowTable) row(r *Row) {
	integer := func(v int64) table.Value { return table.Value{Present: true, Integer: v} }
	float := func(v float64) table.Value { return table.Value{Present: true, Float: v} }
	truth := func(v bool) table.Value { return table.Value{Present: true, Bool: v} }
	text := func(v string) table.Value { return table.Value{Present: v != "", Data: []byte(v)} }
	before, run := "", ""
	if r.Before != nil {
		before = asJSON(r.Before)
	}
	if !t.begun {
		run = asJSON(t.head)
	}
	t.values = append(t.values[:0],
		integer(int64(r.Batch)), integer(int64(r.Epoch)), integer(int64(r.Index)), integer(int64(r.Slot)),
		integer(r.ID), text(string(r.Name)), text(r.Key), integer(r.Label),
		integer(r.Place), integer(int64(r.Occurrence)), truth(r.Padding), integer(int64(r.State)),
		float(r.Left), float(r.Top), float(r.Width), float(r.Height),
		truth(r.FlipX), truth(r.FlipY), text(r.Digest), text(before), text(run))
}

// asJSON returns a state or a header as JSON, which is always possible.
func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func (t *rowTable) add(rows []Row) error {
	for i := range rows {
		t.row(&rows[i])
		if err := t.file.WriteRow(t.values); err != nil {
			return err
		}
		t.begun = true
	}
	return nil
}

func (t *rowTable) close() error {
	if err := t.file.Close(); err != nil {
		return err
	}
	return t.buffer.Flush()
}
