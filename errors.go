package spool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// Class says what is wrong with an input, in the words of the ledger and of the command. A Class is
// itself an error, to be used with errors.Is: errors.Is(err, spool.ErrTruncated).
type Class string

// The classes of bad input. Their texts are part of the command's contract.
const (
	ErrNotFound    Class = "not-found"     // nothing lies at that path
	ErrNotAFile    Class = "not-a-file"    // a directory, device or socket where a file is needed
	ErrPermission  Class = "permission"    // the system refuses to let us read
	ErrEmpty       Class = "empty"         // a file of zero bytes, or a folder with nothing to load
	ErrNotMedia    Class = "not-media"     // bytes that are no picture, video or sound we know of
	ErrUnsupported Class = "unsupported"   // media, but of a kind this build does not decode
	ErrTruncated   Class = "truncated"     // ends before all of its content has come
	ErrCorrupt     Class = "corrupt"       // contradicts its own format
	ErrTooLarge    Class = "too-large"     // beyond a limit; the text names the limit
	ErrNoSuchFrame Class = "no-such-frame" // a frame, page or stream that the file does not have
	ErrIO          Class = "io"            // reading failed below us
	ErrTimeout     Class = "timeout"       // a deadline passed
	ErrCanceled    Class = "canceled"      // the caller's context was cancelled
	ErrDevice      Class = "device"        // a device that is not there, or failed
)

// Errors of use rather than of input.
var (
	ErrOptions     = errors.New("invalid options") // options that contradict themselves or their documented range
	ErrShape       = errors.New("wrong shape")     // a destination too small or of another shape
	ErrClosed      = errors.New("closed")          // use after Close
	ErrLeaked      = errors.New("leaked")          // something owned was never released
	ErrOutOfMemory = errors.New("out of memory")   // the system gave no more memory
	ErrInternal    = errors.New("internal error")  // a bug of ours
)

// Error makes a Class an error value.
func (c Class) Error() string { return string(c) }

// Error is what spool's functions return about an input: the operation, the file where it is known,
// what class of problem it is, and the library and code that reported it. Unwrap gives the Class and
// the cause, so errors.Is works with both.
type Error struct {
	Op    string // "probe", "decode", "read"
	File  string // as the caller named it; empty when only bytes were given
	Class Class
	Lib   string // the library that reported it; empty when spool did
	Code  int    // the library's own code; 0 when it has none
	Text  string // one line for a person
	Err   error  // the cause, or nil
}

// Error is one line: operation, file, class, text, library and code.
func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString(e.Op)
	if e.File != "" {
		s.WriteString(" " + e.File)
	}
	s.WriteString(": " + string(e.Class))
	if d := e.Detail(); d != "" {
		s.WriteString(": " + d)
	}
	return s.String()
}

// Detail is the error's text with the library and its code, without operation, file and class.
func (e *Error) Detail() string {
	text := e.Text
	if text == "" && e.Err != nil {
		text = e.Err.Error()
	}
	switch {
	case e.Lib != "" && e.Code != 0:
		return fmt.Sprintf("%s (%s %d)", text, e.Lib, e.Code)
	case e.Lib != "":
		return fmt.Sprintf("%s (%s)", text, e.Lib)
	}
	return text
}

// Unwrap gives the class and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}

// ClassOf is the class of err, also for the errors of the standard library that have an evident one
// (context, io/fs). It is empty for nil and for errors that are not about an input.
func ClassOf(err error) Class {
	var class Class
	switch {
	case errors.As(err, &class):
		return class
	case errors.Is(err, context.Canceled):
		return ErrCanceled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return ErrTimeout
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // "a.jpg/b.jpg"
		return ErrNotFound
	case errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EISDIR): // a socket; a folder
		return ErrNotAFile
	case errors.Is(err, fs.ErrPermission):
		return ErrPermission
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return ErrIO
	}
	return ""
}

// InFile is err with the file named, as Shown has it, for callers that know it. An *Error that already names a file
// is returned as it is; an error of no class too. What wraps an *Error stays as the cause.
func InFile(err error, file string) error {
	file = Shown(file)
	if e, ok := errors.AsType[*Error](err); ok {
		if e.File != "" {
			return err
		}
		named := *e
		named.File = file
		if err != error(e) { //nolint:errorlint // identity is meant: does something wrap it?
			named.Text, named.Err = cmp.Or(e.Text, err.Error()), err
		}
		return &named
	}
	if class := ClassOf(err); class != "" {
		return &Error{Op: "read", File: file, Class: class, Text: withoutPath(err), Err: err}
	}
	return err
}

// withoutPath is the text of an error that goes beside the path, without it.
func withoutPath(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	return err.Error()
}

// FileError is the error of an operation on a file, for what the system, an fs.FS or a context reported. It names the file
// as Shown has it. Use of a closed file is ErrClosed, and what has no class is ErrIO.
func FileError(op, file string, err error) error {
	if errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("%s %s: %w", op, Shown(file), ErrClosed) // a misuse, not a bad input
	}
	return &Error{Op: op, File: Shown(file), Class: cmp.Or(ClassOf(err), ErrIO), Text: withoutPath(err), Err: err}
}

// NotRegular is the error of an operation that needs a regular file and found something else.
func NotRegular(op, file string, mode fs.FileMode) error {
	what := "not a regular file"
	switch {
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return &Error{Op: op, File: Shown(file), Class: ErrNotAFile, Text: what + ", where a regular file is needed"}
}
