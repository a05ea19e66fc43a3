package spool

import (
	"fmt"
	"strings"
)

// Option is a field of an options struct, as an OptionError names it.
type Option struct {
	Name  string // of the Go field, after those that lead to it: "Spec.Length"
	Value any    // the value that is wrong, excluded or needed; nil if the error holds for all values
}

// OptionError is a problem with an option, or with several together: a value that is not allowed, or options that need
// or exclude others. errors.Is finds ErrOptions in it. Functions that check options join all problems with errors.Join,
// so errors.As finds the first.
type OptionError struct {
	Options  []Option // those that are wrong; empty if no option is
	Needs    []Option // what Options need
	Excludes []Option // what Options exclude
	Text     string   // what must hold, or the reason; may be empty with Needs or Excludes
}

// Error returns the text of ErrOptions and Detail.
func (e *OptionError) Error() string { return ErrOptions.Error() + ": " + e.Detail() }

// Detail returns the problem in one line: "Batch -1: must not be negative", or "Mode fit needs Width and Height".
func (e *OptionError) Detail() string {
	text := listed(e.Options)
	switch {
	case len(e.Needs) > 0:
		text += " need" + ending(e.Options) + " " + listed(e.Needs)
	case len(e.Excludes) > 0:
		text += " exclude" + ending(e.Options) + " " + listed(e.Excludes)
	}
	if text != "" && e.Text != "" {
		text += ": "
	}
	return text + e.Text
}

// Unwrap returns ErrOptions.
func (e *OptionError) Unwrap() error { return ErrOptions }

// ending returns the ending of a verb after options.
func ending(options []Option) string {
	if len(options) == 1 {
		return "s"
	}
	return ""
}

// listed returns options as a list in words.
func listed(options []Option) string {
	var list strings.Builder
	for i, o := range options {
		switch i {
		case 0:
		case len(options) - 1:
			list.WriteString(" and ")
		default:
			list.WriteString(", ")
		}
		list.WriteString(o.Name)
		if o.Value != nil {
			fmt.Fprintf(&list, " %v", o.Value)
		}
	}
	return list.String()
}
