package costs

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
)

// Recorder records the costs of a pipeline's items. It is an Observer, and safe for concurrent use. An item takes one
// byte for each stage, and one for each path. Waits for a turn are no cost: a simulation has its own.
type Recorder struct {
	// Next, if not nil, observes the work, too.
	Next pipe.Observer
	// Memory, if not nil, returns the bytes that the process has in memory now. It is called for each batch.
	Memory func() int64

	mu     sync.Mutex
	begun  time.Time
	last   time.Time // when the last batch came
	stages map[string]*record
	costs  Costs
}

// record is the times and paths of a stage's items.
type record struct {
	times, paths []byte
	service      stats.Histogram // without waits
	waited       bool
	wall, cpu    time.Duration // of the items whose CPU time is known
}

// mostItems limits the memory for a stage, and the time of a simulation to some seconds.
const mostItems = 1 << 20

// Worked records a span.
func (r *Recorder) Worked(s pipe.Span) {
	r.mu.Lock()
	if r.begun.IsZero() || s.Begin.Before(r.begun) {
		r.start(s.Begin)
	}
	of := r.stages[s.Stage]
	if of == nil {
		of = &record{}
		r.stages[s.Stage] = of
	}
	took := s.End.Sub(s.Begin) - s.Waited
	of.service.Add(took)
	if s.CPU > 0 {
		of.wall += took
		of.cpu += min(s.CPU, took)
	}
	of.waited = of.waited || s.Waited > 0
	if s.Number < mostItems {
		of.times = put(of.times, s.Number, codeOf(took))
		if s.Path > 0 || of.paths != nil {
			of.paths = put(of.paths, s.Number, byte(min(s.Path, math.MaxUint8)))
		}
	}
	r.mu.Unlock()
	if r.Next != nil {
		r.Next.Worked(s)
	}
}

// Details returns that the CPU time of items is wanted, and the details of Next.
func (r *Recorder) Details() pipe.Details { return pipe.WithCPU | pipe.DetailsOf(r.Next) }

// start notes the begin of the run. The caller has the lock.
func (r *Recorder) start(at time.Time) {
	if r.stages == nil {
		r.stages = map[string]*record{}
		r.costs.Before = r.memory()
	}
	r.begun = at
}

func (r *Recorder) memory() int64 {
	if r.Memory == nil {
		return 0
	}
	return r.Memory()
}

// put sets a byte of a list, which grows.
func put(list []byte, at int64, b byte) []byte {
	for int64(len(list)) <= at {
		list = append(list, 0)
	}
	list[at] = b
	return list
}

// Batch counts a batch of samples, with bytes of memory, when the loop receives it.
func (r *Recorder) Batch(samples, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &r.costs
	r.last = time.Now()
	if c.Samples == 0 && !r.begun.IsZero() {
		c.First = r.last.Sub(r.begun).Seconds()
	}
	c.Samples += samples
	c.Batches++
	c.Batch = max(c.Batch, samples)
	c.BatchBytes = max(c.BatchBytes, int64(bytes))
	c.Peak = max(c.Peak, r.memory())
}

// Costs returns the costs of a run that has ended, of which the report is. It ended with its last batch.
func (r *Recorder) Costs(report stats.Report) *Costs {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.costs
	c.Version, c.Cores, c.Seconds, c.CPU = version, report.Cores, report.Elapsed.Seconds(), report.CPU.Seconds()
	for _, s := range report.Stages {
		c.Stages = append(c.Stages, r.stageOf(s, report.Elapsed))
	}
	if looped(report) {
		c.Loop = true
		c.Stages = append(c.Stages, r.stageOf(report.Consumer, report.Elapsed))
	}
	if c.Samples == 0 { // without Batch, the items at the end are samples
		c.Samples, c.Batch = int(c.Stages[len(c.Stages)-1].Service.Count()), 1
		c.Batches = c.Samples
	} else if at := r.last.Sub(r.begun).Seconds(); at > 0 {
		c.Seconds = at
	}
	return &c
}

// looped reports whether a loop consumes the results.
func looped(r stats.Report) bool {
	for _, s := range r.Stages {
		if slices.Contains(s.Setup.Next, len(r.Stages)) {
			return true
		}
	}
	return false
}

// stageOf returns a stage with what was recorded of it. The times of a cheap stage are left out.
func (r *Recorder) stageOf(s stats.StageReport, elapsed time.Duration) Stage {
	x := Stage{Name: s.Name, Workers: s.Workers, Out: s.Out, Outs: s.Outs, Queue: s.Setup.Queue, Single: s.Setup.Single,
		AsCompleted: s.Setup.AsCompleted, Budget: s.Setup.Budget, Next: s.Setup.Next, From: s.Setup.From, Kind: s.Setup.Kind,
		Router: s.Setup.Router, Weights: s.Setup.Weights, Service: s.Service}
	if x.Service == nil {
		x.Service = &stats.Histogram{}
	}
	if s.Setup.Auto && elapsed > 0 { // the number changed during the run
		x.Workers = max(int(math.Round(s.StaffS/elapsed.Seconds())), 1)
	}
	of := r.stages[s.Name]
	if of == nil {
		return x
	}
	if of.waited {
		x.Service = &of.service
	}
	if 2*of.wall > of.service.Sum() {
		x.CPU = of.cpu.Seconds() / of.wall.Seconds()
	}
	const cheap = 20 * time.Microsecond
	if x.Service.Mean() >= cheap {
		x.Times = withoutGaps(of.times, of.times)
	}
	if s.Setup.Kind == stats.Route && of.paths != nil {
		for len(of.paths) < len(of.times) {
			of.paths = append(of.paths, 0)
		}
		x.Paths = withoutGaps(of.paths, of.times)
	}
	return x
}

// withoutGaps returns the bytes at places that have a time. Borders between epochs and items that had failed before
// have none.
func withoutGaps(list, times []byte) (made []byte) {
	for i, b := range list {
		if times[i] != 0 {
			made = append(made, b)
		}
	}
	return made
}

// Times are stored as bytes: 0 is none, and n is finest * 2^(n/perOctave), with an error of at most 4.5 %. The mean of
// a stage's times is exact, by its histogram.
const (
	finest    = 64 // ns; the longest time is 4 minutes
	perOctave = 8
)

func codeOf(d time.Duration) byte {
	code := math.Round(perOctave * math.Log2(float64(max(d, finest))/finest))
	return byte(min(max(code, 1), math.MaxUint8))
}

func timeOf(code byte) time.Duration {
	return time.Duration(math.Round(finest * math.Exp2(float64(code)/perOctave)))
}
