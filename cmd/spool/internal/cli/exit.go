package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/pipe"
)

// Exit codes.
const (
	ExitDone        = 0
	ExitInput       = 1
	ExitUsage       = 2
	ExitInternal    = 3
	ExitInterrupted = 130
)

// Interrupted is the last line of a command that was stopped by a signal.
const Interrupted = "spool: interrupted"

// ErrReported ends a command whose bad files have been told already.
var ErrReported = errors.New("reported")

// Report prints what ended the command, a line for each problem, and gives the exit code for it.
func Report(stderr io.Writer, err error) int {
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, ErrReported):
		return ExitInput
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, Interrupted)
		return ExitInterrupted
	case errors.Is(err, syscall.EPIPE): // whoever read our output has seen enough
		return ExitInput
	}
	code := ExitDone
	parts := Problems(err)
	for _, part := range parts {
		line, c := Describe(part)
		if c == ExitInternal && len(parts) > 1 { // of a listing's problems: how many more there are
			line, c = "spool: "+output.OneLine(part.Error()), ExitInput
		}
		fmt.Fprintln(stderr, line)
		code = max(code, c)
	}
	return code
}

// Problems takes errors apart that were put together by errors.Join, which is known by its text: that of
// its parts, one a line. Other errors that wrap several are one problem.
func Problems(err error) []error {
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

// Describe is the line for a problem, "spool: FILE: CLASS: text" of a bad input, and the exit code it asks for.
func Describe(err error) (line string, code int) {
	if e, ok := errors.AsType[settings.Problems](err); ok {
		return "spool: usage: " + strings.Join(e, "\nspool: usage: "), ExitUsage
	}
	if errors.Is(err, spool.ErrOptions) {
		return "spool: usage: " + strings.TrimPrefix(err.Error(), spool.ErrOptions.Error()+": "), ExitUsage
	}
	if errors.Is(err, pipe.ErrTooManyFailures) || errors.Is(err, spool.ErrOutOfMemory) {
		return "spool: " + output.OneLine(err.Error()), ExitInput
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = spool.InFile(err, path.Path)
	}
	e, ok := errors.AsType[*spool.Error](err)
	switch {
	case ok && e.File != "":
		return fmt.Sprintf("spool: %s: %s: %s", output.Printable(e.File), e.Class, output.OneLine(e.Detail())), ExitInput
	case ok:
		return fmt.Sprintf("spool: %s: %s", e.Class, output.OneLine(e.Detail())), ExitInput
	case spool.ClassOf(err) != "":
		return fmt.Sprintf("spool: %s: %s", spool.ClassOf(err), output.OneLine(err.Error())), ExitInput
	}
	return "spool: internal: " + output.OneLine(err.Error()), ExitInternal
}
