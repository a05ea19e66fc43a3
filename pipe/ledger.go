package pipe

import (
	"encoding/json"
	"io"
	"slices"
	"sync"
)

// Ledger records the failures of a run, one at a time. An error of Add ends the run.
type Ledger interface {
	Add(Failure) error
}

// JSONLedger writes one JSON object per line, each with one call of the writer. It is safe for concurrent use.
type JSONLedger struct {
	mu sync.Mutex
	w  *json.Encoder
}

// NewJSONLedger returns a ledger that writes to w, which the caller closes.
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

// MemoryLedger keeps all failures in memory. The zero value is ready to use, and it is safe for concurrent use. It
// grows with each failure; Options.MaxFailures limits it.
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

// Failures returns a copy of the recorded failures, in order.
func (l *MemoryLedger) Failures() []Failure {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.failures)
}
