package pipe

import (
	"encoding/json"
	"io"
	"slices"
	"sync"
)

// Ledger takes the failures of a run, one at a time. An error of Add ends the run.
type Ledger interface {
	Add(Failure) error
}

// JSONLedger writes one JSON object a line, each in one call of the writer. It is safe for concurrent
// use.
type JSONLedger struct {
	mu sync.Mutex
	w  *json.Encoder
}

// NewJSONLedger writes to w, which stays the caller's to close.
func NewJSONLedger(w io.Writer) *JSONLedger {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return &JSONLedger{w: e}
}

// Add writes a line.
func (l *JSONLedger) Add(f Failure) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Encode(f)
}

// MemoryLedger keeps all failures. The zero value is ready, and it is safe for concurrent use. It
// grows with each failure: Options.MaxFailures bounds it.
type MemoryLedger struct {
	mu       sync.Mutex
	failures []Failure
}

// Add keeps a failure.
func (l *MemoryLedger) Add(f Failure) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, f)
	return nil
}

// Failures is a copy of what was added, in that order.
func (l *MemoryLedger) Failures() []Failure {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.failures)
}
