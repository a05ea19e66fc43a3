package helper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
)

// process is a helper, as the process that started it sees it. One goroutine uses it at a time.
type process struct {
	command *exec.Cmd
	socket  socket
	conn    conn
	file    *os.File // of memory
	memory  memory
	fence   Fence
	said    tail   // on stderr
	session uint64 // of the last task; 0 for none

	waits waits // for Task.Answer

	exited chan struct{} // closed when the process has ended, and command.ProcessState is set
	killed atomic.Bool   // by us
	tired  atomic.Bool   // because it took too much time
}

var errProtocol = errors.New("the helper broke the protocol")

// startLimit is the longest that a helper may take to start. It takes about 20 ms, but may be stopped meanwhile.
const startLimit = 10 * time.Minute

// endLimit is the longest that a helper may take to end after it has closed its socket.
const endLimit = time.Second

// start starts a helper and waits until it is ready.
func start(ctx context.Context, o Options, text json.RawMessage) (h *process, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, notStarted(fmt.Errorf("socketpair: %w", err))
	}
	theirs := os.NewFile(uintptr(ends[1]), "socket of a helper")
	defer theirs.Close() // for errors
	h = &process{exited: make(chan struct{})}
	if h.socket, err = newSocket(ends[0]); err != nil {
		return nil, notStarted(err)
	}
	h.conn = newConn(h.socket)
	if h.memory, h.file, err = newMemory(o.Input, o.Output); err != nil {
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
	if err := h.prepare(o, text); !stop() || err != nil {
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
func (h *process) prepare(o Options, text json.RawMessage) error {
	err := send(h.conn, setupMessage, setup{Build: build(), Input: o.Input, Output: o.Output, Memory: o.Memory,
		Setup: text})
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

// do has the process do a task. The error is a *death if the process ended by itself or took too much time.
func (h *process) do(ctx context.Context, t Task, cpu time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stop, stopLimit := context.AfterFunc(ctx, h.kill), h.limit(cpu)
	copy(h.memory.inputs(), t.Input)
	done, err := h.converse(t)
	stopLimit()
	if !done && !errors.Is(err, errProtocol) { // its socket closes as it ends, so how it ends is not our doing
		select {
		case <-h.exited:
		case <-time.After(endLimit):
		}
	}
	if !stop() || !done { // ctx has ended; the socket failed; or the helper does not keep to the protocol
		h.kill()
	}
	if !done {
		<-h.exited
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return h.cause(cpu, err)
	}
	if failed := h.memory.trim(h.file); failed != nil {
		h.kill()
	}
	return err
}

// converse sends a task and answers questions until it is done. Then err is the task's.
func (h *process) converse(t Task) (done bool, err error) {
	head, err := json.Marshal(t.Head)
	if err != nil {
		return true, fmt.Errorf("%w: %w", spool.ErrInternal, err)
	}
	if err := sendBytes(h.conn, taskMessage, task{len(t.Input), t.Topic, head}.bytes()); err != nil {
		return false, err
	}
	var refused error
	for {
		k, body, err := receive(h.conn)
		if err != nil {
			return false, err
		}
		switch k {
		case questionMessage:
			k = answerMessage
			h.waits.begin()
			answer, err := t.Answer(body, h.memory.inputs())
			h.waits.end()
			if err != nil {
				k, refused = refusedMessage, err
			}
			if err := send(h.conn, k, answer); err != nil {
				return false, err
			}
		case replyMessage:
			if refused != nil {
				return true, refused
			}
			return true, t.Use(body, h.memory.outputs())
		case failureMessage:
			var f Failure
			if err := json.Unmarshal(body, &f); err != nil {
				return false, fmt.Errorf("%w: %w", errProtocol, err)
			}
			if refused != nil {
				return true, refused
			}
			return true, f.Err()
		default:
			return false, fmt.Errorf("%w: message %d", errProtocol, k)
		}
	}
}

// cause is why the process ended during a task. err is what the socket gave.
func (h *process) cause(cpu time.Duration, err error) *death {
	if h.tired.Load() {
		return &death{class: spool.ErrTimeout, text: fmt.Sprintf("the helper took more than %v, and was killed", cpu)}
	}
	d := &death{class: spool.ErrCrashed}
	d.text = fmt.Sprintf("the helper ended with exit code %d", h.command.ProcessState.ExitCode())
	if status, ok := h.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		d.text = fmt.Sprintf("the helper was ended by signal %d (%v)", status.Signal(), status.Signal())
		if slices.Contains(foreign, status.Signal()) && !h.killed.Load() {
			d.outside = true
			d.text += " from outside"
		}
	}
	if errors.Is(err, errProtocol) {
		d.text = err.Error() + ", and was killed"
	}
	d.text += h.said.last()
	return d
}

// foreign are the signals that no bug of a decoder raises: people, supervisors and the system without memory send them.
var foreign = []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP}

// limit kills the process once it has taken so much time of a processor, or ten times as much on the clock. stop ends
// this.
func (h *process) limit(cpu time.Duration) (stop func()) {
	begin, used, waited := time.Now(), h.cpuTime(), h.waits.total()
	var mu sync.Mutex
	var timer *time.Timer
	stopped := false
	check := func() {
		mu.Lock()
		defer mu.Unlock()
		left := cpu - (h.cpuTime() - used)
		switch {
		case stopped:
		case left <= 0 || time.Since(begin)-(h.waits.total()-waited) > 10*cpu:
			h.tired.Store(true)
			h.kill()
		default:
			timer.Reset(left)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(cpu, check)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

// waits is the time that a helper has waited for this process.
type waits struct {
	mu    sync.Mutex
	done  time.Duration
	since time.Time // zero if it does not wait
}

func (w *waits) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = time.Now()
}

func (w *waits) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done += time.Since(w.since)
	w.since = time.Time{}
}

func (w *waits) total() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		return w.done
	}
	return w.done + time.Since(w.since)
}

// cpuTime is the time of processors that the process has taken. It is 0 if the process has ended.
func (h *process) cpuTime() time.Duration {
	var now unix.Timespec
	const processClock = 2 // of another process, as clock_getcpuclockid makes it
	if err := unix.ClockGettime(int32(^h.command.Process.Pid<<3|processClock), &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
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
