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
	"github.com/spoolmedia/spool/internal/settings"
)

// codes are the spool_codes of an input's classes.
var codes = map[spool.Class]C.int32_t{
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
}

// misuses are those of what is wrong with a call, with their names.
var misuses = []struct {
	err  error
	code C.int32_t
	name string
}{
	{spool.ErrInternal, C.SPOOL_INTERNAL, "internal"},
	{spool.ErrOptions, C.SPOOL_OPTIONS, "options"},
	{spool.ErrShape, C.SPOOL_SHAPE, "shape"},
	{spool.ErrClosed, C.SPOOL_CLOSED, "closed"},
	{spool.ErrOutOfMemory, C.SPOOL_OUT_OF_MEMORY, "out-of-memory"},
	{io.EOF, C.SPOOL_END, "end"},
}

// classify gives the code of an error and its name.
func classify(err error) (code C.int32_t, name string) {
	if err == nil {
		return C.SPOOL_OK, ""
	}
	for _, m := range misuses {
		if errors.Is(err, m.err) {
			return m.code, m.name
		}
	}
	class := spool.ClassOf(err)
	if code, ok := codes[class]; ok {
		return code, string(class)
	}
	return C.SPOOL_INTERNAL, "internal"
}

// guard runs what a function of spool.h does, and gives C what comes of it. A panic is an error like others.
func guard(to *C.spool_error, op string, do func() error) C.int32_t { return tell(to, op, protect(do)) }

// protect makes an error of a panic.
func protect(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", spool.ErrInternal, p, debug.Stack())
		}
	}()
	return do()
}

// trouble is an error in the words of C.
type trouble struct {
	File        string    `json:"file"`
	Class       string    `json:"class"`
	Code        C.int32_t `json:"code"`
	Op          string    `json:"op"`
	Library     string    `json:"library"`
	LibraryCode int       `json:"library_code"`
	Text        string    `json:"text"`
}

// troubleOf is an error that came of op, unless it says itself of what.
func troubleOf(err error, op string) trouble {
	t := trouble{Op: op, Text: err.Error()}
	t.Code, t.Class = classify(err)
	if problems, ok := errors.AsType[settings.Problems](err); ok {
		t.Text = strings.Join(problems, "\n")
	} else if t.Code == C.SPOOL_OPTIONS {
		t.Text = strings.ReplaceAll("\n"+t.Text, "\n"+spool.ErrOptions.Error()+": ", "\n")[1:]
	} else if e, ok := errors.AsType[*spool.Error](err); ok {
		t.File, t.Op, t.Library, t.LibraryCode, t.Text = e.File, cmp.Or(e.Op, op), e.Lib, e.Code, e.Text
		if t.Text == "" && e.Err != nil {
			t.Text = e.Err.Error()
		}
	}
	return t
}

// tell copies an error to C.
func tell(to *C.spool_error, op string, err error) C.int32_t {
	if err == nil {
		return C.SPOOL_OK
	}
	t := troubleOf(err, op)
	if to != nil {
		to.code, to.library_code = t.Code, C.int32_t(t.LibraryCode)
		put(to.class_name[:], t.Class)
		put(to.op[:], t.Op)
		put(to.library[:], t.Library)
		put(to.file[:], t.File)
		put(to.text[:], cmp.Or(t.Text, t.Class))
	}
	return t.Code
}

// put copies a text to C, as much of it as there is room for.
func put(to []C.char, text string) {
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
