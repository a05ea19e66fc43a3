package helper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
)

// process is a helper, as the process that started it sees it. It does its tasks in the order in which they were sent.
type process struct {
	command *exec.Cmd
	socket  socket
	conn    conn
	file    *os.File // of memory
	memory  memory
	fence   Fence
	said    tail  // on stderr
	waits   waits // for Task.Answer

	exited chan struct{} // closed when the process has ended, and command.ProcessState is set
	killed atomic.Bool   // by us
	tired  atomic.Bool   // because it took too much time

	sending sync.Mutex    // tasks are sent in the order of their turns
	last    chan struct{} // closed when the turn of the last task that was sent is over
	over    bool          // no task begins any more; it belongs to the task whose turn it is
}

var errProtocol = errors.New("the helper broke the protocol")

// startLimit is the longest that a helper may take to start. It takes about 20 ms, but may be stopped meanwhile.
const startLimit = 10 * time.Minute

// endLimit is the longest that a helper may take to end after it has closed its socket.
const endLimit = time.Second

// start starts a helper for so many tasks, and waits until it is ready.
func start(ctx context.Context, o Options, tasks int, text json.RawMessage) (h *process, err error) {
	if err := room(int64(tasks) * (o.Input + o.Output)); err != nil {
		return nil, notStarted(err)
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, notStarted(fmt.Errorf("socketpair: %w", err))
	}
	theirs := os.NewFile(uintptr(ends[1]), "socket of a helper")
	defer theirs.Close() // for errors
	h = &process{exited: make(chan struct{}), last: make(chan struct{})}
	close(h.last)
	if h.socket, err = newSocket(ends[0]); err != nil {
		return nil, notStarted(err)
	}
	h.conn = newConn(h.socket)
	if h.memory, h.file, err = newMemory(tasks, o.Input, o.Output); err != nil {
		_ = h.socket.Close()
		return nil, notStarted(err)
	}
	h.command = exec.Command(o.Command[0]) //nolint:gosec,noctx // the caller's helper; it outlives the context
	h.command.Args = append([]string{Name}, o.Command[1:]...)
	h.command.Env = environment()
	h.command.Stderr = &h.said
	h.command.ExtraFiles = []*os.File{theirs, h.file}
	err = h.command.Start()
	_ = theirs.Close() // so that the helper's end is the only one, and h.socket sees it close
	if err != nil {
		close(h.exited)
		h.end()
		return nil, notStarted(err)
	}
	go h.wait()
	limited, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	stop := context.AfterFunc(limited, h.kill)
	if err := h.prepare(o, tasks, text); !stop() || err != nil {
		h.kill()
		h.end()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, notStarted(fmt.Errorf("%s: %w%s", strings.Join(o.Command, " "), err, h.said.last()))
	}
	return h, nil
}

// wait ends with the process.
func (h *process) wait() {
	defer close(h.exited)
	_ = h.command.Wait() // ProcessState says how it ended
}

// prepare sends the setup and waits for its answer.
func (h *process) prepare(o Options, tasks int, text json.RawMessage) error {
	err := send(h.conn, setupMessage, setup{Build: build(), Areas: tasks, Input: o.Input, Output: o.Output,
		Memory: o.Memory, Setup: text})
	if err != nil {
		return fmt.Errorf("it ended: %w", err)
	}
	k, body, err := receive(h.conn)
	switch {
	case err != nil:
		return fmt.Errorf("it ended: %w", err)
	case k != readyMessage:
		return fmt.Errorf("%w: message %d", errProtocol, k)
	}
	return json.Unmarshal(body, &h.fence)
}

// ErrNotStarted is in the errors of helpers that could not be started.
var ErrNotStarted = errors.New("cannot start a helper")

func notStarted(err error) error {
	err = fmt.Errorf("%w: %w", ErrNotStarted, err)
	return &spool.Error{Op: "decode", Class: spool.ErrIO, Text: err.Error(), Err: err}
}

// kill ends the process at once, whatever it does, unless it has ended.
func (h *process) kill() {
	if h.dead() {
		return
	}
	h.killed.Store(true)
	_ = h.command.Process.Kill() // fails only if it has ended
}

// dead reports whether the process has ended, or is about to.
func (h *process) dead() bool {
	select {
	case <-h.exited:
		return true
	default:
		return h.killed.Load()
	}
}

// end frees what belongs to the process, which ends with its socket, and waits for it.
func (h *process) end() {
	_ = h.socket.Close() // nothing is written any more
	<-h.exited
	_ = h.file.Close()
	_ = h.memory.close() // never fails: it is a mapping
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 4096

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-tailBytes):]
	return len(p), nil
}

// last is the last line, for the end of an error's text.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	if line := lines[len(lines)-1]; line != "" {
		return ": " + line
	}
	return ""
}
