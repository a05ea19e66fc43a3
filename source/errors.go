package source

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spoolmedia/spool"
)

// ended returns the error of an operation whose context has ended, or nil.
func ended(ctx context.Context, op, name string) error {
	if err := ctx.Err(); err != nil {
		return spool.FileError(op, name, err)
	}
	return nil
}

// errNoCells is the error of a table whose columns cannot be read, since Options.Formats has a reader of paths for it.
var errNoCells = refused("the format of this table gives paths only, and no other columns")

// RowError is an error of a row of a table that is of none of its inputs: the row cannot be read, or has a bad label.
type RowError struct {
	Column string // of the label; empty for the whole row
	Err    error
}

// Error returns the text of the error, which names the row and the column.
func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *RowError) Unwrap() error { return e.Err }

// nothing returns the error of a root with nothing to load. It reports what was seen there and what to do.
func nothing(root string, o Options, seen Skipped) error {
	text := "no " + o.what() + " in this folder"
	if s := seen.String(); s != "" {
		text += " (seen: " + s + ")"
	} else {
		text += ", which holds no files"
	}
	if len(seen.Extensions) > 0 {
		text += "; looked for " + strings.Join(o.wanted(), " ") + ", name other files one by one, by a glob or in a list"
	}
	return &spool.Error{Op: "list", File: spool.Redacted(root), Class: spool.ErrEmpty, Text: text}
}

// emptyClasses returns the error of class folders with nothing to load.
func emptyClasses(root string, o Options, empty []string, classes int) error {
	const named = 10
	names := strings.Join(empty[:min(len(empty), named)], ", ")
	if more := len(empty) - named; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return &spool.Error{Op: "list", File: spool.Redacted(root), Class: spool.ErrEmpty, Text: fmt.Sprintf(
		"no %s in %d of %d class folders: %s; remove them, or allow empty classes", o.what(), len(empty), classes, names)}
}

const maxReported = 20

// problems collects the errors of a listing. A tree may cause a million of them: the first maxReported are kept,
// the others counted.
type problems struct {
	reported []error
	other    int
}

func (p *problems) add(err error) {
	if len(p.reported) < maxReported {
		p.reported = append(p.reported, err)
	} else {
		p.other++
	}
}

func (p *problems) count() int { return len(p.reported) + p.other }

// err returns nil without problems, a single problem as it is, and otherwise all joined.
func (p *problems) err() error {
	switch {
	case p.count() == 1:
		return p.reported[0]
	case p.other > 0:
		return errors.Join(append(p.reported, fmt.Errorf("and %d more problems", p.other))...)
	}
	return errors.Join(p.reported...)
}
