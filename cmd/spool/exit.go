package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/pipe"
)

// Exit codes.
const (
	exitDone        = 0
	exitInput       = 1
	exitUsage       = 2
	exitInternal    = 3
	exitInterrupted = 130
)

// interrupted is the last line of a command that was stopped by a signal.
const interrupted = "spool: interrupted"

// errReported ends a command whose bad files have been told already.
var errReported = errors.New("reported")

// report prints what ended the command, a line for each problem, and gives the exit code for it.
func report(stderr io.Writer, err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errReported):
		return exitInput
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, interrupted)
		return exitInterrupted
	case errors.Is(err, syscall.EPIPE): // whoever read our output has seen enough
		return exitInput
	}
	code := exitDone
	parts := problems(err)
	for _, part := range parts {
		line, c := describe(part)
		if c == exitInternal && len(parts) > 1 { // of a listing's problems: how many more there are
			line, c = "spool: "+oneLine(part.Error()), exitInput
		}
		fmt.Fprintln(stderr, line)
		code = max(code, c)
	}
	return code
}

// problems takes errors apart that were put together by errors.Join, which is known by its text: that of
// its parts, one a line. Other errors that wrap several are one problem.
func problems(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var texts []string
	for _, part := range joined.Unwrap() {
		texts = append(texts, part.Error())
	}
	if err.Error() != strings.Join(texts, "\n") {
		return []error{err}
	}
	return joined.Unwrap()
}

// describe is the line for a problem, "spool: FILE: CLASS: text" of a bad input, and the exit code it asks for.
func describe(err error) (line string, code int) {
	if e, ok := errors.AsType[settings.Problems](err); ok {
		return "spool: usage: " + strings.Join(e, "\nspool: usage: "), exitUsage
	}
	if errors.Is(err, spool.ErrOptions) {
		return "spool: usage: " + strings.TrimPrefix(err.Error(), spool.ErrOptions.Error()+": "), exitUsage
	}
	if errors.Is(err, pipe.ErrTooManyFailures) || errors.Is(err, spool.ErrOutOfMemory) {
		return "spool: " + oneLine(err.Error()), exitInput
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = spool.InFile(err, path.Path)
	}
	e, ok := errors.AsType[*spool.Error](err)
	switch {
	case ok && e.File != "":
		return fmt.Sprintf("spool: %s: %s: %s", printable(e.File), e.Class, oneLine(e.Detail())), exitInput
	case ok:
		return fmt.Sprintf("spool: %s: %s", e.Class, oneLine(e.Detail())), exitInput
	case spool.ClassOf(err) != "":
		return fmt.Sprintf("spool: %s: %s", spool.ClassOf(err), oneLine(err.Error())), exitInput
	}
	return "spool: internal: " + oneLine(err.Error()), exitInternal
}

// printable is a name that takes one line and does nothing to a terminal.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// oneLine does the same for a text.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\n", "; "))
}
