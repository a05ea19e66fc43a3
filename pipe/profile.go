package pipe

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Profile is what the stages of a pipeline can do, each for itself: see [Pipeline.Profile].
type Profile struct {
	Cores  int            `json:"cores"` // that Go uses
	Stages []StageProfile `json:"stages"`
}

// StageProfile is one stage of a Profile, with a Speed for each number of workers that was tried. It has
// none if no item came to the stage.
type StageProfile struct {
	Name   string  `json:"name"`
	Speeds []Speed `json:"speeds"`

	run     ModelStage // as the stage is set
	chained bool       // it hands on to the stage behind it only
}

// Speed is how fast a stage is with a number of workers, and nothing before or behind it.
type Speed struct {
	Workers int        `json:"workers"`
	Items   int64      `json:"items"`   // that were measured
	Rate    float64    `json:"rate"`    // items a second that do not fail
	Speedup float64    `json:"speedup"` // that rate over the one of the first number of workers
	MeanMS  float64    `json:"mean_ms"` // service time
	P50MS   float64    `json:"p50_ms"`
	P99MS   float64    `json:"p99_ms"`
	Service *Histogram `json:"-"`
}

// String is a table, with a line for each stage and number of workers.
func (p Profile) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "stage\tworkers\titems\titems/s\tspeedup\tmean ms\tp50\tp99\t")
	for _, s := range p.Stages {
		for _, v := range s.Speeds {
			fmt.Fprintf(w, "%s\t%d\t%d\t%.5g\t%.2f\t%.4g\t%.4g\t%.4g\t\n", s.Name, v.Workers, v.Items, v.Rate, v.Speedup, v.MeanMS, v.P50MS, v.P99MS)
		}
	}
	_ = w.Flush() // a Builder takes everything
	return b.String()
}

// Model is the pipeline as it was measured, with the workers and queues that it was put together with. It is
// empty for a pipeline that is no chain, and where a stage has got no item.
//
// A stage that needs cores stops getting faster when there are no more of them; what is less than that share
// of the service time goes by in waiting.
func (p Profile) Model() Model {
	m := Model{Cores: float64(p.Cores)}
	costliest := 0.0
	for _, s := range p.Stages {
		if !s.chained || len(s.Speeds) == 0 {
			return Model{}
		}
		first, last := s.Speeds[0], s.Speeds[len(s.Speeds)-1]
		stage := s.run
		stage.Service, stage.CPU = first.Service, 1
		if last.Workers > p.Cores && first.Workers == 1 {
			stage.CPU = cpuShare(stage.Service, last.Workers, last.Speedup, m.Cores)
		}
		m.Stages = append(m.Stages, stage)
		// Of two cores that share a cache or are hyperthreads, a stage does not get twice as much.
		if cost := first.MeanMS * float64(first.Items); stage.CPU == 1 && last.Workers >= p.Cores && cost > costliest {
			costliest = cost
			m.Cores = min(max(last.Speedup, 1), float64(p.Cores))
		}
	}
	return m
}
