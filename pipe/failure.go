package pipe

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Policy says what an item's failure means for the run.
type Policy uint8

const (
	Fail Policy = iota // the run ends with the failure, which All yields
	Skip               // the item is dropped and the run goes on: only the ledger and the report tell
)

// What became of a failed item. A caller who records a failure, or replaces an item, may have words of its own.
const (
	ActionSkip        = "skip"        // dropped
	ActionFail        = "fail"        // it ended the run
	ActionPlaceholder = "placeholder" // something else went on in its place
)

// Failure is what the ledger holds about one item. Its JSON keys are part of the command's contract.
type Failure struct {
	ID       string `json:"id"`       // by the item's method ID() string, else its number at the stage, from 0
	File     string `json:"file"`     // by the item's method File() string, or by Options.Describe
	Stage    string `json:"stage"`    // the stage's name
	Class    string `json:"class"`    // by Options.Describe, else "panic" or "error"
	Text     string `json:"text"`     // one line for a person
	Attempts int    `json:"attempts"` // how often it was tried
	Action   string `json:"action"`   // what became of the item

	// What else the item's random numbers were drawn by, by its method Draw() (epoch, occurrence int): the pass over the data,
	// and how often the item came before in it. Both are 0 where it has none, and then left out of JSON.
	Epoch      int `json:"epoch,omitempty"`
	Occurrence int `json:"occurrence,omitempty"`

	Err error `json:"-"` // the cause; a *PanicError for a panic
}

// Error names the stage, and the item's file or else the item.
func (f *Failure) Error() string {
	name := f.File
	if name == "" {
		name = f.ID
	}
	return f.Stage + ": " + name + ": " + f.Text
}

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Err }

// PanicError is a panic of a function that pipe called.
type PanicError struct {
	Value any
	Stack []byte // as the runtime prints it
}

// Error is the value that was thrown.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap gives the value that was thrown, if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// catch makes a panic an error. It must be deferred itself.
func catch(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}

// complete fills in what nobody has said.
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
