package av

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/asticode/go-astiav"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
)

const (
	op      = "probe"
	library = "ffmpeg" // as errors name it
)

// certain is the score from which on FFmpeg's idea of the format is more than a guess: its own
// AVPROBE_SCORE_EXTENSION, what a matching file name counts.
const certain = 50

// classes of FFmpeg's codes. Those that are missing are corrupt.
var classes = map[astiav.Error]spool.Class{
	posix(syscall.ENOENT):     spool.ErrNotFound,
	posix(syscall.EISDIR):     spool.ErrNotAFile,
	posix(syscall.ENOTDIR):    spool.ErrNotFound,
	posix(syscall.EACCES):     spool.ErrPermission,
	posix(syscall.EIO):        spool.ErrIO,
	posix(syscall.EPERM):      spool.ErrUnsupported, // demux.c's refusal to open what a playlist names
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

// failure is the error of a call that FFmpeg refused, on a file that it takes for what guess says.
func failure(c *call.Call, cause error, guess guess) error {
	var code astiav.Error
	if !errors.As(cause, &code) {
		return fmt.Errorf("%w: %w", spool.ErrInternal, cause)
	}
	if err := c.Err(); err != nil {
		return &spool.Error{Op: op, Class: spool.ClassOf(err), Lib: library, Code: int(code), Err: err}
	}
	if code == posix(syscall.ENOMEM) { // FFmpeg's answer to sizes beyond its own bound, which only damaged files ask for
		return &spool.Error{Op: op, Class: spool.ErrTooLarge, Lib: library, Code: int(code),
			Text: "asks for more memory than FFmpeg may take", Err: spool.ErrOutOfMemory}
	}
	class, ok := classes[code]
	if !ok {
		class = spool.ErrCorrupt
	}
	if (class == spool.ErrCorrupt || class == spool.ErrTruncated) && guess.score < certain {
		class = spool.ErrNotMedia
	}
	text := code.Error()
	if guess.format != "" {
		text += ", taken for " + guess.format
	}
	return &spool.Error{Op: op, Class: class, Lib: library, Code: int(code), Text: text}
}
