package pipe

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// ErrOptions is wrapped by what All yields for a pipeline that was not put together as documented.
var ErrOptions = errors.New("pipe: invalid options")

// Options are a pipeline's settings. With the zero value the first item that fails ends the run with its error.
type Options struct {
	// OnFailure says what an item's failure means for the run. The default is Fail. With Skip a Ledger should say
	// what was skipped.
	OnFailure Policy
	// MaxFailures is how many items may be skipped; one more ends the run with ErrTooManyFailures.
	// 0 sets no limit.
	MaxFailures int
	// MaxFailureRate is the share of the source's items that may be skipped, above 0 and at most 1; going over
	// ends the run with ErrTooManyFailures. It is judged once there have been RateSample items, and at
	// the end. 0 sets no limit.
	MaxFailureRate float64
	// RateSample is how many items there must have been before a rate of failures means anything.
	// 0 means 100.
	RateSample int
	// Ledger takes every failure, if not nil. Its error ends the run.
	Ledger Ledger
	// Describe completes a failure before it is counted and goes to the ledger, if not nil: it may set
	// Class, File and Text from Err, of which pipe knows nothing. It must be safe for concurrent use.
	Describe func(*Failure)
	// Replace, if not nil, says what becomes of an item on which a function of a Map, a Filter or a FlatMap has
	// failed for good. It is asked before the failure is described, counted, and given to the ledger, and may
	// complete it.
	//
	// A result that it gives goes on as the stage's, which has to be of the type of its results; Action should say
	// so, as ActionPlaceholder. It takes the item over then. If it gives nil, Action decides, which is that of
	// OnFailure unless Replace sets it: with ActionFail the failure ends the run, else the item is dropped. What
	// FlatMap's function gave back already is not to be used. It must be safe for concurrent use; a panic of its own
	// is the item's failure, too.
	Replace func(ctx context.Context, item any, f *Failure) any
	// CPUShare bounds the CPU time of this process, above 0 and at most 1: 0.4 is two fifths of the time of
	// the processors that Go uses. The whole process counts, the consumer's loop and what else it does
	// included; to keep within it, workers of functions rest between items. So the bound holds on the
	// average of some items. Where others use it up, the pipeline goes on slowly. 0 sets no limit.
	CPUShare float64
	// Watch names items on which a function is at work for too long. The zero value does not look.
	Watch Watch
}

// Pipeline is a set of stages that is run once, by All or Epochs of a flow, or by Run. Building it is
// for one goroutine; Report and Record are safe for concurrent use.
type Pipeline struct {
	options  Options
	stages   []*stage // each behind those that it takes from
	prefix   string   // of the names of stages that are being added
	problems []error
	cores    int // as it was begun: for a run there may be more of Go's processors, where many calls are in C
	consumer meter
	budget   budget
	patience time.Duration // see stillAfter
	cpuTime  func() time.Duration
	loop     bool // there is a consumer
	profiled bool // stages work one at a time
	workers  sync.WaitGroup
	watching sync.WaitGroup

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // ends the run at once; nil before it
	start   time.Time
	end     time.Time
	sinkErr error         // what ended a flow that goes to a sink
	causes  []error       // of stages that ended the run, as they came
	shut    time.Duration // that no work was begun, to keep within CPUShare
	moves   []Move
	tuned   string // how things are with Auto
}

// New begins a pipeline. What is wrong with the options is reported by All, together with what is
// wrong with the stages.
func New(o Options) *Pipeline {
	p := &Pipeline{options: o, cores: runtime.GOMAXPROCS(0), patience: stillAfter, cpuTime: cpuTime}
	if o.OnFailure > Skip {
		p.problem("OnFailure %d is no policy", o.OnFailure)
	}
	if o.MaxFailures < 0 {
		p.problem("MaxFailures %d is negative", o.MaxFailures)
	}
	if !(o.MaxFailureRate >= 0 && o.MaxFailureRate <= 1) {
		p.problem("MaxFailureRate %v is not in [0, 1]", o.MaxFailureRate)
	}
	if o.RateSample < 0 {
		p.problem("RateSample %d is negative", o.RateSample)
	}
	if !(o.CPUShare >= 0 && o.CPUShare <= 1) {
		p.problem("CPUShare %v is not in [0, 1]", o.CPUShare)
	}
	if o.Watch.After < 0 {
		p.problem("Watch.After %v is negative", o.Watch.After)
	}
	p.budget.allowed = allowance{failures: int64(o.MaxFailures), rate: o.MaxFailureRate}
	p.budget.sample = int64(o.RateSample)
	if p.budget.sample == 0 {
		p.budget.sample = rateSample
	}
	return p
}

func (p *Pipeline) problem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Errorf(format, args...))
}

// Within puts a piece of pipeline behind a flow. Its stages' names begin with name and a slash, so that
// it can be used more than once. A piece of pipeline is a function from flow to flow.
func Within[In, Out any](in *Flow[In], name string, piece func(*Flow[In]) *Flow[Out]) *Flow[Out] {
	p := in.pipeline
	outer := p.prefix
	p.prefix += name + "/"
	defer func() { p.prefix = outer }()
	return piece(in)
}

// check reports all that speaks against running the pipeline with the loop over last, if not nil.
func (p *Pipeline) check(last *output) error {
	problems := slices.Clone(p.problems)
	found := last == nil
	for _, s := range p.stages {
		for _, o := range s.outputs {
			if o.next == nil && o != last {
				problems = append(problems, fmt.Errorf("stage %q: nobody takes its results", s.name))
			}
			if o == last {
				found = true
				if o.next != nil {
					problems = append(problems, fmt.Errorf("stage %q: its results go to another stage", s.name))
				}
			}
		}
	}
	if len(p.stages) == 0 || !found {
		problems = append(problems, errors.New("no stages"))
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrOptions, errors.Join(problems...))
}

// errRuns is that of a pipeline that has been run.
var errRuns = fmt.Errorf("%w: a pipeline runs once", ErrOptions)

// began says that the pipeline has been run.
func (p *Pipeline) began() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cancel != nil
}

// begin starts all workers.
func (p *Pipeline) begin(ctx context.Context, last *output) (context.Context, error) {
	if err := p.check(last); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancel != nil {
		return nil, errRuns
	}
	p.start, p.loop = time.Now(), last != nil
	p.consumer.begin(p.start)
	ctx, p.cancel = context.WithCancelCause(ctx)
	p.govern(ctx)
	for _, s := range slices.Backward(p.stages) {
		s.begin(ctx, p.start)
	}
	if p.options.Watch.After > 0 && p.options.Watch.Tell != nil {
		p.watching.Go(func() { p.watch(ctx) })
	}
	for _, s := range p.stages {
		for w := range s.workers {
			p.workers.Go(func() { s.run(p, &s.meters[w]) })
		}
	}
	return ctx, nil
}

// finish waits for all workers.
func (p *Pipeline) finish() {
	p.workers.Wait()
	p.consumer.enter(idle)
	p.abort(nil) // frees the contexts
	p.watching.Wait()
	p.mu.Lock()
	p.end = time.Now()
	p.mu.Unlock()
}

// abort ends the run at once: All yields err.
func (p *Pipeline) abort(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancel != nil {
		p.cancel(err)
	}
}

// caused notes that a stage ends the run, unless its context has ended: then its error is of that.
func (p *Pipeline) caused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.causes = append(p.causes, err)
	return err
}

// together is the error of a run that has ended with err: with it come those of other stages that wanted to
// end the run meanwhile, one of each.
func (p *Pipeline) together(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		return nil
	}
	all := []error{err}
	for _, other := range p.causes {
		if !slices.ContainsFunc(all, func(e error) bool { return errors.Is(e, other) || ofOneStage(e, other) }) {
			all = append(all, other)
		}
	}
	if len(all) == 1 {
		return err
	}
	return errors.Join(all...)
}

func ofOneStage(a, b error) bool {
	var f, g *Failure
	return errors.As(a, &f) && errors.As(b, &g) && f.Stage == g.Stage
}

// outcome is the error of a run that has come to its end: that of a sink, or of too many failures.
func (p *Pipeline) outcome() error {
	p.mu.Lock()
	err := p.sinkErr
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return p.overspent()
}

// sunk notes what ended a flow that goes to a sink. An item's failure ends the run at once: it was to
// do so, and there is no loop that would hear of it.
func (p *Pipeline) sunk(err error) {
	if failure := (*Failure)(nil); errors.As(err, &failure) {
		p.abort(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sinkErr == nil {
		p.sinkErr = err
	}
}

// Run runs a pipeline whose flows all end in sinks, and waits for its end. The error is what All would
// yield.
func (p *Pipeline) Run(ctx context.Context) error {
	running, err := p.begin(ctx, nil)
	if err != nil {
		return err
	}
	p.workers.Wait()
	err = context.Cause(running)
	p.finish()
	if err == nil {
		err = p.outcome()
	}
	return p.together(err)
}
