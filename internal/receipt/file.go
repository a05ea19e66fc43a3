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
	t := &rowTable{head: head, buffer: bufio.NewWriter(w)}
	var err error
	if ending == arrowEnding {
		t.file, err = arrow.NewWriter(t.buffer, t.columns()...)
	} else {
		t.file, err = parquet.NewWriter(t.buffer, t.columns()...)
	}
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
	file   interface {
		Write(n int) error
		Close() error
	}
	rows  []Row // that are not written yet
	begun bool
}

// The endings of names of tables.
const (
	arrowEnding   = ".arrow"
	parquetEnding = ".parquet"
)

// groupRows is how many rows are written together.
const groupRows = 4096

// The names of columns whose texts are JSON.
const (
	runColumn    = "run"
	beforeColumn = "before"
)

func (t *rowTable) columns() []table.Values {
	number := func(name string, of func(*Row) int64) table.Values {
		return table.Values{Name: name, Integers: func(i int) (int64, bool) { return of(&t.rows[i]), true }}
	}
	place := func(name string, of func(*Row) float64) table.Values {
		return table.Values{Name: name, Floats: func(i int) (float64, bool) { return of(&t.rows[i]), true }}
	}
	truth := func(name string, of func(*Row) bool) table.Values {
		return table.Values{Name: name, Truths: func(i int) (v, ok bool) { return of(&t.rows[i]), true }}
	}
	text := func(name string, of func(*Row) string) table.Values {
		return table.Values{Name: name, Texts: func(i int) string { return of(&t.rows[i]) }}
	}
	return []table.Values{
		number("batch", func(r *Row) int64 { return int64(r.Batch) }),
		number("epoch", func(r *Row) int64 { return int64(r.Epoch) }),
		number("index", func(r *Row) int64 { return int64(r.Index) }),
		number("slot", func(r *Row) int64 { return int64(r.Slot) }),
		number("id", func(r *Row) int64 { return r.ID }),
		text("name", func(r *Row) string { return string(r.Name) }),
		text("key", func(r *Row) string { return r.Key }),
		number("label", func(r *Row) int64 { return r.Label }),
		number("place", func(r *Row) int64 { return r.Place }),
		number("occurrence", func(r *Row) int64 { return int64(r.Occurrence) }),
		truth("padding", func(r *Row) bool { return r.Padding }),
		number("state", func(r *Row) int64 { return int64(r.State) }),
		place("left", func(r *Row) float64 { return r.Left }),
		place("top", func(r *Row) float64 { return r.Top }),
		place("width", func(r *Row) float64 { return r.Width }),
		place("height", func(r *Row) float64 { return r.Height }),
		truth("flip_x", func(r *Row) bool { return r.FlipX }),
		truth("flip_y", func(r *Row) bool { return r.FlipY }),
		text("sha256", func(r *Row) string { return r.Digest }),
		text(beforeColumn, func(r *Row) string {
			if r.Before == nil {
				return ""
			}
			return asJSON(r.Before)
		}),
		{Name: runColumn, Texts: func(i int) string {
			if i > 0 || t.begun {
				return ""
			}
			return asJSON(t.head)
		}},
	}
}

// asJSON returns a state or a header as JSON, which is always possible.
func asJSON(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func (t *rowTable) add(rows []Row) error {
	t.rows = append(t.rows, rows...)
	if len(t.rows) < groupRows {
		return nil
	}
	return t.flush()
}

func (t *rowTable) flush() error {
	err := t.file.Write(len(t.rows))
	t.begun, t.rows = t.begun || len(t.rows) > 0, t.rows[:0]
	return err
}

func (t *rowTable) close() error {
	for _, step := range []func() error{t.flush, t.file.Close, t.buffer.Flush} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
