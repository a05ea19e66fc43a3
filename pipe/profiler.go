package pipe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Profiling says what Profile measures.
type Profiling struct {
	// Items is how many items the source gives for each number of workers. So many are in memory at a time,
	// and a pool that functions take memory from has to have room for them; if it has not, fewer are taken.
	// 0 means 256.
	Items int
	// Workers are the numbers of workers to try, rising, for stages that can have more than one. If nil,
	// they are 1, 2, 4 and so on up to 32, for each stage until twice as many make it less than a fifth
	// faster.
	Workers []int
}

const (
	profiledItems = 256
	scales        = 1.2                   // a stage that gets less faster by twice the workers has what it can use
	lookAgain     = time.Millisecond      // a profile looks so often whether a stage is done
	quiet         = 20 * time.Millisecond // nobody at work, nothing has moved: a stage waits for what others have
	standstill    = time.Second           // somebody is at work, nothing has moved, not for ten times the longest item
)

// errProfiled is why the run of a profile ends.
var errProfiled = errors.New("pipe: the profile is complete")

// Profile runs the pipeline in place of All or Run, one stage at a time: while it is at work all others
// rest, and what comes out at the end is released. So it says what each stage could do if nothing
// else limited it or needed the cores, and with how many workers it stops getting faster.
//
// Items go through in rounds, one for each number of workers: the source gives them, then the first stage
// passes all of them on to the second, and so on. At the end of a round not all workers have an item, so where
// there are many of them Items should be far more. The profile ends early where the source does.
//
// The error is what All would yield; what was measured until then is given, too.
func (p *Pipeline) Profile(ctx context.Context, o Profiling) (Profile, error) {
	workers := o.Workers
	if workers == nil {
		workers = []int{1, 2, 4, 8, 16, 32}
	}
	if o.Items < 0 || len(workers) == 0 || workers[0] < 1 || !slices.IsSorted(workers) {
		return Profile{}, fmt.Errorf("%w: a profile of %d items with workers %v", ErrOptions, o.Items, o.Workers)
	}
	pr := &profiler{Pipeline: p, items: o.Items, all: o.Workers != nil}
	if pr.items == 0 {
		pr.items = profiledItems
	}
	if p.began() {
		return Profile{}, errRuns
	}
	for _, s := range p.stages {
		pr.probes = append(pr.probes, s.probe(pr.items, workers))
	}
	p.profiled = true
	last := p.loose()
	running, err := p.begin(ctx, last)
	if err != nil {
		return Profile{}, err
	}
	for pr.unfinished() && pr.round(running, last) {
	}
	return pr.profile(), pr.end(running, last)
}

// profiler is a profile in the making.
type profiler struct {
	*Pipeline
	items  int
	all    bool // numbers of workers are tried, also of stages that do not get faster
	probes []*probe
}

// probe is a stage that is profiled.
type probe struct {
	*stage
	made  StageProfile
	took  time.Duration // the last round
	tries []int         // numbers of workers
	given int64         // results
	items int64         // that they are of
}

// probe readies a stage: it has as many workers as will be tried, and room for all items of a round, and it
// rests.
func (s *stage) probe(items int, workers []int) *probe {
	p := &probe{stage: s, tries: workers}
	p.made.Name = s.name
	p.made.run = ModelStage{Name: s.name, Workers: s.workers, Queue: s.room(), Order: s.order, single: s.single}
	if s.single {
		p.tries = []int{1}
	} else {
		s.workers, s.meters = 1, make([]meter, workers[len(workers)-1])
		s.spare = make(chan *meter, len(s.meters))
	}
	for _, o := range s.outputs {
		o.enlarge(items, len(s.meters))
		if len(s.inputs) == 0 {
			o.confine(0)
		}
	}
	for _, q := range s.inputs {
		q.hold(!s.joins)
	}
	return p
}

// loose is the flow that goes to no stage.
func (p *Pipeline) loose() *output {
	for _, s := range p.stages {
		for _, o := range s.outputs {
			if o.next == nil {
				return o
			}
		}
	}
	return nil
}

// unfinished says that a stage is to be tried with more workers.
func (pr *profiler) unfinished() bool {
	return slices.ContainsFunc(pr.probes, func(p *probe) bool { return len(p.tries) > 0 })
}

// round passes items through the pipeline, stage by stage. It is false when there are no more.
func (pr *profiler) round(ctx context.Context, last *output) bool {
	before := pr.Report()
	for _, p := range pr.probes {
		if len(p.tries) > 0 && !p.single {
			pr.staff(p.stage, p.tries[0], "profile")
		}
	}
	moving := true
	for _, p := range pr.probes {
		begun := time.Since(pr.start)
		p.let(pr.items)
		moving = pr.rested(ctx, p) && moving
		p.let(0)
		p.took = p.last() - begun
	}
	if last != nil {
		last.discard()
	}
	report := pr.Report().Since(before)
	switch {
	case ctx.Err() != nil || !slices.ContainsFunc(report.Stages, func(s StageReport) bool { return s.Service.Count() > 0 }):
		return false
	case !moving: // and so the figures are those of waiting
		pr.items = (pr.items + 1) / 2
		return true
	}
	for i, p := range pr.probes {
		p.note(report.Stages[i], pr.all)
	}
	return true
}

// let has a stage work, or, with 0 items, rest; a source gives as many.
func (p *probe) let(items int) {
	if len(p.inputs) == 0 {
		for _, o := range p.outputs {
			o.confine(items)
		}
	}
	for _, q := range p.inputs {
		q.hold(items == 0 && !p.joins)
	}
}

// rested waits until a stage has nothing to do any more. It is false if it came to a standstill: its functions,
// most likely, wait for memory that others hold.
func (pr *profiler) rested(ctx context.Context, p *probe) bool {
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	moved, _ := pr.moved(nil)
	for since := time.Now(); ; {
		still := time.Since(since)
		if !p.working() && (p.starved() || still > quiet) {
			return true
		}
		if now, _ := pr.moved(nil); now != moved {
			moved, since = now, time.Now()
		} else if still > standstill && still > 10*p.tally().service.Quantile(1) {
			return false
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return true
		}
	}
}

// working says that a worker is at work.
func (s *stage) working() bool {
	for w := range s.meters {
		m := &s.meters[w]
		m.mu.Lock()
		phase := m.phase
		m.mu.Unlock()
		if phase == working {
			return true
		}
	}
	return false
}

// starved says that there is nothing to take, or nobody who would.
func (s *stage) starved() bool {
	s.crew.mu.Lock()
	gone := s.alive == 0
	s.crew.mu.Unlock()
	return gone || len(s.inputs) > 0 && !slices.ContainsFunc(s.inputs, gauge.stocked)
}

// last is the moment of the run at which the last of the workers came to rest.
func (s *stage) last() (at time.Duration) {
	for w := range s.meters {
		m := &s.meters[w]
		m.mu.Lock()
		at = max(at, m.since)
		m.mu.Unlock()
	}
	return at
}

// note adds what a round has shown.
func (p *probe) note(r StageReport, all bool) {
	n := r.Service.Count()
	p.given += r.Out
	p.items += n
	tried := len(p.tries) > 0
	if tried {
		p.tries = p.tries[1:]
	}
	if n == 0 || !tried && !p.single {
		return
	}
	v := Speed{Workers: r.Workers, Service: r.Service}
	speeds := &p.made.Speeds
	if p.single && len(*speeds) > 0 { // one more round of the same
		if v.Workers == 1 {
			v.Service.Merge((*speeds)[0].Service)
		}
		*speeds = nil
	}
	took := v.Service.sum
	if v.Workers > 1 { // the sum lacks what they waited for a core before they began
		took = p.took
	}
	v.Items = v.Service.Count()
	v.Rate = float64(v.Items) / max(took, 1).Seconds() * float64(n-r.Failures-r.Dropped) / float64(n)
	v.MeanMS, v.P50MS, v.P99MS = r.MeanMS, r.P50MS, r.P99MS
	v.Speedup = 1
	if last := len(*speeds) - 1; last >= 0 {
		v.Speedup = v.Rate / (*speeds)[0].Rate
		if !all && v.Rate < scales*(*speeds)[last].Rate {
			p.tries = nil
		}
	}
	*speeds = append(*speeds, v)
}

// profile is what has been measured.
func (pr *profiler) profile() Profile {
	r := Profile{Cores: pr.cores}
	for i, p := range pr.probes {
		p.made.run.Results = float64(p.given) / float64(max(p.items, 1))
		p.made.chained = len(p.outputs) == 0 || len(p.outputs) == 1 && (p.outputs[0].next == nil || i+1 < len(pr.probes) && p.outputs[0].next == pr.probes[i+1].stage)
		r.Stages = append(r.Stages, p.made)
	}
	return r
}

// end stops everything.
func (pr *profiler) end(ctx context.Context, last *output) error {
	err := context.Cause(ctx)
	pr.abort(errProfiled)
	for _, p := range pr.probes {
		p.let(1)
	}
	if last != nil {
		if err == nil {
			err = last.why()
		}
		last.stop()
	}
	pr.finish()
	if err == nil {
		err = pr.outcome()
	}
	return pr.together(err)
}
