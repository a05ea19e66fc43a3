package pipe

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"

	"github.com/spoolmedia/spool/pipe/internal/queue"
)

// ErrTooManyFailures is wrapped by the error of a run in which more items failed than Options or a Stage allow.
var ErrTooManyFailures = errors.New("too many failures")

// rateSample is the default of Options.RateSample.
const rateSample = 100

// allowance is how many items may fail. 0 means no limit.
type allowance struct {
	failures int64
	rate     float64
	failed   int64
}

// exceeded returns how a limit is exceeded, or "". A rate is judged from sample items on; items counts them if
// necessary.
func (a *allowance) exceeded(items func() int64, sample int64) string {
	if a.failures > 0 && a.failed > a.failures {
		return fmt.Sprintf("%d failed, at most %d may", a.failed, a.failures)
	}
	if a.rate > 0 && a.failed > 0 {
		if n := items(); n >= sample && float64(a.failed)/float64(n) > a.rate {
			return fmt.Sprintf("%d of %d failed, at most %.4g %% may", a.failed, n, 100*a.rate)
		}
	}
	return ""
}

// budget counts a run's failures and compares them with the limits.
type budget struct {
	sample int64 // items before a rate is judged

	mu      sync.Mutex // one failure at a time
	allowed allowance
	last    *Failure
}

// names returns an item's own id and file, if it has them.
func names(item any) (id, file string) {
	if i, ok := item.(interface{ ID() string }); ok {
		id = i.ID()
	}
	if i, ok := item.(interface{ File() string }); ok {
		file = i.File()
	}
	return id, file
}

// drawn is an item that reports what its random numbers depend on.
type drawn interface {
	Draw() (epoch, occurrence int)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// fail records that an item failed. instead, if not nil, is the result of Options.Replace, which goes on in place of
// the item. Otherwise the caller drops the item. end, if not nil, ends the run.
func (p *Pipeline) fail(ctx context.Context, s *stage, at queue.Mark, item any, attempts int, err error) (instead any,
	end error) {
	f := &Failure{Stage: s.name, Action: ActionSkip, Attempts: attempts, Err: err}
	if f.ID, f.File = names(item); f.ID == "" {
		f.ID = number(at.Number - int64(at.Epoch)) // borders have numbers, too
	}
	if d, ok := item.(drawn); ok {
		f.Epoch, f.Occurrence = d.Draw()
	}
	if p.options.OnFailure == Fail {
		f.Action = ActionFail
	}
	if p.options.Replace != nil && s.replaces {
		instead = p.replace(ctx, item, f)
	}
	p.count(s, f)
	if instead == nil && f.Action == ActionFail {
		return nil, p.caused(s.ctx, f)
	}
	return instead, nil
}

// replace asks Options.Replace what goes on in place of an item.
func (p *Pipeline) replace(ctx context.Context, item any, f *Failure) (instead any) {
	var err error
	defer func() {
		if err != nil {
			f.Err = errors.Join(f.Err, err)
		}
	}()
	defer catch(&err)
	return p.options.Replace(ctx, item, f)
}

// replacement returns the result of Options.Replace as a result of the stage. A result of another type ends the run.
func replacement[Out any](s *stage, instead any) (result Out, err error) {
	result, ok := instead.(Out)
	if !ok {
		err = fmt.Errorf("pipe: %w: stage %q has results of type %s, and Replace gave a %T", ErrOptions, s.name,
			reflect.TypeFor[Out](), instead)
		queue.Release(instead)
	}
	return result, err
}

// Record records a failure that the caller has handled, for instance with a placeholder. The failure goes to the
// ledger, counts for its stage, and ends the run if it exceeds a limit. Empty fields are completed as for other
// failures.
func (p *Pipeline) Record(f Failure) {
	for _, s := range p.stages {
		if s.name == f.Stage {
			s.recorded.Add(1)
			p.count(s, &f)
			return
		}
	}
	p.count(nil, &f)
}

// count completes a failure, adds it to the ledger, and ends the run if a limit is exceeded.
func (p *Pipeline) count(s *stage, f *Failure) {
	if p.options.Describe != nil {
		p.options.Describe(f)
	}
	f.complete()

	b := &p.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.allowed.failed++
	if s != nil {
		s.allowance.failed++
	}
	b.last = f
	if p.options.Ledger != nil {
		if err := p.options.Ledger.Add(*f); err != nil {
			p.abort(fmt.Errorf("ledger: %w", err))
		}
	}
	if err := p.exceeded(b.sample); err != nil {
		p.abort(err)
	}
}

// overspent returns the error of a finished run in which too many items failed.
func (p *Pipeline) overspent() error {
	p.budget.mu.Lock()
	defer p.budget.mu.Unlock()
	return p.exceeded(1)
}

// failures returns the number of failures of the run.
func (p *Pipeline) failures() int64 {
	p.budget.mu.Lock()
	defer p.budget.mu.Unlock()
	return p.budget.allowed.failed
}

// exceeded compares failures with the limits of the run and of each stage. The caller has the lock.
func (p *Pipeline) exceeded(sample int64) error {
	b := &p.budget
	if why := b.allowed.exceeded(p.given, sample); why != "" {
		return fmt.Errorf("%w: %s; the last: %w", ErrTooManyFailures, why, b.last)
	}
	for _, s := range p.stages {
		if why := s.allowance.exceeded(s.done, sample); why != "" {
			return fmt.Errorf("%w: %s: %s; the last: %w", ErrTooManyFailures, s.name, why, b.last)
		}
	}
	return nil
}

// given returns the number of items of all sources.
func (p *Pipeline) given() (n int64) {
	for _, s := range p.stages {
		if len(s.inputs) == 0 {
			n += s.done()
		}
	}
	return n
}

// done returns the number of items that the stage has finished.
func (s *stage) done() (n int64) {
	for w := range s.meters {
		n += s.meters[w].Items()
	}
	return n
}
