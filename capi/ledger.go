package main

import (
	"bytes"
	"os"
	"sync"

	"github.com/spoolmedia/spool/pipe"
)

// keptFailures is how many failures a ledger keeps; it counts the others.
const keptFailures = 10000

// ledger is the failures of a loader, as the command's run --ledger writes them. It is safe for concurrent use.
type ledger struct {
	file *os.File // nil: none

	mu    sync.Mutex
	count int64
	kept  []byte // JSON lines
	lines *pipe.JSONLedger
}

// newLedger makes a ledger, which also writes to the file of that name if there is one.
func newLedger(name string) (l *ledger, err error) {
	l = new(ledger)
	if name != "" {
		if l.file, err = os.Create(name); err != nil {
			return nil, err
		}
	}
	l.lines = pipe.NewJSONLedger(l)
	return l, nil
}

// Write takes a line.
func (l *ledger) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count++; l.count <= keptFailures {
		l.kept = append(l.kept, line...)
	}
	if l.file == nil {
		return len(line), nil
	}
	return l.file.Write(line)
}

// Add takes a failure.
func (l *ledger) Add(f pipe.Failure) error { return l.lines.Add(f) }

// read gives the lines so far.
func (l *ledger) read() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.kept)
}

// failures is how many there were.
func (l *ledger) failures() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// Close closes the file.
func (l *ledger) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
