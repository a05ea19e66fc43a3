package stats

import (
	"math"
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
	// Stages are a chain, from the source to the consumer of the results.
	Stages []ModelStage `json:"stages"`
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
	// Service has the service times of a worker that has a core to itself.
	Service *Histogram `json:"-"`

	stretched float64 // divisor of Service, which was measured with too few cores; 0 means 1
	loop      bool    // the consumer
}

// Model returns the pipeline as it ran. The named stages wait, for a disk or another machine; all others compute. It is
// empty for a pipeline that is not a chain, or with a stage that had no items.
//
// Service times measured while workers share cores are longer than those of a worker alone. Simulation finds the
// factor: with the report's settings, the model reproduces the report's service times.
func (r Report) Model(waiting ...string) Model {
	m := Model{Cores: float64(r.Cores)}
	all, _ := r.ends()
	for i, s := range all {
		if s.Service == nil || s.Service.Count() == 0 || !r.chained(i, len(all)) {
			return Model{}
		}
		results, cpu := 1.0, 1.0
		if slices.Contains(waiting, s.Name) {
			cpu = 0
		}
		if i+1 < len(all) {
			results = float64(s.Out) / float64(s.Service.Count())
		}
		m.Stages = append(m.Stages, ModelStage{Name: s.Name, Workers: s.Workers, AsCompleted: s.Setup.AsCompleted,
			Queue: s.Setup.Queue, Single: s.Setup.Single, Results: results, CPU: cpu, Service: s.Service, stretched: 1,
			loop: i == len(r.Stages)})
	}
	m.calibrate(all)
	return m
}

// chained reports whether a stage passes its results only to the next one.
func (r *Report) chained(i, n int) bool {
	if i >= len(r.Stages) || r.Stages[i].Setup.Next == nil {
		return true
	}
	next := r.Stages[i].Setup.Next
	return len(next) == 1 && next[0] == i+1 || len(next) == 0 && i+1 == n
}

// calibrate finds the factor by which the lack of cores lengthened service times.
func (m *Model) calibrate(measured []StageReport) {
	const rounds, enough = 5, 5000
	for range rounds {
		r := m.Simulate(enough)
		simulated, _ := r.ends()
		for i := range m.Stages {
			if mean := simulated[i].Service.Mean(); mean > 0 {
				m.Stages[i].stretched *= float64(mean) / float64(measured[i].Service.Mean())
			}
		}
	}
}

// Stage returns the stage with a name, which can be changed; nil if there is none.
func (m *Model) Stage(name string) *ModelStage {
	i := slices.IndexFunc(m.Stages, func(s ModelStage) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Stages[i]
}

// Simulate predicts a run with that many items of the source: Report.Elapsed, Report.First, and the figures of each
// stage. Service times are drawn independently from those of the model, and are the same for the same model. Simulated
// stages pass items on, wait for each other and keep the order as real ones do. An item takes some 0.3 us per stage.
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
