package helper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// The files that a helper inherits.
const (
	socketFile = 3
	memoryFile = 4
)

// Handler does one task. The reply is sent as JSON. Whatever it writes to Call.Output is there for the caller.
type Handler func(c *Call) (reply any, err error)

// Call is a task in the helper.
type Call struct {
	Topic   string
	Session uint64 // 0 for none
	Head    json.RawMessage
	Input   []byte // must not change
	Room    []byte // the memory of the input, and what is behind it: the caller's answers may change it
	Output  []byte // of the size in Options

	socket *inbox
}

// inbox is the helper's end of the socket.
type inbox struct {
	conn
	tasks []json.RawMessage // that have come during another task
}

// task returns the next task.
func (i *inbox) task() (json.RawMessage, error) {
	if len(i.tasks) > 0 {
		next := i.tasks[0]
		i.tasks = i.tasks[1:]
		return next, nil
	}
	k, body, err := receive(i)
	if err == nil && k != taskMessage {
		err = fmt.Errorf("%w: message %d in place of a task", errProtocol, k)
	}
	return body, err
}

// answer returns the next message that is no task.
func (i *inbox) answer() (kind, json.RawMessage, error) {
	for {
		k, body, err := receive(i)
		if err != nil || k != taskMessage {
			return k, body, err
		}
		i.tasks = append(i.tasks, body)
	}
}

var errRefused = errors.New("the question was refused")

// Ask sends a question to the caller of Pool.Do and waits for its answer.
func (c *Call) Ask(question, answer any) error {
	if err := send(c.socket, questionMessage, question); err != nil {
		return err
	}
	k, body, err := c.socket.answer()
	switch {
	case err != nil:
		return err
	case k != answerMessage:
		return errRefused
	}
	return json.Unmarshal(body, answer)
}

// Serve makes this process a helper: it does the tasks of the process that started it, until that one ends or closes
// the pool. start gets Options.Setup, and does what needs files or other rights: afterwards the process has none.
func Serve(start func(setup json.RawMessage) (Handler, error)) error {
	socket := &inbox{conn: newConn(blocking(socketFile))}
	k, body, err := receive(socket)
	if err != nil || k != setupMessage {
		return errors.New("a helper is started by spool, not by hand")
	}
	var s setup
	if err := json.Unmarshal(body, &s); err != nil {
		return err
	}
	if s.Build != build() {
		return errors.New("this helper is of another version of spool")
	}
	go endWithParent()
	m, err := mapMemory(memoryFile, s.Areas, s.Input, s.Output)
	if err != nil {
		return fmt.Errorf("cannot map the memory: %w", err)
	}
	handler, err := start(s.Setup)
	if err != nil {
		return err
	}
	if err := send(socket, readyMessage, raise(s.Memory)); err != nil {
		return err
	}
	for {
		if err := serveOne(socket, m, handler); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// serveOne does one task.
func serveOne(socket *inbox, m memory, handler Handler) error {
	body, err := socket.task()
	if err != nil {
		return err
	}
	t, err := parseTask(body)
	if err != nil {
		return err
	}
	a := m.area(t.Area)
	input := a.inputs()[:t.Input:t.Input]
	reply, err := handler(&Call{Topic: t.Topic, Session: t.Session, Head: t.Head, Input: input, Room: a.inputs(),
		Output: a.outputs(), socket: socket})
	if err != nil {
		return send(socket, failureMessage, NewFailure(err))
	}
	return send(socket, replyMessage, reply)
}

// endWithParent ends this process when its parent ends, even while a task runs.
func endWithParent() {
	ends := []unix.PollFd{{Fd: socketFile, Events: unix.POLLRDHUP}}
	for {
		if n, err := unix.Poll(ends, -1); n > 0 || err != nil && !errors.Is(err, unix.EINTR) {
			os.Exit(0) //nolint:forbidigo // its parent has ended
		}
	}
}

// blocking is a file that is read and written by plain calls of the system, with less latency than an *os.File.
type blocking int

func (b blocking) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(b), p)
		switch {
		case errors.Is(err, unix.EINTR):
		case n == 0 && err == nil:
			return 0, io.EOF
		default:
			return max(n, 0), err
		}
	}
}

func (b blocking) Write(p []byte) (done int, err error) {
	for done < len(p) {
		n, err := unix.Write(int(b), p[done:])
		if err != nil && !errors.Is(err, unix.EINTR) {
			return done, err
		}
		done += max(n, 0)
	}
	return done, nil
}
