package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// Model describes a pipeline in numbers: its stages' service times and workers, and the cores that they share. Change
// the stages, and Simulate predicts the effect.
//
// A model is made from a report or from a profile. For a report, the caller names the stages that wait. A profile shows
// the share of a stage's time that needs a core by its speedup with more workers.
type Model struct {
	// Cores is how many workers the machine runs at full speed. More workers share the cores evenly.
	Cores float64 `json:"cores"`
	// Stages are in order: each comes after those from which it takes items, and the consumer of the results is last.
	Stages []ModelStage `json:"stages"`
	// Requests limits the requests of all stages to a store.
	Requests Requests `json:"requests,omitzero"`
}

// ModelStage is one stage of a Model.
type ModelStage struct {
	Name    string `json:"name"`
	Workers int    `json:"workers"`
	// AsCompleted passes results on in the order in which they are done, not in that of the input.
	AsCompleted bool `json:"as_completed"`
	// Queue is the number of results that may wait, in addition to one per worker. Negative numbers mean 0.
	Queue int `json:"queue"`
	// Results is the number of results for each item: 1/32 for batches of 32, below 1 if items are dropped.
	Results float64 `json:"results"`
	Single  bool    `json:"single"` // it cannot have more workers
	// CPU is the share of the service time that needs a core. For the rest the worker waits, for a disk or another
	// machine, without slowing down others.
	CPU float64 `json:"cpu"`
	// Wait is time that each item waits in addition to its service time, like the latency of a store.
	Wait time.Duration `json:"wait"`
	// Request is the kind of request that each item makes: see Model.Requests.
	Request RequestKind `json:"request,omitempty"`
	// Service has the service times of a worker that has a core to itself.
	Service *Histogram `json:"-"`

	// Next, From, Kind, Router and Weights are as in Setup. The zero values describe a chain.
	Next    []int     `json:"next,omitempty"`
	From    []int     `json:"from,omitempty"`
	Kind    Kind      `json:"kind,omitempty"`
	Router  int       `json:"router,omitempty"`
	Weights []float64 `json:"weights,omitempty"`
	// Shares are the results for each stage of Next, for a Route without Paths. For a source, the first is the number of
	// its items relative to those of other sources. nil means equal shares.
	Shares []float64 `json:"shares,omitempty"`
	// Times are the service times of items, and Paths their paths on a Route, in the order of the input. They begin anew
	// at their end. Without them, service times and paths are drawn.
	Times []time.Duration `json:"-"`
	Paths []int           `json:"-"`

	stretched float64 // divisor of Service, which was measured with too few cores; 0 means 1
	core      float64 // mean CPU time of an item, in ns; 0: unknown
	loop      bool    // the consumer
	factor    float64 // from Times to service times; 0: that of the means
}

// Model returns the pipeline as it ran. The named stages wait, for a disk or another machine; all others compute. If
// the process has used another CPU time than that of the stages that compute, all stages compute and wait in
// proportion. It is empty for a pipeline with a stage that had no items, unless it has a Route.
//
// Service times measured while workers share cores are longer than those of a worker alone. Simulation finds the
// factor: with the report's settings, the model reproduces the report's service times. For a stage whose CPU time is
// known, it finds how long items wait in addition to that, and to sharing the cores.
func (r Report) Model(waiting ...string) Model {
	m := Model{Cores: float64(r.Cores)}
	all, _ := r.ends()
	routed := slices.ContainsFunc(all, func(s StageReport) bool { return s.Setup.Kind == Route })
	for i, s := range all {
		if s.Service == nil || s.Service.Count() == 0 && !routed {
			return Model{}
		}
		x := ModelStage{Name: s.Name, Workers: s.Workers, AsCompleted: s.Setup.AsCompleted, Queue: s.Setup.Queue,
			Single: s.Setup.Single, Results: 1, CPU: 1, Service: s.Service, Next: s.Setup.Next, From: s.Setup.From,
			Kind: s.Setup.Kind, Router: s.Setup.Router, Weights: s.Setup.Weights, Paths: s.Paths, stretched: 1,
			loop: i == len(r.Stages)}
		switch {
		case slices.Contains(waiting, s.Name):
			x.CPU = 0
		case s.CPUShare > 0:
			x.stretched, x.core = 1/s.CPUShare, s.CPUShare*float64(s.Service.Mean())
		}
		if !s.Setup.Budget { // the times include waits for bytes
			x.Times = s.Times
		}
		if out := s.given(); out >= 0 && s.Service.Count() > 0 {
			x.Results = float64(out) / float64(s.Service.Count())
		}
		for _, n := range s.Outs {
			x.Shares = append(x.Shares, float64(n))
		}
		if x.loop {
			x.Next, x.Results = []int{}, 1
		}
		m.Stages = append(m.Stages, x)
	}
	m.calibrate(all)
	if r.CPU > 0 && m.balance(r.CPU.Seconds()) {
		m.calibrate(all)
	}
	return m
}

// given returns the results of all items for one next stage, or all for a Route. It is negative for a sink.
func (s *StageReport) given() int64 {
	switch {
	case s.Setup.Next != nil && len(s.Setup.Next) == 0:
		return -1
	case s.Setup.Kind == Tee && len(s.Outs) > 0:
		return slices.Max(s.Outs)
	}
	return s.Out
}

// balance makes the stages use the CPU time of the run, in seconds. If the stages that compute took longer, they waited
// for a part of that time: for a disk, or for cores that other processes used. If they took less, the rest was used by
// those that wait, mostly to copy bytes. It returns false if nothing changes.
func (m *Model) balance(used float64) bool {
	computed, waited := 0.0, 0.0
	for _, s := range m.Stages {
		seconds := s.Service.Sum().Seconds() / s.stretched
		computed += s.CPU * seconds
		waited += (1 - s.CPU) * seconds
	}
	if computed == 0 {
		return false
	}
	for i := range m.Stages {
		if s := &m.Stages[i]; s.core > 0 {
			continue
		} else if used < computed {
			s.CPU *= used / computed
		} else if s.CPU == 0 {
			s.CPU = min((used-computed)/max(waited, 1e-9), 1)
		}
	}
	return true
}

// calibrate finds the factor by which the lack of cores lengthened service times.
func (m *Model) calibrate(measured []StageReport) {
	const rounds, enough = 5, 5000
	items := enough
	for _, s := range m.Stages {
		items = max(items, min(len(s.Times), 4*enough)) // a part of the order is not all of it
	}
	for range rounds {
		r := m.Simulate(items)
		simulated, _ := r.ends()
		for i := range m.Stages {
			mean, was := simulated[i].Service.Mean(), measured[i].Service.Mean()
			if s := &m.Stages[i]; s.core > 0 {
				alone := max(float64(s.Service.Mean())/s.stretched+float64(was-mean), s.core)
				s.stretched, s.CPU = float64(s.Service.Mean())/alone, s.core/alone
			} else if mean > 0 && was > 0 {
				m.Stages[i].stretched *= float64(mean) / float64(was)
			}
		}
	}
}

// Resampled returns the model of a run that might as well have been: with parts of the measured times and paths, drawn
// with repetition, each of a twentieth of the run. So the spread of predictions by such models shows how far the
// prediction depends on the samples and the moments that the run met. share is the length of that run relative to the
// measured one, at most 1. It is the same for the same number.
func (m Model) Resampled(number uint64, share float64) Model {
	const parts = 20
	random := rand.New(rand.NewPCG(number, parts))
	var begins [parts]float64
	for i := range begins {
		begins[i] = random.Float64()
	}
	m.Stages = slices.Clone(m.Stages)
	for i := range m.Stages {
		s := &m.Stages[i]
		s.factor = s.perTime() // the mean of the part may differ
		s.Times, s.Paths = parted(s.Times, begins[:], share), parted(s.Paths, begins[:], share)
	}
	return m
}

// parted joins parts of a list, from given places in it, from 0 to 1, up to a share of its length.
func parted[T any](all []T, begins []float64, share float64) (made []T) {
	length := int(math.Ceil(min(max(share, 0), 1) * float64(len(all))))
	for i, begin := range begins {
		from, n := int(begin*float64(len(all))), length*(i+1)/len(begins)-len(made)
		for k := range n {
			made = append(made, all[(from+k)%len(all)])
		}
	}
	return made
}

// perTime returns the factor from Times to service times, whose mean is that of Service.
func (s *ModelStage) perTime() float64 {
	sum := 0.0
	for _, d := range s.Times {
		sum += float64(d)
	}
	switch {
	case s.factor > 0:
		return s.factor
	case sum == 0 || s.Service == nil || s.Service.Count() == 0:
		return 1
	}
	return float64(s.Service.Mean()) * float64(len(s.Times)) / sum
}

// Stage returns the stage with a name, which can be changed; nil if there is none.
func (m *Model) Stage(name string) *ModelStage {
	i := slices.IndexFunc(m.Stages, func(s ModelStage) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Stages[i]
}

// Simulate predicts a run with that many items of the sources: Report.Elapsed, Report.First, and the figures of each
// stage. Service times are those of the model in their order, or are drawn independently, the same for the same model.
// Simulated stages pass items on, wait for each other and keep the order as real ones do, and so do those that route,
// join and merge. An item takes some 0.3 us per stage.
func (m Model) Simulate(items int) Report {
	if len(m.Stages) == 0 || items <= 0 {
		return Report{}
	}
	return newSimulation(m, items).run()
}

// cpuShare returns the share of a stage's service time that needs a core. With this share, the given number of workers,
// alone on the machine, has the given speedup.
func cpuShare(service *Histogram, workers int, speedup, cores float64) float64 {
	const enough = 4000
	rate := func(cpu float64, workers int) float64 {
		m := Model{Cores: cores, Stages: []ModelStage{{Workers: workers, CPU: cpu, Service: service, Results: 1}}}
		return enough / m.Simulate(enough).Elapsed.Seconds()
	}
	low, high := 0.0, 1.0
	for range 10 {
		cpu := (low + high) / 2
		if rate(cpu, workers)/rate(cpu, 1) > speedup {
			low = cpu
		} else {
			high = cpu
		}
	}
	return math.Round(100*high) / 100
}
