package pipe

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// ErrTooManyFailures is wrapped by the error of a run in which more items failed than Options allow.
var ErrTooManyFailures = errors.New("too many failures")

// rateSample is how many items the source must have given before a rate of failures means anything.
const rateSample = 100

// budget counts a run's failures against what is allowed.
type budget struct {
	failed atomic.Int64
	mu     sync.Mutex // one failure at a time
	last   *Failure
}

// fail notes that an item failed and was dropped. The error, if there is one, is to end the run.
func (p *Pipeline) fail(stage string, number int64, item any, err error) error {
	f := &Failure{ID: strconv.FormatInt(number, 10), Stage: stage, Action: ActionSkip, Err: err}
	if i, ok := item.(interface{ ID() string }); ok {
		f.ID = i.ID()
	}
	if i, ok := item.(interface{ File() string }); ok {
		f.File = i.File()
	}
	if p.options.OnFailure == Fail {
		f.Action = ActionFail
		p.count(f)
		return f
	}
	p.count(f)
	return nil
}

// Record notes a failure that the caller has dealt with, for instance by a placeholder: it goes to
// the ledger, counts for its stage, and ends the run if it is one too many. What is empty is
// completed as for other failures.
func (p *Pipeline) Record(f Failure) {
	for _, s := range p.stages {
		if s.name == f.Stage {
			s.recorded.Add(1)
		}
	}
	p.count(&f)
}

// count completes a failure, gives it to the ledger, and ends the run if it is one too many.
func (p *Pipeline) count(f *Failure) {
	if p.options.Describe != nil {
		p.options.Describe(f)
	}
	f.complete()

	b := &p.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failed.Add(1)
	b.last = f
	if p.options.Ledger != nil {
		if err := p.options.Ledger.Add(*f); err != nil {
			p.abort(fmt.Errorf("ledger: %w", err))
		}
	}
	if err := p.exceeded(rateSample); err != nil {
		p.abort(err)
	}
}

// overspent is the error of a run that is over and in which too many items failed.
func (p *Pipeline) overspent() error {
	p.budget.mu.Lock()
	defer p.budget.mu.Unlock()
	return p.exceeded(1)
}

// exceeded compares with what is allowed; rates only once the source has given sample items. The
// caller holds the lock.
func (p *Pipeline) exceeded(sample int64) error {
	failed := p.budget.failed.Load()
	if allowed := p.options.MaxFailures; allowed > 0 && failed > int64(allowed) {
		return fmt.Errorf("%w: %d failed, at most %d may; the last: %w",
			ErrTooManyFailures, failed, allowed, p.budget.last)
	}
	if allowed := p.options.MaxFailureRate; allowed > 0 && len(p.stages) > 0 {
		source := p.stages[0].tally()
		if source.items >= sample && float64(failed)/float64(source.items) > allowed {
			return fmt.Errorf("%w: %d of %d failed, at most %.4g %% may; the last: %w",
				ErrTooManyFailures, failed, source.items, 100*allowed, p.budget.last)
		}
	}
	return nil
}
