// Package failures collects the bad samples of a run, for the console, the ledger and the page.
package failures

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/live"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/pipe"
)

// Ledger is the ledger of a run. Without a file it prints every bad sample on the console, but not before the first
// batch: a run that ends earlier prints a single line. It is safe for concurrent use.
type Ledger struct {
	Console *output.Console
	file    *output.File     // of --ledger, or nil
	ledger  *pipe.JSONLedger // writes to it
	Silent  bool             // print nothing: the failure that ends the run will be printed
	Recent  live.Recent      // for the page of --serve

	mu      sync.Mutex
	count   int
	first   error
	shown   []pipe.Failure // the first ones, for the page of --report: one per file
	flowing bool           // the first batch has been delivered
	pending []string       // lines to print after the first batch
}

// Most is how many failures a page shows.
const Most = 24

// New returns a ledger that prints on the console, or writes to the named file if there is a name.
func New(c *output.Console, name string) (*Ledger, error) {
	f := &Ledger{Console: c}
	if name == "" {
		return f, nil
	}
	file, err := output.Create(name)
	if err != nil {
		return nil, err
	}
	f.file, f.ledger = file, pipe.NewJSONLedger(file)
	return f, nil
}

// Close closes the file, if there is one.
func (f *Ledger) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Add records a failure, whose text names flags.
func (f *Ledger) Add(failure pipe.Failure) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	failure.Text = settings.AsFlags(failure.Text)
	f.Recent.Add(failure)
	if f.count++; f.first == nil {
		f.first = failure.Err
	}
	if len(f.shown) < Most && !slices.ContainsFunc(f.shown, func(k pipe.Failure) bool { return k.File == failure.File }) {
		f.shown = append(f.shown, failure)
	}
	if f.ledger != nil {
		return f.ledger.Add(failure)
	}
	if !f.Silent {
		f.print(lineOf(failure))
	}
	return nil
}

// lineOf returns the line that is printed for a failure.
func lineOf(failure pipe.Failure) string {
	if spool.ClassOf(failure.Err) == "" { // no error of the input: a panic, or no memory
		name := "sample " + failure.ID
		if failure.File != "" {
			name = output.Printable(failure.File)
		}
		return fmt.Sprintf("spool: %s: %s: %s", name, failure.Class, output.OneLine(failure.Text))
	}
	line, _ := cli.Describe(failure.Err)
	return line
}

// Note prints a line that is not a failure.
func (f *Ledger) Note(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.print(line)
}

func (f *Ledger) print(line string) {
	if f.flowing {
		f.Console.Line(line)
	} else {
		f.pending = append(f.pending, line)
	}
}

// Flow prints the lines that were held back, and makes later ones print at once.
func (f *Ledger) Flow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flowing = true
	for _, line := range f.pending {
		f.Console.Line(line)
	}
	f.pending = nil
}

// Count returns the number of failures so far.
func (f *Ledger) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// First returns the first failures, as many as a page shows.
func (f *Ledger) First() []pipe.Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shown
}

// All returns the error of a run in which every sample failed.
func (f *Ledger) All() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := errors.AsType[*spool.Error](f.first)
	switch {
	case f.flowing: // each has been printed
		return &spool.Error{Op: "load", Class: spool.ErrEmpty,
			Text: fmt.Sprintf("nothing could be loaded: all %d samples failed", f.count)}
	case ok && f.count > 1:
		return &spool.Error{Op: e.Op, File: e.File, Class: e.Class, Err: e,
			Text: fmt.Sprintf("%s; nothing could be loaded: %d more failed", e.Detail(), f.count-1)}
	}
	return f.first
}
