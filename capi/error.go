package main

/*
#include "spool.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/record"
)

// statuses are the spool_statuses of classes of input errors.
var statuses = map[spool.Class]C.int32_t{
	spool.ErrNotFound:    C.SPOOL_NOT_FOUND,
	spool.ErrNotAFile:    C.SPOOL_NOT_A_FILE,
	spool.ErrPermission:  C.SPOOL_PERMISSION,
	spool.ErrEmpty:       C.SPOOL_EMPTY,
	spool.ErrNotMedia:    C.SPOOL_NOT_MEDIA,
	spool.ErrUnsupported: C.SPOOL_UNSUPPORTED,
	spool.ErrTruncated:   C.SPOOL_TRUNCATED,
	spool.ErrCorrupt:     C.SPOOL_CORRUPT,
	spool.ErrTooLarge:    C.SPOOL_TOO_LARGE,
	spool.ErrNoSuchFrame: C.SPOOL_NO_SUCH_FRAME,
	spool.ErrIO:          C.SPOOL_IO,
	spool.ErrTimeout:     C.SPOOL_TIMEOUT,
	spool.ErrCanceled:    C.SPOOL_CANCELED,
	spool.ErrDevice:      C.SPOOL_DEVICE,
	spool.ErrCrashed:     C.SPOOL_CRASHED,
}

// callErrors are the errors of a call, with their statuses and names.
var callErrors = []struct {
	err    error
	status C.int32_t
	name   string
}{
	{spool.ErrInternal, C.SPOOL_INTERNAL, "internal"},
	{spool.ErrOptions, C.SPOOL_OPTIONS, "options"},
	{spool.ErrShape, C.SPOOL_SHAPE, "shape"},
	{spool.ErrClosed, C.SPOOL_CLOSED, "closed"},
	{spool.ErrOutOfMemory, C.SPOOL_OUT_OF_MEMORY, "out-of-memory"},
	{io.EOF, C.SPOOL_END, "end"},
}

// classify returns the status and the name of an error's class.
func classify(err error) (status C.int32_t, name string) {
	if err == nil {
		return C.SPOOL_OK, ""
	}
	for _, m := range callErrors {
		if errors.Is(err, m.err) {
			return m.status, m.name
		}
	}
	class := spool.ClassOf(err)
	if status, ok := statuses[class]; ok {
		return status, string(class)
	}
	return C.SPOOL_INTERNAL, "internal"
}

// guard runs a function of spool.h and passes its error to C. A panic becomes an error.
func guard(to *C.spool_error, op string, do func() error) C.int32_t {
	return setError(to, op, protect(do))
}

// protect turns a panic into an error.
func protect(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", spool.ErrInternal, p, debug.Stack())
		}
	}()
	return do()
}

// errorInfo is an error in the fields of spool_error.
type errorInfo struct {
	File        jsonname.Name `json:"file"`
	Class       string        `json:"class"`
	Status      C.int32_t     `json:"status"`
	Op          string        `json:"op"`
	Library     string        `json:"library"`
	LibraryCode int           `json:"library_code"`
	Text        string        `json:"text"`
}

// errorInfoOf converts an error. op is the operation, unless the error has one.
func errorInfoOf(err error, op string) errorInfo {
	t := errorInfo{Op: op, Text: err.Error()}
	t.Status, t.Class = classify(err)
	if problems, ok := errors.AsType[settings.Problems](err); ok {
		t.Text = strings.Join(problems, "\n")
	} else if t.Status == C.SPOOL_OPTIONS {
		t.Text = strings.Join(settings.Keys(err), "\n")
	} else if e, ok := errors.AsType[*spool.Error](err); ok {
		t.File, t.Op, t.Library, t.LibraryCode, t.Text = jsonname.Name(e.File), cmp.Or(e.Op, op), e.Lib, e.Code, e.Text
		if t.Text == "" && e.Err != nil {
			t.Text = e.Err.Error()
		}
		if f, ok := errors.AsType[*record.FieldError](err); ok {
			t.Text = "field " + f.Field + ": " + t.Text
		}
	}
	t.Text = settings.AsKeys(t.Text)
	return t
}

// setError copies an error to C.
func setError(to *C.spool_error, op string, err error) C.int32_t {
	if err == nil {
		return C.SPOOL_OK
	}
	t := errorInfoOf(err, op)
	if to != nil {
		to.status, to.library_code = t.Status, C.int32_t(t.LibraryCode)
		putText(to.error_class[:], t.Class)
		putText(to.op[:], t.Op)
		putText(to.library[:], t.Library)
		putText(to.file[:], string(t.File))
		putText(to.text[:], cmp.Or(t.Text, t.Class))
	}
	return t.Status
}

// putText copies a text to C, truncated to its size.
func putText(to []C.char, text string) {
	n := len(to) - 1
	if len(text) > n {
		for n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	room := unsafe.Slice((*byte)(unsafe.Pointer(&to[0])), len(to))
	room[copy(room, strings.ReplaceAll(text, "\x00", " "))] = 0
}
