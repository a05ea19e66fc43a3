package helper

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/parts"
)

// Options are the settings of a Pool.
type Options struct {
	// Command is the program that calls Serve, and its arguments. It is started with the name Name as its argv[0].
	Command []string
	// Processes is the most that run at a time. 0 means one more than Go uses processors: while one waits for an answer,
	// another runs. There are fewer where the address space is limited and has no room for their inputs and outputs.
	Processes int
	// Input and Output are the most bytes of a task's input and output. They take memory only where they are used.
	Input, Output int64
	// Memory is the most bytes that a task may allocate.
	Memory int64
	// CPU is the most time of a processor that a task may take; it may last ten times as long. 0 means one minute.
	CPU time.Duration
	// Setup is what the helper's start function gets, as JSON.
	Setup any
}

// Name is the name of helpers in lists of processes.
const Name = "spool-helper"

// Pool is a number of helpers. It is safe for concurrent use.
type Pool struct {
	options Options
	setup   json.RawMessage
	tasks   int           // the most that a helper has
	busy    chan struct{} // one entry for each task that a process has, or that starts one
	bad     quarantine
	last    atomic.Uint64 // the session that was made last

	mu      sync.Mutex
	workers []*worker // that start or run; the one that has been without tasks for the shortest time is at the end
	closed  bool
}

// Holder is embedded, under an unexported name, in a type that users see. [Of] finds its pool.
type Holder struct{ pool *Pool }

// Hold returns a Holder of a pool, which may be nil.
func Hold(p *Pool) Holder { return Holder{p} }

func (h Holder) held() *Pool { return h.pool }

// Of returns the pool of a value that embeds a Holder; nil if there is none.
func Of(d interface{ held() *Pool }) *Pool { return d.held() }

// Task is the work for one call of Pool.Do.
type Task struct {
	Topic string // Call.Topic, what the task is about; at most 255 bytes
	Head  any    // Call.Head, as JSON
	Input []byte // lent during the call
	// Source identifies the input in the quarantine. nil means the content of Input.
	Source []byte
	// Session is Call.Session, a number of NewSession, for tasks that are faster in the helper of the last task of the
	// session, if that helper is free. 0 means none.
	Session uint64
	// Extra is processor time of the task besides Options.CPU.
	Extra time.Duration
	// Answer answers a question of the helper, and may write to the memory of the input, Call.Room. Its time is not the
	// helper's. An error is the result of Do, once the helper has ended the task. It may be nil if there are no questions.
	Answer func(question json.RawMessage, room []byte) (any, error)
	// Use gets the reply, which is not trusted, and the memory of the output, which is lent during the call of Use.
	Use func(reply json.RawMessage, output []byte) error
}

// New makes a pool. It starts no process yet. The caller releases it by Close.
func New(o Options) (*Pool, error) {
	if len(o.Command) == 0 {
		return nil, fmt.Errorf("%w: isolation needs the command of a helper", spool.ErrOptions)
	}
	if os.Getenv(nested) != "" {
		return nil, fmt.Errorf("%w: a helper does not start helpers: its program must call isolate.Main first",
			spool.ErrOptions)
	}
	if o.Processes <= 0 {
		o.Processes = cores.Count() + 1
	}
	if o.CPU <= 0 {
		o.CPU = time.Minute
	}
	text, err := json.Marshal(o.Setup)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", spool.ErrInternal, err)
	}
	tasks := mostTasks()
	o.Processes = mostProcesses(o.Processes, o.Input+o.Output)
	return &Pool{options: o, setup: text, tasks: tasks, busy: make(chan struct{}, tasks*o.Processes)}, nil
}

// Do has a helper do a task. It waits for one that is free. Errors are those of the helper's Handler, of Task.Answer
// and Task.Use, and:
//
//   - spool.ErrCrashed if the helper died. Another one takes its place. An input that has killed two is refused;
//     a helper that was killed from outside does not count.
//   - spool.ErrTimeout if the task took more than Options.CPU. This counts as killed.
//   - the error of ctx, if it ends. The helper is killed, so this takes about a millisecond.
//   - spool.ErrTooLarge for an input larger than Options.Input.
//   - spool.ErrIO and ErrNotStarted if no helper could be started, and spool.ErrClosed.
func (p *Pool) Do(ctx context.Context, t Task) error {
	if n := int64(len(t.Input)); n > p.options.Input {
		return &spool.Error{Op: "decode", Class: spool.ErrTooLarge,
			Text: fmt.Sprintf("%d bytes, a helper takes %d", n, p.options.Input)}
	}
	if t.Source == nil {
		t.Source = t.Input
	}
	if err := p.bad.refuse(t.Source); err != nil {
		return err
	}
	for {
		err := p.try(ctx, t)
		if d, ok := errors.AsType[*death](err); ok {
			if !d.outside {
				p.bad.add(t.Source, d)
			}
			return d.error()
		}
		if !errors.Is(err, errNotBegun) {
			return err
		}
	}
}

// try has one helper do a task. The error is errNotBegun if it died at another task before this one.
func (p *Pool) try(ctx context.Context, t Task) error {
	w, area, err := p.take(ctx, t.Session)
	if err != nil {
		return err
	}
	begin := time.Now()
	r, err := w.process.send(t, area)
	switch {
	case err != nil:
	case r.wait(ctx):
		err = r.take(ctx, p.options.CPU+t.Extra)
	default:
		go func() {
			r.drop()
			p.put(w, area)
		}()
		return ctx.Err()
	}
	if part := parts.Of(ctx); part != nil {
		part("helper process: decode", begin, time.Now())
	}
	p.put(w, area)
	return err
}

// NewSession returns a number for Task.Session.
func (p *Pool) NewSession() uint64 { return p.last.Add(1) }

// take waits for a helper that has room for a task, and returns it with an area of its memory. The caller returns both
// by put.
func (p *Pool) take(ctx context.Context, session uint64) (*worker, int, error) {
	select {
	case p.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	for {
		w, area, starts, err := p.assign(session)
		if err != nil {
			<-p.busy
			return nil, 0, err
		}
		if starts {
			w.process, w.err = start(ctx, p.options, p.tasks, p.setup)
			close(w.ready)
		}
		select {
		case <-w.ready:
			err = cmp.Or(w.err, ctx.Err())
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err == nil {
			return w, area, nil
		}
		p.release(w, area)
		if ctx.Err() != nil || errors.Is(err, ErrNotStarted) { // else the context of another task ended its start
			<-p.busy
			return nil, 0, err
		}
	}
}

// put returns a helper and the area of a task.
func (p *Pool) put(w *worker, area int) {
	p.release(w, area)
	<-p.busy
}

// assign chooses the helper of a task: one without tasks, first the one of the session; or a new one, which the caller
// starts; or the one with the fewest tasks.
func (p *Pool) assign(session uint64) (w *worker, area int, starts bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, 0, false, fmt.Errorf("helpers: %w", spool.ErrClosed)
	}
	p.workers = slices.DeleteFunc(p.workers, func(w *worker) bool { // something else may have killed them
		dead := w.dead()
		if dead && w.tasks == 0 {
			w.end()
		}
		return dead
	})
	for _, other := range p.workers {
		if other.tasks == 0 && (w == nil || w.session != session || session == 0) {
			w = other
		}
	}
	switch {
	case w != nil:
	case len(p.workers) < p.options.Processes:
		w, starts = &worker{ready: make(chan struct{}), areas: make([]bool, p.tasks)}, true
		p.workers = append(p.workers, w)
	default:
		w = slices.MinFunc(p.workers, func(a, b *worker) int { return cmp.Compare(a.load(), b.load()) })
	}
	if session != 0 {
		w.session = session
	}
	w.tasks++
	area = slices.Index(w.areas, false)
	w.areas[area] = true
	return w, area, starts, nil
}

// release takes a task from a helper. A dead one ends with its last task.
func (p *Pool) release(w *worker, area int) {
	p.mu.Lock()
	w.areas[area] = false
	w.tasks--
	last, dead := w.tasks == 0, w.dead()
	if i := slices.Index(p.workers, w); i >= 0 && (last || dead) {
		p.workers = slices.Delete(p.workers, i, i+1)
		if !dead {
			p.workers = append(p.workers, w)
		}
	}
	p.mu.Unlock()
	if last && dead {
		w.end()
	}
}

// Check starts a helper, if none runs, and says which limits it is under.
func (p *Pool) Check(ctx context.Context) (Fence, error) {
	w, area, err := p.take(ctx, 0)
	if err != nil {
		return Fence{}, err
	}
	defer p.put(w, area)
	return w.process.fence, nil
}

// Close waits for the tasks and ends the helpers. Further calls do nothing.
func (p *Pool) Close() error {
	p.mu.Lock()
	was := p.closed
	p.closed = true
	p.mu.Unlock()
	if was {
		return nil
	}
	for range cap(p.busy) {
		p.busy <- struct{}{}
	}
	for _, w := range p.workers {
		w.end()
	}
	p.workers = nil
	for range cap(p.busy) { // for callers that wait, which find the pool closed
		<-p.busy
	}
	return nil
}

// nested is the variable that tells a helper what it is.
const nested = "SPOOL_HELPER_OF"

// passed are the beginnings of the variables that helpers inherit: what the loader of programs and the libraries read.
// The others may be secrets.
var passed = []string{"LD_", "GO", "ASAN_", "LSAN_", "UBSAN_", "TSAN_", "VIPS_", "LIBHEIF_", "FONTCONFIG_", "MAGICK_",
	"LANG=", "LC_", "PATH="}

// environment is that of a helper.
func environment() []string {
	all := []string{fmt.Sprintf("%s=%d", nested, os.Getpid())}
	for _, variable := range os.Environ() {
		for _, begin := range passed {
			if strings.HasPrefix(variable, begin) && !strings.HasPrefix(variable, "GOMAXPROCS=") {
				all = append(all, variable)
			}
		}
	}
	return append(all, "GOMAXPROCS=1") // one task at a time
}
