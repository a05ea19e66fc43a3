// Package failures takes the bad samples of a run, for the console, the ledger and the page.
package failures

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/pipe"
)

// Ledger is the ledger of a run. Without a file every bad sample is told on the console, but not before
// the first batch has come: a run that does not get that far ends with a single line. It is safe for concurrent use.
type Ledger struct {
	Console *output.Console
	file    *output.File     // of --ledger, or nil
	ledger  *pipe.JSONLedger // writes to it
	Silent  bool             // nothing is told: the failure that ends the run will be

	mu      sync.Mutex
	count   int
	first   error
	kept    []pipe.Failure // the first ones, for a page: of each file one
	flowing bool           // the first batch has come
	held    []string       // lines that wait for it
}

// Most is how many failures a page shows.
const Most = 24

// New tells the console, or writes to the file of the given name if there is one.
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

// Close ends the file, if there is one.
func (f *Ledger) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Add takes a failure.
func (f *Ledger) Add(failure pipe.Failure) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count++; f.first == nil {
		f.first = failure.Err
	}
	if len(f.kept) < Most && !slices.ContainsFunc(f.kept, func(k pipe.Failure) bool { return k.File == failure.File }) {
		f.kept = append(f.kept, failure)
	}
	if f.ledger != nil {
		return f.ledger.Add(failure)
	}
	if !f.Silent {
		f.tell(lineOf(failure))
	}
	return nil
}

// lineOf is what is told of a failure.
func lineOf(failure pipe.Failure) string {
	if spool.ClassOf(failure.Err) == "" { // a bug of ours: without a file, but with a number
		return fmt.Sprintf("spool: sample %s: %s: %s", failure.ID, failure.Class, output.OneLine(failure.Text))
	}
	line, _ := cli.Describe(failure.Err)
	return line
}

// Note tells something beside the failures.
func (f *Ledger) Note(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tell(line)
}

func (f *Ledger) tell(line string) {
	if f.flowing {
		f.Console.Line(line)
	} else {
		f.held = append(f.held, line)
	}
}

// Flow tells what was held back, and from now on everything at once.
func (f *Ledger) Flow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flowing = true
	for _, line := range f.held {
		f.Console.Line(line)
	}
	f.held = nil
}

// Count is how many there are so far.
func (f *Ledger) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// First are the first failures, as many as a page shows.
func (f *Ledger) First() []pipe.Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kept
}

// All is the error of a run in which every sample failed.
func (f *Ledger) All() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	e, ok := errors.AsType[*spool.Error](f.first)
	switch {
	case f.flowing: // each has been told
		return &spool.Error{Op: "load", Class: spool.ErrEmpty, Text: fmt.Sprintf("nothing could be loaded: all %d samples failed", f.count)}
	case ok && f.count > 1:
		return &spool.Error{Op: e.Op, File: e.File, Class: e.Class, Err: e,
			Text: fmt.Sprintf("%s; nothing could be loaded: %d more failed", e.Detail(), f.count-1)}
	}
	return f.first
}
