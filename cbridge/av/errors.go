package av

/*
#include "av.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

// The operations named in errors.
const (
	opProbe  = "probe"
	opRead   = "read"
	opDecode = "decode"
)

const library = "ffmpeg" // the name in errors

// classes maps FFmpeg's codes to error classes. Other codes are corrupt.
var classes = map[astiav.Error]spool.Class{
	posix(syscall.ENOENT):     spool.ErrNotFound,
	posix(syscall.EISDIR):     spool.ErrNotAFile,
	posix(syscall.ENOTDIR):    spool.ErrNotFound,
	posix(syscall.EACCES):     spool.ErrPermission,
	posix(syscall.EIO):        spool.ErrIO,
	posix(syscall.EPERM):      spool.ErrUnsupported, // input.c refuses what a file names
	posix(syscall.ENOSYS):     spool.ErrUnsupported,
	posix(syscall.ETIMEDOUT):  spool.ErrTimeout,
	astiav.ErrPatchwelcome:    spool.ErrUnsupported,
	astiav.ErrDecoderNotFound: spool.ErrUnsupported,
	astiav.ErrDemuxerNotFound: spool.ErrUnsupported,
	astiav.ErrStreamNotFound:  spool.ErrNotMedia,
	astiav.ErrEof:             spool.ErrTruncated,
	astiav.ErrInvaliddata:     spool.ErrCorrupt,
}

func posix(e syscall.Errno) astiav.Error { return astiav.Error(-int(e)) }

// cancelled returns the error of a call whose context has ended or that has spent its budget, or nil. Decoders of
// FFmpeg do not poll, so it does.
func cancelled(c *call.Call, op string) error {
	if c.Late() {
		C.spool_av_poll((*C.int32_t)(c.Flag()))
	}
	err := c.Err()
	if err == nil {
		return nil
	}
	return &spool.Error{Op: op, Class: spool.ClassOf(err), Err: err}
}

// failure returns the error of a failed FFmpeg call.
func failure(c *call.Call, op string, cause error) error {
	var code astiav.Error
	if !errors.As(cause, &code) {
		return fmt.Errorf("%w: %w", spool.ErrInternal, cause)
	}
	if err := c.Err(); err != nil {
		return &spool.Error{Op: op, Class: spool.ClassOf(err), Lib: library, Code: int(code), Err: err}
	}
	if code == posix(syscall.ENOMEM) { // returned for sizes beyond FFmpeg's limit, which only damaged files have
		return &spool.Error{Op: op, Class: spool.ErrTooLarge, Lib: library, Code: int(code),
			Text: "needs more memory than FFmpeg's limit", Err: spool.ErrOutOfMemory}
	}
	class, ok := classes[code]
	if !ok {
		class = spool.ErrCorrupt
	}
	return &spool.Error{Op: op, Class: class, Lib: library, Code: int(code), Text: code.Error()}
}

// failure returns the error of a call on an input. An error of its reader takes precedence.
func (in *input) failure(c *call.Call, op string, cause error) error {
	err := in.cause(c, op, cause)
	var e *spool.Error
	if !errors.As(err, &e) {
		return err
	}
	e.File = in.source.name
	if (e.Class == spool.ErrCorrupt || e.Class == spool.ErrTruncated) && in.guess.score < certain {
		e.Class = spool.ErrNotMedia
	}
	if in.guess.format != "" && e.Lib == library && e.Text != "" {
		e.Text += ", detected as " + in.guess.format
	}
	return err
}

func (in *input) cause(c *call.Call, op string, cause error) error {
	if in.reader == nil || in.reader.err == nil {
		return failure(c, op, cause)
	}
	err := in.reader.err
	class := spool.ClassOf(err)
	if class == "" {
		class = spool.ErrIO
	}
	return &spool.Error{Op: op, Class: class, Err: err}
}

// do has C work in a call on what is open. A negative result is an error of FFmpeg.
func do(c *call.Call, op, what string, open bool, work func() C.int) (C.int, error) {
	if !open {
		return 0, closed(what)
	}
	if err := cancelled(c, op); err != nil {
		return 0, err
	}
	code := work()
	if code < 0 {
		return 0, failure(c, op, astiav.Error(code))
	}
	return code, nil
}
