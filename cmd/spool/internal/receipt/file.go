package receipt

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/loader"
)

// Writer writes the receipts of a run as JSON lines: a header, and then a line for each sample. A nil Writer does
// nothing.
type Writer struct {
	file    *output.File
	buffer  *bufio.Writer
	lines   *json.Encoder
	digests bool
	batches int
	before  loader.State
}

// Create creates a file for the receipts of a run with these arguments. An empty name gives a nil Writer.
func Create(name string, arguments []string, digests bool) (*Writer, error) {
	if name == "" {
		return nil, nil
	}
	shown := make([]string, len(arguments))
	for i, word := range arguments {
		shown[i] = spool.Redacted(word)
	}
	file, err := output.Create(name)
	if err != nil {
		return nil, err
	}
	buffer := bufio.NewWriter(file)
	w := &Writer{file: file, buffer: buffer, lines: json.NewEncoder(buffer), digests: digests}
	w.lines.SetEscapeHTML(false)
	return w, w.lines.Encode(header{shown, checkup.Version()})
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
	for _, row := range rows(w.batches, &w.before, b, w.digests) {
		if err := w.lines.Encode(row); err != nil {
			return err
		}
	}
	w.batches++
	return nil
}

// Close completes the file.
func (w *Writer) Close() error {
	if w == nil {
		return nil
	}
	return w.file.Finish(w.buffer.Flush())
}

// Read returns the receipt of a batch.
func Read(name string, number int) (*Receipt, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	defer file.Close()
	corrupt := func(text string) error {
		return &spool.Error{Op: "open", File: name, Class: spool.ErrCorrupt, Text: "no file of receipts: " + text}
	}
	lines := json.NewDecoder(bufio.NewReader(file))
	r := new(Receipt)
	if err := lines.Decode(&r.header); err != nil {
		return nil, corrupt(err.Error())
	}
	if len(r.Arguments) == 0 {
		return nil, corrupt("it does not begin with the arguments of a run")
	}
	last := -1
	for last <= number {
		var row Row
		err := lines.Decode(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, corrupt(err.Error())
		}
		if last = int(row.Batch); last == number {
			r.Rows = append(r.Rows, row)
		}
	}
	switch {
	case len(r.Rows) == 0:
		return nil, &spool.Error{Op: "open", File: name, Class: spool.ErrNotFound,
			Text: fmt.Sprintf("no batch %d: the run had %d", number, last+1)}
	case r.Rows[0].Before == nil || r.Rows[0].Before.Version == 0:
		return nil, corrupt(fmt.Sprintf("batch %d has no state", number))
	}
	return r, nil
}
