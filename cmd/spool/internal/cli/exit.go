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

// ErrReported ends a command that has already reported its bad files.
var ErrReported = errors.New("reported")

// Report prints the error that ended the command, one line per problem, and returns its exit code.
func Report(stderr io.Writer, err error) int {
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, ErrReported):
		return ExitInput
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, Interrupted)
		return ExitInterrupted
	case errors.Is(err, syscall.EPIPE): // the reader of our output has closed it
		return ExitInput
	}
	code := ExitDone
	parts := settings.Split(err)
	for _, part := range parts {
		line, c := Describe(part)
		if c == ExitInternal && len(parts) > 1 { // the number of further problems of a listing
			line, c = "spool: "+output.OneLine(part.Error()), ExitInput
		}
		fmt.Fprintln(stderr, line)
		code = max(code, c)
	}
	return code
}

// Describe returns the line for a problem, "spool: FILE: CLASS: text" for a bad input, and its exit code.
func Describe(err error) (line string, code int) {
	if e, ok := errors.AsType[settings.Problems](err); ok {
		return usage(e), ExitUsage
	}
	if errors.Is(err, spool.ErrOptions) {
		return usage(settings.Flags(err)), ExitUsage
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
		return fmt.Sprintf("spool: %s: %s: %s", output.Printable(e.File), e.Class,
			output.OneLine(settings.AsFlags(e.Detail()))), ExitInput
	case ok:
		return fmt.Sprintf("spool: %s: %s", e.Class, output.OneLine(settings.AsFlags(e.Detail()))), ExitInput
	case spool.ClassOf(err) != "":
		return fmt.Sprintf("spool: %s: %s", spool.ClassOf(err), output.OneLine(err.Error())), ExitInput
	}
	return "spool: internal: " + output.OneLine(err.Error()), ExitInternal
}

// usage returns the lines for problems of a call.
func usage(problems []string) string {
	return "spool: usage: " + strings.Join(problems, "\nspool: usage: ")
}
