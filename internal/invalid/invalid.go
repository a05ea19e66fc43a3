// Package invalid collects the problems of options, for functions that report all of them at once.
package invalid

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
)

// Options are the problems of some options, each a spool.ErrOptions. The zero value has none. They are for one
// goroutine.
type Options []error

// Value adds an option with a wrong value: "Width -1: must not be negative".
func (p *Options) Value(name string, value any, format string, args ...any) {
	p.Values([]spool.Option{{Name: name, Value: value}}, format, args...)
}

// Values adds options with values that are wrong together: "Width 8 and Height 0: set both, or neither".
func (p *Options) Values(options []spool.Option, format string, args ...any) {
	p.Add(&spool.OptionError{Options: options, Text: fmt.Sprintf(format, args...)})
}

// Needs adds options that are set without others: "Mode fit needs Width and Height". The reason may be empty.
func (p *Options) Needs(options, others []spool.Option, reason string) {
	p.Add(&spool.OptionError{Options: options, Needs: others, Text: reason})
}

// Excludes adds options that are set together with others: "Width and Height exclude Shorter". The reason may be empty.
func (p *Options) Excludes(options, others []spool.Option, reason string) {
	p.Add(&spool.OptionError{Options: options, Excludes: others, Text: reason})
}

// Addf adds a problem that is not of an option, such as a missing argument.
func (p *Options) Addf(format string, args ...any) { p.Add(Errorf(format, args...)) }

// Add adds the error of options within these, or nil.
func (p *Options) Add(err error) {
	if err != nil {
		*p = append(*p, err)
	}
}

// Err returns all problems, joined, or nil.
func (p *Options) Err() error { return errors.Join(*p...) }

// Errorf returns the error of a call whose problem is not of an option.
func Errorf(format string, args ...any) error {
	return &spool.OptionError{Text: fmt.Sprintf(format, args...)}
}

// Named returns options whose values do not matter.
func Named(names ...string) []spool.Option {
	options := make([]spool.Option, len(names))
	for i, name := range names {
		options[i].Name = name
	}
	return options
}

// With returns one option with its value.
func With(name string, value any) []spool.Option { return []spool.Option{{Name: name, Value: value}} }
