package main

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/pipe"
)

// failures is the ledger of a run. Without a file every bad sample is told on the console, but not before
// the first batch has come: a run that does not get that far ends with a single line. It is safe for concurrent use.
type failures struct {
	console *console
	file    *output          // of --ledger, or nil
	ledger  *pipe.JSONLedger // writes to it
	silent  bool             // nothing is told: the failure that ends the run will be

	mu      sync.Mutex
	count   int
	first   error
	kept    []pipe.Failure // the first ones, for a page: of each file one
	flowing bool           // the first batch has come
	held    []string       // lines that wait for it
}

// newFailures tells the console, or writes to the file of the given name if there is one.
func newFailures(c *console, name string) (*failures, error) {
	f := &failures{console: c}
	if name == "" {
		return f, nil
	}
	file, err := create(name)
	if err != nil {
		return nil, err
	}
	f.file, f.ledger = file, pipe.NewJSONLedger(file)
	return f, nil
}

func (f *failures) close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Add takes a failure.
func (f *failures) Add(failure pipe.Failure) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count++; f.first == nil {
		f.first = failure.Err
	}
	if len(f.kept) < shownFailures && !slices.ContainsFunc(f.kept, func(k pipe.Failure) bool { return k.File == failure.File }) {
		f.kept = append(f.kept, failure)
	}
	if f.ledger != nil {
		return f.ledger.Add(failure)
	}
	if !f.silent {
		f.tell(lineOf(failure))
	}
	return nil
}

// lineOf is what is told of a failure.
func lineOf(failure pipe.Failure) string {
	if spool.ClassOf(failure.Err) == "" { // a bug of ours: without a file, but with a number
		return fmt.Sprintf("spool: sample %s: %s: %s", failure.ID, failure.Class, oneLine(failure.Text))
	}
	line, _ := describe(failure.Err)
	return line
}

// note tells something beside the failures.
func (f *failures) note(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tell(line)
}

func (f *failures) tell(line string) {
	if f.flowing {
		f.console.line(line)
	} else {
		f.held = append(f.held, line)
	}
}

// flow tells what was held back, and from now on everything at once.
func (f *failures) flow() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flowing = true
	for _, line := range f.held {
		f.console.line(line)
	}
	f.held = nil
}

func (f *failures) number() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// firstOnes are the first failures, as many as a page shows.
func (f *failures) firstOnes() []pipe.Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kept
}

// all is the error of a run in which every sample failed.
func (f *failures) all() error {
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
