package source

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spoolmedia/spool"
)

// ended is the error of an operation whose context is over, nil while it is not.
func ended(ctx context.Context, op, name string) error {
	if err := ctx.Err(); err != nil {
		return spool.FileError(op, name, err)
	}
	return nil
}

// nothing is the error of a root without anything to load: what was seen there, and what to do.
func nothing(root string, o Options, seen Skipped) error {
	text := "no " + o.what() + " in this folder"
	if s := seen.String(); s != "" {
		text += " (seen: " + s + ")"
	} else {
		text += ", which holds no files"
	}
	if len(seen.Kinds) > 0 {
		text += "; looked for " + strings.Join(o.wanted(), " ") + ", name other files one by one, by a glob or in a list"
	}
	return &spool.Error{Op: "list", File: spool.Shown(root), Class: spool.ErrEmpty, Text: text}
}

// emptyClasses is the error of class folders without anything to load.
func emptyClasses(root string, o Options, empty []string, classes int) error {
	const named = 10
	names := strings.Join(empty[:min(len(empty), named)], ", ")
	if more := len(empty) - named; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return &spool.Error{Op: "list", File: spool.Shown(root), Class: spool.ErrEmpty, Text: fmt.Sprintf(
		"no %s in %d of %d class folders: %s; remove them, or allow empty classes", o.what(), len(empty), classes, names)}
}

const maxTold = 20

// problems are what is wrong with the arguments of a listing. A tree may be wrong in a million places: the
// first maxTold are told, the others counted.
type problems struct {
	told  []error
	other int
}

func (p *problems) add(err error) {
	if len(p.told) < maxTold {
		p.told = append(p.told, err)
	} else {
		p.other++
	}
}

func (p *problems) count() int { return len(p.told) + p.other }

// err is nil without problems, the problem itself when there is one, and otherwise all joined.
func (p *problems) err() error {
	switch {
	case p.count() == 1:
		return p.told[0]
	case p.other > 0:
		return errors.Join(append(p.told, fmt.Errorf("and %d more problems", p.other))...)
	}
	return errors.Join(p.told...)
}
