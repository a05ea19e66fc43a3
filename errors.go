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

	"github.com/spoolmedia/spool/internal/sentinel"
)

// Class is the cause of an input's failure, in the words of the ledger and of the command. A Class is itself an error,
// for use with errors.Is: errors.Is(err, spool.ErrTruncated).
type Class string

// The classes of input failures. Their texts are part of the command's contract.
const (
	ErrNotFound    Class = "not-found"     // the path or URL does not exist
	ErrNotAFile    Class = "not-a-file"    // a directory, device or socket where a file is needed
	ErrPermission  Class = "permission"    // the system denies read access
	ErrEmpty       Class = "empty"         // a file of zero bytes, or a folder without anything to load
	ErrNotMedia    Class = "not-media"     // the bytes are no known image, video or audio format
	ErrUnsupported Class = "unsupported"   // media in a format or variant that this build does not decode
	ErrTruncated   Class = "truncated"     // the file ends before its content is complete
	ErrCorrupt     Class = "corrupt"       // the file contradicts its own format
	ErrTooLarge    Class = "too-large"     // beyond a limit, which the text names
	ErrNoSuchFrame Class = "no-such-frame" // a frame, page or stream that the file does not have
	ErrIO          Class = "io"            // the system or a server failed to read
	ErrTimeout     Class = "timeout"       // a deadline passed
	ErrCanceled    Class = "canceled"      // the caller's context was cancelled
	ErrDevice      Class = "device"        // a device is missing or failed
	ErrCrashed     Class = "crashed"       // a helper process ended while it decoded the input
)

// Errors of use, not of input.
var (
	// ErrOptions is for options that contradict each other or exceed their documented range.
	ErrOptions error = sentinel.Options

	ErrShape       = errors.New("wrong shape")    // a destination that is too small or has another shape
	ErrClosed      = errors.New("closed")         // use after Close
	ErrLeaked      = errors.New("leaked")         // an owned value was never released
	ErrOutOfMemory = errors.New("out of memory")  // the system has no more memory
	ErrInternal    = errors.New("internal error") // a bug in spool
)

// Error returns the class as text, which makes a Class an error.
func (c Class) Error() string { return string(c) }

// Error is the error that spool's functions return for an input. It has the operation, the file if known, the class,
// and the library and code that reported the failure. Unwrap returns the Class and the cause, so errors.Is works with
// both.
type Error struct {
	Op    string // the operation: "probe", "decode", "read" and others
	File  string // the name that the caller used; empty when the input was bytes
	Class Class
	Lib   string // the library that reported the failure; empty for spool itself
	Code  int    // the library's own code; 0 if it has none
	Text  string // one line for display
	Err   error  // the cause, or nil
}

// Error returns one line: operation, file, class, text, library and code.
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

// Detail returns the text with the library and its code, without operation, file and class.
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

// Unwrap returns the class and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}

// ClassOf returns the class of err. It also classifies errors of the standard library that have an evident class, such
// as those of context and io/fs. It returns "" for nil and for errors that do not concern an input.
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
	if _, ok := errors.AsType[*os.LinkError](err); ok { // of a rename
		return ErrIO
	}
	return ""
}

// InFile adds the file's name, in the form of Redacted, to err. An *Error that already names a file is returned
// unchanged, and so is an error without a class. If err wraps an *Error, err becomes the cause of the result.
func InFile(err error, file string) error {
	file = Redacted(file)
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

// withoutPath returns the text of err without its paths, for messages that have the path already.
func withoutPath(err error) string {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err.Error()
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err.Error()
	}
	return err.Error()
}

// FileError returns the error of an operation on a file, for an err of the system, an fs.FS or a context. It names the
// file in the form of Redacted. Use of a closed file is ErrClosed, and an err without a class is ErrIO.
func FileError(op, file string, err error) error {
	if errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("%s %s: %w", op, Redacted(file), ErrClosed) // a misuse, not a bad input
	}
	return &Error{Op: op, File: Redacted(file), Class: cmp.Or(ClassOf(err), ErrIO), Text: withoutPath(err), Err: err}
}

// NotRegular returns the ErrNotAFile of an operation that needs a regular file. mode is the file's actual mode.
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
	return &Error{Op: op, File: Redacted(file), Class: ErrNotAFile, Text: what + ", where a regular file is needed"}
}
