package pipe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/spoolmedia/spool/internal/jsonname"
)

// Policy is what an item's failure means for the run.
type Policy uint8

const (
	Fail Policy = iota // the run ends with the failure, which All yields
	Skip               // the item is dropped and the run continues: only the ledger and the report show it
)

// The actions for a failed item. Callers that record failures, or replace items, may use other words.
const (
	ActionSkip        = "skip"        // dropped
	ActionFail        = "fail"        // the run ended
	ActionPlaceholder = "placeholder" // something else went on in its place
)

// Failure is the ledger's entry for one item. Its JSON keys are part of the command's contract. Bytes of File that are
// not UTF-8 are lone surrogates in JSON, as in the names that Python's os.fsdecode returns.
type Failure struct {
	ID       string `json:"id"`              // from the item's method ID() string, else its number at the stage, from 0
	File     string `json:"file"`            // from the item's method File() string, or from Options.Describe
	Field    string `json:"field,omitempty"` // of a record; from Options.Describe
	Stage    string `json:"stage"`           // the stage's name
	Class    string `json:"class"`           // from Options.Describe, else "panic" or "error"
	Text     string `json:"text"`            // one line for display
	Attempts int    `json:"attempts"`        // number of attempts
	Action   string `json:"action"`          // the action for the item

	// The other arguments of the item's random numbers, from its method Draw() (epoch, occurrence int): the epoch, and how
	// often the item came before in it. Both are 0 for items without Draw. JSON omits them if they are 0.
	Epoch      int `json:"epoch,omitempty"`
	Occurrence int `json:"occurrence,omitempty"`

	// The part of the file that the item is, in seconds and by the stream's number, from Options.Replace. nil is the
	// beginning, the end, or the stream that the reader chooses.
	Start  *float64 `json:"start,omitempty"`
	End    *float64 `json:"end,omitempty"`
	Stream *int     `json:"stream,omitempty"`

	Err error `json:"-"` // the cause; a *PanicError for a panic
}

// MarshalJSON returns the entry as one line.
func (f Failure) MarshalJSON() ([]byte, error) {
	type plain Failure
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false) // the encoder that calls this decides
	var value any = plain(f)
	if !utf8.ValidString(f.File) {
		value = struct {
			File jsonname.Name `json:"file"`
			plain
		}{jsonname.Name(f.File), plain(f)}
	}
	err := e.Encode(value)
	return line.Bytes(), err
}

// Error returns the stage, the item's file or else its ID, and the text.
func (f *Failure) Error() string {
	name := f.File
	if name == "" {
		name = f.ID
	}
	return f.Stage + ": " + name + ": " + f.Text
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// PanicError is a panic of a function that pipe called.
type PanicError struct {
	Value any
	Stack []byte // in the runtime's format
}

// Error returns the value of the panic as text.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// catch converts a panic to an error. It must be the deferred function itself.
func catch(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// complete sets the empty fields.
func (f *Failure) complete() {
	if f.Class == "" {
		f.Class = "error"
		if panicked := (*PanicError)(nil); errors.As(f.Err, &panicked) {
			f.Class = "panic"
		}
	}
	if f.Text == "" && f.Err != nil {
		f.Text = f.Err.Error()
	}
	f.Attempts = max(f.Attempts, 1)
}

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
