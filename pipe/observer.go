package pipe

import (
	"context"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool/internal/parts"
	"github.com/spoolmedia/spool/pipe/internal/meter"
)

// Observer receives the work of all workers, for instance to write a trace. Package pipe/trace has an Observer.
type Observer interface {
	// Worked is called after each item, by the worker that worked on it. It must be safe for concurrent use. The next item
	// waits until it returns.
	Worked(Span)
}

// Intermittent is an Observer that wants the work of some times only.
type Intermittent interface {
	Observer
	// Active reports whether Worked is to be called for items that begin now. Other items cost no more than this call.
	Active() bool
}

// Details are what a span has for Detailed observers only, since it takes time.
type Details uint8

// The details of a span.
const (
	WithParts Details = 1 << iota // Span.Parts
	WithCPU                       // Span.CPU: some microseconds for each item
)

// Detailed is an Observer that wants details.
type Detailed interface {
	Observer
	// Details returns what items that begin now are to have.
	Details() Details
}

// DetailsOf returns the details that an observer wants; none for nil.
func DetailsOf(o Observer) Details {
	if d, ok := o.(Detailed); ok {
		return d.Details()
	}
	return 0
}

// Span is the work of one worker on one item.
type Span struct {
	Stage  string // its name
	Source bool   // the stage is a source: the item begins here
	Worker int    // of the stage, from 0
	// Begin is when the worker had the item, or when a source had room for it. End is when the function had returned, all
	// attempts included. The span of a FlatMap includes waits for room between two results.
	Begin, End time.Time
	// Waited is the part of this time in which the function waited for its turn, because other items had all places: of
	// requests to a store, or of files that may be open.
	Waited time.Duration
	// CPU is the CPU time of the worker's thread in this time. It is 0 without WithCPU, and if the worker has changed its
	// thread.
	CPU    time.Duration
	Failed bool // after the last attempt
	Path   int  // of a Route: the path that it chose

	// The item before the stage's function took it: see Failure. For a source, it is the item that it made.
	ID                string // empty for an item without a method ID
	Number            int64  // of the item at the stage, from 0, borders between epochs included
	File              string
	Epoch, Occurrence int

	// Parts are what happened inside: the calls of C by decoders of this module, in the order of their ends. They lie
	// between Begin and End, and inside each other or apart. Parts of goroutines that the function started may overlap.
	// There are none without WithParts.
	Parts []Part
	// LeftOut is the number of parts after the first MaxParts.
	LeftOut int
}

// Part is a part of the work on an item.
type Part struct {
	Name       string // the library, and what it did
	Begin, End time.Time
}

// MaxParts limits the parts of a span: decoding a whole video has many thousands.
const MaxParts = 1000

// observation is a span in work; nil without an observer.
type observation struct {
	observer Observer
	span     Span
	details  Details
	cpu      cpuClock // at the begin

	mu    sync.Mutex // of the parts and waits, which may come from several goroutines
	ended bool       // parts that come later are not of the span
}

// observer returns the observer of the items that begin now, or nil.
func (p *Pipeline) observer() Observer {
	o := p.options.Observer
	if i, ok := o.(Intermittent); ok && !i.Active() {
		return nil
	}
	return o
}

// observe begins the span of an item at a stage. It returns nil without an observer. Callers with an item do not call
// it then, since an item becomes an interface only by an allocation.
func (s *stage) observe(o Observer, m *meter.Meter, item any, number int64) *observation {
	if o == nil {
		return nil
	}
	span := Span{Stage: s.name, Worker: m.Worker, Number: number, Begin: time.Now()}
	span.describe(item)
	made := &observation{observer: o, span: span, details: DetailsOf(o)}
	if made.details&WithCPU != 0 {
		made.cpu = cpuNow()
	}
	return made
}

// context returns the context of the item's function, whose parts become those of the span.
func (o *observation) context(ctx context.Context) context.Context {
	if o == nil {
		return ctx
	}
	ctx = parts.WithWaits(ctx, o.waited)
	if o.details&WithParts != 0 {
		ctx = parts.With(ctx, o.add)
	}
	return ctx
}

// waited adds a wait for a turn.
func (o *observation) waited(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended {
		o.span.Waited += d
	}
}

// add adds a part.
func (o *observation) add(name string, begin, end time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.ended:
	case len(o.span.Parts) == MaxParts:
		o.span.LeftOut++
	default:
		o.span.Parts = append(o.span.Parts, Part{name, begin, end})
	}
}

// describe sets what the item says about itself.
func (s *Span) describe(item any) {
	s.ID, s.File = names(item)
	if d, ok := item.(drawn); ok {
		s.Epoch, s.Occurrence = d.Draw()
	}
}

// end ends a span, if there is one.
func (o *observation) end(failed bool) {
	if o == nil {
		return
	}
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	if o.details&WithCPU != 0 {
		o.span.CPU = cpuNow().since(o.cpu)
	}
	o.span.End, o.span.Failed = time.Now(), failed
	o.span.Waited = min(o.span.Waited, o.span.End.Sub(o.span.Begin)) // waits of several goroutines overlap
	o.observer.Worked(o.span)
}

// listed ends the span of a source, which has made an item.
func (o *observation) listed(item any, number int64) {
	o.span.describe(item)
	o.span.Source, o.span.Number = true, number
	o.end(false)
}

// cpuClock is the CPU time of a thread.
type cpuClock struct {
	thread int
	time   time.Duration
}

// cpuNow returns the CPU time of this thread. getrusage has that of the last tick.
func cpuNow() cpuClock {
	const threadCPU = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	_, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&t)), 0)
	if failed != 0 {
		return cpuClock{}
	}
	return cpuClock{syscall.Gettid(), time.Duration(t.Nano())}
}

// since returns the CPU time since begin; 0 if the goroutine has moved to another thread.
func (c cpuClock) since(begin cpuClock) time.Duration {
	if c.thread != begin.thread {
		return 0
	}
	return c.time - begin.time
}
