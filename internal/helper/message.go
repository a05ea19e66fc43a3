package helper

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spoolmedia/spool"
)

// kind is what a message is.
type kind byte

const (
	setupMessage    kind = iota + 1 // to the helper, once: setup
	readyMessage                    // from the helper, once: Fence
	taskMessage                     // to the helper: task
	questionMessage                 // from the helper, any number for a task
	answerMessage                   // to the helper, one for each question
	refusedMessage                  // to the helper, in place of an answer
	replyMessage                    // from the helper: the task is done
	failureMessage                  // from the helper: the task has failed: Failure
)

// setup is the first message to a helper.
type setup struct {
	Build  string // both ends are of one build: what messages mean is no promise
	Areas  int    // of the memory
	Input  int64  // bytes of an area that are for inputs
	Output int64  // bytes behind them, for outputs
	Memory int64  // bytes that tasks may allocate
	Setup  json.RawMessage
}

// build identifies the source that this program was built from, as far as it is known.
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	text := ""
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			text = s.Value
		}
	}
	return text
}

// conn is one end of the socket. It reads through a buffer: most messages take one system call.
type conn struct {
	*bufio.Reader
	io.Writer
}

func newConn(s io.ReadWriter) conn { return conn{bufio.NewReader(s), s} }

// task is the message of a task. Its head alone is JSON: JSON around it would be parsed twice.
type task struct {
	Session uint64
	Input   int    // bytes
	Area    int    // of memory
	Topic   string // at most maxTopic bytes
	Head    json.RawMessage
}

const maxTopic = 255

// bytes returns the body of the message.
func (t task) bytes() []byte {
	body := make([]byte, 0, taskBytes+len(t.Topic)+len(t.Head))
	body = binary.LittleEndian.AppendUint64(body, t.Session)
	body = binary.LittleEndian.AppendUint64(body, uint64(t.Input))
	body = append(body, byte(t.Area), byte(len(t.Topic)))
	return append(append(body, t.Topic...), t.Head...)
}

const taskBytes = 18 // before the topic

// parseTask reads the body of the message.
func parseTask(body []byte) (t task, err error) {
	if len(body) < taskBytes || len(body) < taskBytes+int(body[taskBytes-1]) {
		return t, fmt.Errorf("%w: a task of %d bytes", errProtocol, len(body))
	}
	t.Session, t.Input = binary.LittleEndian.Uint64(body), int(binary.LittleEndian.Uint64(body[8:]))
	t.Area = int(body[taskBytes-2])
	head := taskBytes + int(body[taskBytes-1])
	t.Topic, t.Head = string(body[taskBytes:head]), body[head:]
	return t, nil
}

// maxMessage limits the bytes of a message.
const maxMessage = 16 << 20

const headerBytes = 5 // the kind, and the length in four bytes

// send writes a message, whose body is JSON, in one call.
func send(w io.Writer, k kind, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%w: a message to or from a helper: %w", spool.ErrInternal, err)
	}
	return sendBytes(w, k, text)
}

func sendBytes(w io.Writer, k kind, body []byte) error {
	message := make([]byte, headerBytes, headerBytes+len(body))
	message[0] = byte(k)
	binary.LittleEndian.PutUint32(message[1:], uint32(len(body)))
	_, err := w.Write(append(message, body...))
	return err
}

// receive reads a message. It is io.EOF when the other side has ended between two messages.
func receive(r io.Reader) (kind, json.RawMessage, error) {
	var header [headerBytes]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(header[1:])
	if n > maxMessage {
		return 0, nil, fmt.Errorf("%w: a message of %d bytes", errProtocol, n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return 0, nil, err
	}
	return kind(header[0]), body, nil
}

// Failure is an error of a Handler as a message.
type Failure struct {
	Text string
	Of   int          // the index in sentinels; -1 for none
	File *spool.Error // an error of the input; its cause is not sent
}

// sentinels are the errors that errors.Is finds on both sides.
var sentinels = []error{spool.ErrOptions, spool.ErrShape, spool.ErrClosed, spool.ErrLeaked, spool.ErrOutOfMemory,
	spool.ErrInternal}

// NewFailure makes the message of an error.
func NewFailure(err error) Failure {
	f := Failure{Text: err.Error(), Of: -1}
	if e, ok := errors.AsType[*spool.Error](err); ok {
		sent := *e
		sent.Text, sent.Err = text(e), nil
		f.File = &sent
	}
	for i, s := range sentinels {
		if errors.Is(err, s) {
			f.Of = i
		}
	}
	return f
}

// text is the text of e, or of its cause.
func text(e *spool.Error) string {
	if e.Text == "" && e.Err != nil {
		return e.Err.Error()
	}
	return e.Text
}

// Err is the error of a message.
func (f Failure) Err() error {
	switch {
	case f.File != nil && f.File.Class != "":
		return f.File
	case f.Of >= 0 && f.Of < len(sentinels):
		return &sentError{text: f.Text, of: sentinels[f.Of]}
	}
	return &sentError{text: f.Text, of: spool.ErrInternal}
}

// sentError is an error of use that a helper has sent.
type sentError struct {
	text string
	of   error
}

func (e *sentError) Error() string { return e.text }
func (e *sentError) Unwrap() error { return e.of }
