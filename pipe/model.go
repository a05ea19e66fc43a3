package pipe

import (
	"math"
	"slices"
)

// Model is a pipeline as figures: what its stages take for an item, how they are staffed, and how many
// cores they share. Change its stages, and Simulate says what would come of it.
//
// It comes from a report, or from a profile. A report has to be told which stages wait; how far a stage
// gets faster with more workers, as a profile has it, says which share of its time needs a core.
type Model struct {
	// Cores is how many workers the machine carries at full speed. More of them share it evenly.
	Cores float64 `json:"cores"`
	// Stages are a chain, from the source to what takes the results last.
	Stages []ModelStage `json:"stages"`
}

// ModelStage is one stage of a Model.
type ModelStage struct {
	Name    string  `json:"name"`
	Workers int     `json:"workers"`
	Order   Order   `json:"order"`
	Queue   int     `json:"queue"`   // as Stage.Queue; what is negative counts as 0
	Results float64 `json:"results"` // of an item: 1/32 where 32 make a batch, below 1 where items are dropped
	// CPU is the share of the service time that needs a core; in the rest a worker waits, for a disk or
	// another machine, and disturbs nobody.
	CPU float64 `json:"cpu"`
	// Service are the service times of a worker that has a core to itself.
	Service *Histogram `json:"-"`

	stretched float64 // what Service is divided by: it was measured where cores were short; 0 means 1
	loop      bool    // the consumer
	single    bool
}

// Model is the pipeline as it ran, where the stages that are named wait, for a disk or another machine, and all
// others work. It is empty for a pipeline that is no chain, or in which nothing went through a stage.
//
// Service times that were measured while workers shared cores are longer than those of a worker alone. By
// how much is found by simulating: the model gives the report's own service times in its own setting.
func (r Report) Model(waiting ...string) Model {
	m := Model{Cores: float64(r.cores)}
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
		m.Stages = append(m.Stages, ModelStage{Name: s.Name, Workers: s.Workers, Order: s.order, Queue: s.room,
			Results: results, CPU: cpu, Service: s.Service, stretched: 1, loop: i == len(r.Stages), single: s.single})
	}
	m.calibrate(all)
	return m
}

// chained says that a stage hands its results to the next one only.
func (r *Report) chained(i, n int) bool {
	if i >= len(r.Stages) || r.Stages[i].next == nil {
		return true
	}
	next := r.Stages[i].next
	return len(next) == 1 && next[0] == i+1 || len(next) == 0 && i+1 == n
}

// calibrate finds what cores that were short have added to service times.
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

// Stage is the stage of a name, to be changed; nil if there is none.
func (m *Model) Stage(name string) *ModelStage {
	i := slices.IndexFunc(m.Stages, func(s ModelStage) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Stages[i]
}

// Simulate says how the pipeline would do with so many items of its source: Report.Elapsed, and what each
// stage would do meanwhile. Service times are drawn from those of the model, each by itself, always the same
// for the same model. Stages hand on, wait for each other and keep the order as they do when they run. An item
// takes some 0.3 us a stage.
func (m Model) Simulate(items int) Report {
	if len(m.Stages) == 0 || items <= 0 {
		return Report{}
	}
	return newSimulation(m, items).run()
}

// cpuShare finds the share of a stage's service time that needs a core: that with which so many workers,
// alone on the machine, are so many times as fast as one.
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
