package main

import (
	"bytes"
	"errors"
	"os"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/live"
	"github.com/spoolmedia/spool/internal/receipt"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
)

// keptFailures is the number of failures that a ledger keeps. It only counts the others.
const keptFailures = 10000

// ledger is the failures of a loader, in the format of run --ledger. It is safe for concurrent use.
type ledger struct {
	file   *os.File    // nil: no file
	recent live.Recent // for the page

	mu    sync.Mutex
	count int64
	text  []byte // JSON lines
	lines *pipe.JSONLedger
}

// newLedger returns a ledger, which also writes to the named file unless name is empty.
func newLedger(name string) (l *ledger, err error) {
	l = new(ledger)
	if name != "" {
		if l.file, err = os.Create(name); err != nil {
			return nil, spool.FileError("write", name, err)
		}
	}
	l.lines = pipe.NewJSONLedger(l)
	return l, nil
}

// Write adds a line.
func (l *ledger) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count++; l.count <= keptFailures {
		l.text = append(l.text, line...)
	}
	if l.file == nil {
		return len(line), nil
	}
	return l.file.Write(line)
}

// Add adds a failure, whose text names keys of options.
func (l *ledger) Add(f pipe.Failure) error {
	f.Text = settings.AsKeys(f.Text)
	l.recent.Add(f)
	return l.lines.Add(f)
}

// read returns the lines so far.
func (l *ledger) read() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.text)
}

// failures returns the number of failures.
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

// papers is a file of receipts. A nil one does nothing.
type papers struct {
	*receipt.Writer
	file *os.File
}

func openPapers(name string, digests bool) (*papers, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, spool.FileError("write", name, err)
	}
	w, err := receipt.NewWriter(file, name, nil, digests)
	if err != nil {
		return nil, errors.Join(spool.FileError("write", name, err), file.Close())
	}
	return &papers{w, file}, nil
}

func (p *papers) write(rows []receipt.Row, before loader.State) error {
	if p == nil {
		return nil
	}
	return p.failed(p.Write(rows, before))
}

func (p *papers) failed(err error) error {
	if err == nil {
		return nil
	}
	return spool.FileError("write", p.file.Name(), err)
}

func (p *papers) close() error {
	if p == nil {
		return nil
	}
	return p.failed(errors.Join(p.Writer.Close(), p.file.Close()))
}
