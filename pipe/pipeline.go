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

// Options are a pipeline's settings. With the zero value failed items are dropped, however many, and
// no ledger is kept.
type Options struct {
	// OnFailure says what an item's failure means for the run. The default is Skip.
	OnFailure Policy
	// MaxFailures is how many items may fail; one more ends the run with ErrTooManyFailures.
	// 0 sets no limit; to allow none, use Fail.
	MaxFailures int
	// MaxFailureRate is the share of the source's items that may fail, above 0 and at most 1; going over
	// ends the run with ErrTooManyFailures. It is judged once the source has given 100 items, and at
	// the end. 0 sets no limit.
	MaxFailureRate float64
	// Ledger takes every failure, if not nil. Its error ends the run.
	Ledger Ledger
	// Describe completes a failure before it is counted and goes to the ledger, if not nil: it may set
	// Class, File and Text from Err, of which pipe knows nothing. It must be safe for concurrent use.
	Describe func(*Failure)
}

// Pipeline is a chain of stages that is run once, by Flow.All. Building it is for one goroutine;
// Report and Record are safe for concurrent use.
type Pipeline struct {
	options  Options
	stages   []*stage // from the source on
	problems []error
	cores    int // as it was begun: for a run there may be more of Go's processors, where many calls are in C
	consumer meter
	budget   budget
	workers  sync.WaitGroup

	mu     sync.Mutex
	cancel context.CancelCauseFunc // ends the run at once; nil before it
	start  time.Time
	end    time.Time
}

// New begins a pipeline. What is wrong with the options is reported by All, together with what is
// wrong with the stages.
func New(o Options) *Pipeline {
	p := &Pipeline{options: o, cores: runtime.GOMAXPROCS(0)}
	if o.OnFailure > Fail {
		p.problem("OnFailure %d is no policy", o.OnFailure)
	}
	if o.MaxFailures < 0 {
		p.problem("MaxFailures %d is negative", o.MaxFailures)
	}
	if !(o.MaxFailureRate >= 0 && o.MaxFailureRate <= 1) {
		p.problem("MaxFailureRate %v is not in [0, 1]", o.MaxFailureRate)
	}
	return p
}

func (p *Pipeline) problem(format string, args ...any) {
	p.problems = append(p.problems, fmt.Errorf(format, args...))
}

// check reports all that speaks against running the pipeline up to the stage last.
func (p *Pipeline) check(last *stage) error {
	problems := slices.Clone(p.problems)
	for _, s := range p.stages {
		if s.consumers == 0 && s != last {
			problems = append(problems, fmt.Errorf("stage %q: nobody takes its results", s.name))
		}
	}
	if last.consumers > 0 {
		problems = append(problems, fmt.Errorf("stage %q: its results go to another stage", last.name))
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrOptions, errors.Join(problems...))
}

// begin starts all workers. The contexts are nested: each stage's lies in that of the stage it works
// for, so that stopping a stage stops everything in front of it and nothing behind it.
func (p *Pipeline) begin(ctx context.Context, last *stage) (context.Context, error) {
	if err := p.check(last); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cancel != nil {
		return nil, fmt.Errorf("%w: a pipeline runs once", ErrOptions)
	}
	p.start = time.Now()
	p.consumer.begin(p.start)
	ctx, p.cancel = context.WithCancelCause(ctx)
	outer := ctx
	for _, s := range slices.Backward(p.stages) {
		outer = s.begin(outer, p.start) //nolint:fatcontext // nested on purpose, as deep as there are stages
	}
	for _, s := range p.stages {
		for w := range s.meters {
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
