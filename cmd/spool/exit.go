package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spoolmedia/spool"
)

// Exit codes.
const (
	exitDone        = 0
	exitInput       = 1
	exitUsage       = 2
	exitInternal    = 3
	exitInterrupted = 130
)

// errReported ends a command whose bad files have been told already.
var errReported = errors.New("reported")

// report prints what ended the command and gives the exit code for it.
func report(stderr io.Writer, err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errReported):
		return exitInput
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "spool: interrupted")
		return exitInterrupted
	case errors.As(err, &usage):
		for _, line := range usage {
			fmt.Fprintln(stderr, "spool: usage:", line)
		}
		return exitUsage
	case strings.HasPrefix(err.Error(), "unknown command"): // cobra has no error value for it
		fmt.Fprintln(stderr, "spool: usage:", err)
		return exitUsage
	case spool.ClassOf(err) != "" || errors.Is(err, spool.ErrBudget):
		fmt.Fprintln(stderr, describe(err))
		return exitInput
	}
	fmt.Fprintln(stderr, "spool: internal:", err)
	return exitInternal
}

// describe is the one line for a bad input: spool: FILE: CLASS: text.
func describe(err error) string {
	var e *spool.Error
	if !errors.As(err, &e) {
		if class := spool.ClassOf(err); class != "" {
			return fmt.Sprintf("spool: %s: %v", class, err)
		}
		return fmt.Sprintf("spool: %v", err)
	}
	detail := strings.ReplaceAll(e.Detail(), "\n", "; ")
	if e.File == "" {
		return fmt.Sprintf("spool: %s: %s", e.Class, detail)
	}
	return fmt.Sprintf("spool: %s: %s: %s", e.File, e.Class, detail)
}
