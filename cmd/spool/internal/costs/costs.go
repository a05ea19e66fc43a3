// Package costs has the costs of a run's samples at each stage, and predicts runs with other settings from them.
package costs

import (
	"encoding/json"
	"os"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/pipe/stats"
)

// Costs are the settings and the service times of a run. A file of costs has them as JSON.
type Costs struct {
	Version    int     `json:"version"` // 1
	Samples    int     `json:"samples"`
	Batch      int     `json:"batch"`       // samples in the largest batch
	BatchBytes int64   `json:"batch_bytes"` // of the largest batch
	Cores      int     `json:"cores"`
	Seconds    float64 `json:"seconds"` // from the start of the pipeline to its end
	Stages     []stage `json:"stages"`  // with the consumer last
}

// stage is a stage as it ran.
type stage struct {
	Name        string           `json:"name"`
	Workers     int              `json:"workers"`
	Out         int64            `json:"out"`
	Queue       int              `json:"queue"`
	Single      bool             `json:"single,omitempty"`
	AsCompleted bool             `json:"as_completed,omitempty"`
	Service     *stats.Histogram `json:"service"`
}

// Add counts a batch of samples with bytes of memory.
func (c *Costs) Add(samples, bytes int) {
	c.Samples += samples
	c.Batch = max(c.Batch, samples)
	c.BatchBytes = max(c.BatchBytes, int64(bytes))
}

// Take copies the stages of a run that has ended.
func (c *Costs) Take(r stats.Report) {
	c.Version, c.Cores, c.Seconds, c.Stages = 1, r.Cores, r.Elapsed.Seconds(), nil
	for _, s := range append(append([]stats.StageReport(nil), r.Stages...), r.Consumer) {
		c.Stages = append(c.Stages, stage{Name: s.Name, Workers: s.Workers, Out: s.Out, Queue: s.Setup.Queue,
			Single: s.Setup.Single, AsCompleted: s.Setup.AsCompleted, Service: s.Service})
	}
}

// Read reads a file.
func Read(name string) (*Costs, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	c := new(Costs)
	if err := json.Unmarshal(text, c); err != nil || c.Version != 1 || len(c.Stages) < 2 || c.Batch < 1 || c.Samples < 1 {
		return nil, &spool.Error{Op: "open", File: name, Class: spool.ErrCorrupt, Text: "no file of costs of version 1",
			Err: err}
	}
	return c, nil
}

// model returns the run as a model. Stages that open and read files wait, and all others compute.
func (c *Costs) model() stats.Model {
	r := stats.Report{Cores: c.Cores, Elapsed: time.Duration(c.Seconds * 1e9)}
	last := len(c.Stages) - 1
	for i, s := range c.Stages {
		report := stats.StageReport{Name: s.Name, Workers: s.Workers, Out: s.Out, Service: s.Service,
			Setup: stats.Setup{Single: s.Single, AsCompleted: s.AsCompleted, Queue: s.Queue, Next: []int{i + 1}}}
		if i == last {
			r.Consumer = report
			break
		}
		r.Stages = append(r.Stages, report)
	}
	return r.Model("locate", "fetch")
}

// Settings are those that a prediction changes. The zero value changes nothing.
type Settings struct {
	Workers  int           // of the stage decode
	Prefetch int           // batches that wait for the consumer
	Cores    int           // of the machine
	Files    int           // opened, and as many read, at a time
	Latency  time.Duration // that each read of a file takes in addition
}

// Prediction is a predicted run.
type Prediction struct {
	Rate     float64 `json:"rate"`     // samples a second
	First    float64 `json:"ttfb_s"`   // from the start to the first batch
	MemoryMB float64 `json:"batch_mb"` // of all batches at a time, at most
	Limits   string  `json:"verdict"`
}

// Predict simulates a run of some samples. The bool is false if the stages are no chain with items.
func (c *Costs) Predict(s Settings, samples int) (Prediction, bool) {
	m := c.model()
	if len(m.Stages) == 0 {
		return Prediction{}, false
	}
	if s.Cores > 0 {
		m.Cores = float64(s.Cores)
	}
	placed, waiting := 2, 0 // samples with a slot; batches
	for i := range m.Stages {
		x := &m.Stages[i]
		switch x.Name {
		case "locate", "fetch":
			if s.Files > 0 {
				x.Workers = s.Files
			}
			if x.Name == "fetch" {
				x.Wait = s.Latency
			}
		case "slot":
			placed += x.Queue
		case "decode":
			if s.Workers > 0 {
				x.Queue = x.Queue * s.Workers / max(x.Workers, 1)
				x.Workers = s.Workers
			}
			placed += x.Workers + x.Queue
		case "batch":
			if s.Prefetch > 0 {
				x.Queue = s.Prefetch
			}
			waiting = x.Queue
		}
	}
	r := m.Simulate(samples)
	batches := 2 + waiting + (placed+c.Batch-1)/c.Batch
	return Prediction{Rate: float64(samples) / r.Elapsed.Seconds(), First: r.First.Seconds(),
		MemoryMB: float64(int64(batches)*c.BatchBytes) / 1e6, Limits: r.Verdict()}, true
}
