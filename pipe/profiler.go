package pipe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/meter"
	"github.com/spoolmedia/spool/pipe/stats"
)

// ProfileOptions are what Profile measures.
type ProfileOptions struct {
	// Items is how many items the source provides for each number of workers. That many are in memory at a time. A pool
	// from which functions take memory needs room for them; if it has not, fewer items are used. 0 means 256.
	Items int
	// Workers are the numbers of workers to try, in ascending order, for stages that can have more than one. nil means 1,
	// 2, 4 and so on up to 32. For each stage, the series ends when twice as many workers are less than a fifth faster.
	Workers []int
}

const (
	profiledItems = 256
	scales        = 1.2              // less speedup from twice the workers means that the stage gains no more
	lookAgain     = time.Millisecond // interval between checks whether a stage is done
	quiet         = 20               // looks with no worker at work and nothing moved: a stage waits for others
	standstill    = time.Second      // a worker at work, but nothing moved for at least ten times the longest item
)

// errProfiled is the cause of the end of a profile's run.
var errProfiled = errors.New("pipe: the profile is complete")

// Profile runs the pipeline instead of All or Run, one stage at a time. While a stage works, all others pause, and the
// final results are released. So the profile shows what each stage could do if nothing else limited it or needed the
// cores, and the number of workers beyond which it gets no faster.
//
// Items pass in rounds, one for each number of workers: the source provides them, then the first stage passes all of
// them to the second, and so on. At the end of a round some workers have no item, so Items should be much larger than
// the number of workers. The profile ends early if the source does.
//
// The error is that of All. The results measured before an error are returned, too.
func (p *Pipeline) Profile(ctx context.Context, o ProfileOptions) (stats.Profile, error) {
	workers := o.Workers
	if workers == nil {
		workers = []int{1, 2, 4, 8, 16, 32}
	}
	if o.Items < 0 || len(workers) == 0 || workers[0] < 1 || !slices.IsSorted(workers) {
		return stats.Profile{}, fmt.Errorf("pipe: %w: a profile of %d items with workers %v", ErrOptions, o.Items, o.Workers)
	}
	pr := &profiler{Pipeline: p, items: o.Items, all: o.Workers != nil}
	if pr.items == 0 {
		pr.items = profiledItems
	}
	if p.began() {
		return stats.Profile{}, errRuns
	}
	for _, s := range p.stages {
		pr.probes = append(pr.probes, s.probe(pr.items, workers))
	}
	p.profiled = true
	last := p.loose()
	running, err := p.begin(ctx, last)
	if err != nil {
		return stats.Profile{}, err
	}
	for pr.unfinished() && pr.round(running, last) {
	}
	return pr.profile(), pr.end(running, last)
}

// profiler is a profile in progress.
type profiler struct {
	*Pipeline
	items  int
	all    bool // try all numbers of workers, also for stages that do not get faster
	probes []*probe
}

// probe is a stage that is profiled.
type probe struct {
	*stage
	made  stats.StageProfile
	took  time.Duration // by the last round
	tries []int         // numbers of workers left to try
	given int64         // results
	items int64         // items of these results
}

// probe prepares a stage. It gets as many workers as will be tried and room for all items of a round, and it is paused.
func (s *stage) probe(items int, workers []int) *probe {
	p := &probe{stage: s, tries: workers}
	p.made.Name = s.name
	p.made.Settings = stats.ModelStage{
		Name: s.name, Workers: s.workers, Queue: s.room(), AsCompleted: !s.ordered, Single: s.single}
	if s.single {
		p.tries = []int{1}
	} else {
		s.workers, s.later, s.meters = 1, 0, make([]meter.Meter, workers[len(workers)-1])
		s.spare = make(chan *meter.Meter, len(s.meters))
	}
	for _, o := range s.outputs {
		o.Enlarge(items, len(s.meters))
		if len(s.inputs) == 0 {
			o.Confine(0)
		}
	}
	for _, q := range s.inputs {
		q.Pause(!s.joins)
	}
	return p
}

// loose returns the flow that is not the input of a stage.
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

// unfinished reports whether a stage is to be tried with more workers.
func (pr *profiler) unfinished() bool {
	return slices.ContainsFunc(pr.probes, func(p *probe) bool { return len(p.tries) > 0 })
}

// round passes items through the pipeline, stage by stage. It returns false when there are no more.
func (pr *profiler) round(ctx context.Context, last *output) bool {
	before := pr.Report()
	for _, p := range pr.probes {
		if len(p.tries) > 0 && !p.single {
			pr.setWorkers(p.stage, p.tries[0], "profile")
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
		last.Discard()
	}
	report := pr.Report().Since(before)
	switch {
	case ctx.Err() != nil || !slices.ContainsFunc(report.Stages,
		func(s stats.StageReport) bool { return s.Service.Count() > 0 }):
		return false
	case !moving: // so the figures would include waits for memory
		pr.items = (pr.items + 1) / 2
		return true
	}
	for i, p := range pr.probes {
		p.note(report.Stages[i], pr.all)
	}
	return true
}

// let lets a stage work, or pauses it if items is 0. A source provides that many items.
func (p *probe) let(items int) {
	if len(p.inputs) == 0 {
		for _, o := range p.outputs {
			o.Confine(items)
		}
	}
	for _, q := range p.inputs {
		q.Pause(items == 0 && !p.joins)
	}
}

// rested waits until a stage has nothing to do. It returns false if the stage stalls: most likely its functions wait
// for memory that others hold.
func (pr *profiler) rested(ctx context.Context, p *probe) bool {
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	moved, _ := pr.moved(nil)
	since, looks := time.Now(), 0 // looks, since workers on a busy machine may wait for a core for any time
	for ; ; looks++ {
		still := time.Since(since)
		if !p.working() && (p.starved() || looks > quiet) {
			return true
		}
		if now, _ := pr.moved(nil); now != moved {
			moved, since, looks = now, time.Now(), 0
		} else if still > standstill && still > 10*p.tally().Service.Quantile(1) {
			return false
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return true
		}
	}
}

// working reports whether a worker is at work.
func (s *stage) working() bool {
	for w := range s.meters {
		if phase, _ := s.meters[w].State(); phase == meter.Working {
			return true
		}
	}
	return false
}

// starved reports whether there is nothing to take, or no worker to take it.
func (s *stage) starved() bool {
	s.workerPool.mu.Lock()
	gone := s.alive == 0
	s.workerPool.mu.Unlock()
	return gone || len(s.inputs) > 0 && !slices.ContainsFunc(s.inputs, gauge.Stocked)
}

// last returns the time of the run at which the last worker paused.
func (s *stage) last() (at time.Duration) {
	for w := range s.meters {
		_, since := s.meters[w].State()
		at = max(at, since)
	}
	return at
}

// note adds the results of a round.
func (p *probe) note(r stats.StageReport, all bool) {
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
	v := stats.Speed{Workers: r.Workers, Service: r.Service}
	speeds := &p.made.Speeds
	if p.single && len(*speeds) > 0 { // one more round with the same number
		if v.Workers == 1 {
			v.Service.Merge((*speeds)[0].Service)
		}
		*speeds = nil
	}
	took := v.Service.Sum()
	if v.Workers > 1 { // the sum omits the time for which they waited for a core before they began
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

// profile returns the results.
func (pr *profiler) profile() stats.Profile {
	r := stats.Profile{Cores: pr.cores}
	for _, p := range pr.probes {
		flows := 1 // that have each result
		if p.kind == stats.Tee {
			flows = len(p.outputs)
		}
		p.made.Settings.Results = float64(p.given) / float64(max(p.items, 1)) / float64(max(flows, 1))
		var graph stats.Setup
		pr.setUp(p.stage, &graph)
		graph.Next = slices.DeleteFunc(graph.Next, func(next int) bool { return next == len(pr.probes) }) // there is no loop
		set := &p.made.Settings
		set.Next, set.From, set.Kind = graph.Next, graph.From, graph.Kind
		set.Router, set.Weights = graph.Router, graph.Weights
		for _, o := range p.outputs {
			_, _, c := o.Gauge()
			set.Shares = append(set.Shares, float64(c.Given))
		}
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
			err = last.Why()
		}
		last.stop()
	}
	pr.finish()
	if err == nil {
		err = pr.outcome()
	}
	return pr.together(err)
}
