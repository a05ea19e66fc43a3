package helper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/spoolmedia/spool"
)

// turn is the time in which a process does a task.
type turn struct {
	process *process
	area    area
	task    Task
	before  <-chan struct{} // closed when the turn before it is over
	over    chan struct{}
	err     error // of sending the task
}

// errNotBegun is the error of a task whose process ended before its turn.
var errNotBegun = errors.New("the task was not begun")

// send sends a task, whose area no other task has.
func (h *process) send(t Task, i int) (*turn, error) {
	head, err := json.Marshal(t.Head)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", spool.ErrInternal, err)
	}
	if len(t.Topic) > maxTopic {
		return nil, fmt.Errorf("%w: a topic of %d bytes", spool.ErrInternal, len(t.Topic))
	}
	r := &turn{process: h, area: h.memory.area(i), task: t, over: make(chan struct{})}
	copy(r.area.inputs(), t.Input)
	h.sending.Lock()
	defer h.sending.Unlock()
	r.before, h.last = h.last, r.over
	r.err = sendBytes(h.conn, taskMessage, task{t.Session, len(t.Input), i, t.Topic, head}.bytes())
	return r, nil
}

// wait waits for the beginning of the turn. It reports whether that came before the end of ctx.
func (r *turn) wait(ctx context.Context) bool {
	select {
	case <-r.before:
		return true
	case <-ctx.Done():
		return false
	}
}

// drop waits for the beginning of a turn that nobody wants, and ends the process.
func (r *turn) drop() {
	<-r.before
	r.process.kill()
	r.process.over = true
	close(r.over)
}

// take has the process do the task. It is called once the turn has begun. The error is a *death if the process ended by
// itself or took too much time, and errNotBegun if it had ended before.
func (r *turn) take(ctx context.Context, cpu time.Duration) error {
	reply, err := r.reply(ctx, cpu)
	if err == nil { // the next turn has begun, but the area is still this one's
		err = r.task.Use(reply, r.area.outputs())
	}
	r.area.trim(r.process.file)
	return err
}

// reply lasts as long as the turn. The error is the task's, or as for take.
func (r *turn) reply(ctx context.Context, cpu time.Duration) (json.RawMessage, error) {
	defer close(r.over)
	h := r.process
	if h.over {
		return nil, errNotBegun
	}
	stop, stopLimit := context.AfterFunc(ctx, h.kill), h.limit(cpu)
	reply, done, err := r.converse()
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
	h.over = !done || h.killed.Load()
	if done {
		return reply, err
	}
	<-h.exited
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, h.cause(cpu, err)
}

// converse answers questions until the task is done. Then err is the task's.
func (r *turn) converse() (reply json.RawMessage, done bool, err error) {
	if r.err != nil {
		return nil, false, r.err
	}
	var refused error // by Task.Answer
	for {
		k, body, err := receive(r.process.conn)
		if err != nil {
			return nil, false, err
		}
		switch k {
		case questionMessage:
			answer, unanswered := r.answer(body)
			refused = cmp.Or(refused, unanswered)
			if err := r.process.sendAnswer(answer, unanswered == nil); err != nil {
				return nil, false, err
			}
		case replyMessage:
			return body, true, refused
		case failureMessage:
			var f Failure
			if err := json.Unmarshal(body, &f); err != nil {
				return nil, false, fmt.Errorf("%w: %w", errProtocol, err)
			}
			return nil, true, cmp.Or(refused, f.Err())
		default:
			return nil, false, fmt.Errorf("%w: message %d", errProtocol, k)
		}
	}
}

// answer asks the caller of Pool.Do for an answer.
func (r *turn) answer(question json.RawMessage) (any, error) {
	r.process.waits.begin()
	defer r.process.waits.end()
	return r.task.Answer(question, r.area.inputs())
}

// sendAnswer sends an answer, or that there is none.
func (h *process) sendAnswer(answer any, given bool) error {
	k := answerMessage
	if !given {
		k = refusedMessage
	}
	h.sending.Lock()
	defer h.sending.Unlock()
	return send(h.conn, k, answer)
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
