package pipe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/sentinel"
	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/internal/tune"
	"github.com/spoolmedia/spool/pipe/stats"
)

// ErrOptions is wrapped by the error that All yields for a pipeline that was not built as documented. It is the same
// value as spool.ErrOptions.
var ErrOptions error = sentinel.Options

// Options are a pipeline's settings. With the zero value, the first failed item ends the run with its error.
type Options struct {
	// OnFailure is what an item's failure means for the run. The default is Fail. With Skip, set a Ledger to record what
	// was skipped.
	OnFailure Policy
	// MaxFailures is how many items may be skipped. One more ends the run with ErrTooManyFailures. 0 means no limit.
	MaxFailures int
	// MaxFailureRate is the share of the source's items that may be skipped, above 0 and at most 1. A higher share ends
	// the run with ErrTooManyFailures. It is checked from RateSample items on, and at the end. 0 means no limit.
	MaxFailureRate float64
	// RateSample is the number of items from which a rate of failures is meaningful. 0 means 100.
	RateSample int
	// Ledger, if not nil, records every failure. Its error ends the run.
	Ledger Ledger
	// Describe, if not nil, completes a failure before it is counted and recorded. It may set Class, Field, File and Text
	// from Err, which pipe cannot interpret. It must be safe for concurrent use.
	Describe func(*Failure)
	// Replace, if not nil, decides what happens to an item on which a function of a Map, a Filter or a FlatMap has finally
	// failed. It is called before the failure is described, counted and recorded, and may complete it.
	//
	// If Replace returns a value, it takes ownership of the item, and the value goes on as the stage's result. The value
	// must have the type of the stage's results. Replace should then set Action, for example to ActionPlaceholder.
	//
	// If Replace returns nil, Action decides. It is that of OnFailure unless Replace sets it. With ActionFail the failure
	// ends the run, otherwise the item is dropped.
	//
	// Replace must not use what FlatMap's function has released already. It must be safe for concurrent use. A panic of
	// Replace is added to the item's failure.
	Replace func(ctx context.Context, item any, f *Failure) any
	// CPUShare limits the CPU time of this process, above 0 and at most 1: 0.4 is two fifths of the time of the processors
	// that Go uses. The whole process counts, including the consumer's loop. To stay within the limit, workers pause
	// between items, so it holds on average over some items. If other work uses up the share, the pipeline continues
	// slowly. 0 means no limit.
	CPUShare float64
	// Watch reports items in work for too long. The zero value reports none.
	Watch Watch
	// Observer, if not nil, receives the work on each item.
	Observer Observer
}

// Pipeline is a set of stages that is run once, by All or Epochs of a flow, or by Run. One goroutine builds it. Report
// and Record are safe for concurrent use.
type Pipeline struct {
	options      Options
	stages       []*stage // each after those from which it takes items
	prefix       string   // of the names of stages that are being added
	problems     []error
	cores        int // when it was created: a run may have more of Go's processors if many calls are in C
	consumer     meter.Meter
	budget       budget
	stallTimeout time.Duration // see the constant stallTimeout
	cpuTime      func() time.Duration
	loop         bool // there is a consumer
	profiled     bool // stages work one at a time
	workers      sync.WaitGroup
	watching     sync.WaitGroup

	mu      sync.Mutex
	cancel  context.CancelCauseFunc // ends the run at once; nil before it
	start   time.Time
	end     time.Time
	sinkErr error         // the error that ended a flow with a sink
	causes  []error       // of stages that ended the run, in order
	cpu     time.Duration // CPU time of the process before the run; after its end, that of the run
	shut    time.Duration // time in which no work was begun because of CPUShare
	moves   []stats.Move
	tuned   string // the state of Auto
}

// New returns an empty pipeline. All reports invalid options, together with problems of the stages.
func New(o Options) *Pipeline {
	p := &Pipeline{options: o, cores: cores.Count(), stallTimeout: stallTimeout, cpuTime: tune.CPUTime}
	if o.OnFailure > Skip {
		p.problem("OnFailure %d is not a policy", o.OnFailure)
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

// Within appends a part of a pipeline to a flow. A part is a function from flow to flow. The names of its stages begin
// with name and a slash, so it can be used more than once.
func Within[In, Out any](in *Flow[In], name string, piece func(*Flow[In]) *Flow[Out]) *Flow[Out] {
	p := in.pipeline
	outer := p.prefix
	p.prefix += name + "/"
	defer func() { p.prefix = outer }()
	return piece(in)
}

// check returns all errors of a pipeline that would run with a loop over last, if not nil.
func (p *Pipeline) check(last *output) error {
	problems := slices.Clone(p.problems)
	found := last == nil
	for _, s := range p.stages {
		for _, o := range s.outputs {
			if o.next == nil && o != last {
				problems = append(problems, fmt.Errorf("stage %q: no stage and no loop takes its results", s.name))
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
	return fmt.Errorf("pipe: %w: %w", ErrOptions, errors.Join(problems...))
}

// errRuns is the error of a second run.
var errRuns = fmt.Errorf("pipe: %w: a pipeline runs once", ErrOptions)

// began reports whether the pipeline has been run.
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
	p.start, p.loop, p.cpu = time.Now(), last != nil, p.cpuTime()
	p.consumer.Begin(p.start)
	ctx, p.cancel = context.WithCancelCause(ctx)
	p.govern(ctx)
	for _, s := range slices.Backward(p.stages) {
		s.begin(ctx, p.start)
	}
	if p.options.Watch.After > 0 && p.options.Watch.Tell != nil {
		p.watching.Go(func() { p.watch(ctx) })
	}
	for _, s := range p.stages {
		for w := range s.alive {
			p.workers.Go(func() { s.run(p, &s.meters[w]) })
		}
	}
	if !p.loop {
		p.taken()
	}
	return ctx, nil
}

// taken starts the workers that wait until a loop takes the first result. Without a loop they start at once.
func (p *Pipeline) taken() {
	for _, s := range p.stages {
		s.startLater(p)
	}
}

// finish waits for all workers.
func (p *Pipeline) finish() {
	p.workers.Wait()
	p.consumer.Enter(meter.Idle)
	p.abort(nil) // frees the contexts
	p.watching.Wait()
	p.mu.Lock()
	p.end, p.cpu = time.Now(), p.cpuTime()-p.cpu
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

// caused records that a stage ends the run with err, unless its context has ended: then err is a consequence.
func (p *Pipeline) caused(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.causes = append(p.causes, err)
	return err
}

// together returns the error of a run that has ended with err. It joins the errors with which other stages wanted to
// end the run meanwhile, one of each stage.
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

// outcome returns the error of a finished run: that of a sink, or of too many failures.
func (p *Pipeline) outcome() error {
	p.mu.Lock()
	err := p.sinkErr
	p.mu.Unlock()
	if err != nil {
		return err
	}
	return p.overspent()
}

// sunk records the error that ended a flow with a sink. An item's failure ends the run at once, because there is no
// loop that would receive it.
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

// Run runs a pipeline whose flows all end in sinks, and waits for its end. It returns the error that All would yield.
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
