package stats

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Profile is the speed of each of a pipeline's stages alone: see pipe.Pipeline.Profile.
type Profile struct {
	Cores  int            `json:"cores"` // that Go uses
	Stages []StageProfile `json:"stages"`
}

// StageProfile is one stage of a Profile, with a Speed for each number of workers. Speeds is empty if no item reached
// the stage.
type StageProfile struct {
	Name   string  `json:"name"`
	Speeds []Speed `json:"speeds"`

	Settings ModelStage `json:"-"` // of the stage, without service times
}

// Speed is how fast a stage runs alone with a number of workers.
type Speed struct {
	Workers int        `json:"workers"`
	Items   int64      `json:"items"`   // items measured
	Rate    float64    `json:"rate"`    // items a second that do not fail
	Speedup float64    `json:"speedup"` // Rate relative to that of the first number of workers
	MeanMS  float64    `json:"mean_ms"` // service time
	P50MS   float64    `json:"p50_ms"`
	P99MS   float64    `json:"p99_ms"`
	Service *Histogram `json:"-"`
}

// String returns a table with one line per stage and number of workers.
func (p Profile) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "stage\tworkers\titems\titems/s\tspeedup\tmean ms\tp50\tp99\t")
	for _, s := range p.Stages {
		for _, v := range s.Speeds {
			fmt.Fprintf(w, "%s\t%d\t%d\t%.5g\t%.2f\t%.4g\t%.4g\t%.4g\t\n", s.Name, v.Workers, v.Items, v.Rate, v.Speedup,
				v.MeanMS, v.P50MS, v.P99MS)
		}
	}
	_ = w.Flush() // writes to a Builder never fail
	return b.String()
}

// Model returns the pipeline as it was measured, with the workers and queues of its settings. It is empty if a stage
// had no items.
//
// A stage that needs cores gets no faster when all cores are in use. This gives the share of the service time that
// needs a core; the rest is waiting.
func (p Profile) Model() Model {
	m := Model{Cores: float64(p.Cores)}
	costliest := 0.0
	for _, s := range p.Stages {
		if len(s.Speeds) == 0 {
			return Model{}
		}
		first, last := s.Speeds[0], s.Speeds[len(s.Speeds)-1]
		stage := s.Settings
		stage.Service, stage.CPU = first.Service, 1
		if last.Workers > p.Cores && first.Workers == 1 {
			stage.CPU = cpuShare(stage.Service, last.Workers, last.Speedup, m.Cores)
		}
		m.Stages = append(m.Stages, stage)
		// With two cores that share a cache or are hyperthreads, a stage is less than twice as fast.
		if cost := first.MeanMS * float64(first.Items); stage.CPU == 1 && last.Workers >= p.Cores && cost > costliest {
			costliest = cost
			m.Cores = min(max(last.Speedup, 1), float64(p.Cores))
		}
	}
	return m
}
