package costs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spoolmedia/spool/pipe/stats"
)

// ErrFile is wrapped by the error of Read for a file without costs, or of another version.
var ErrFile = errors.New("no file of costs")

// version is that of the files.
const version = 2

// Costs are the settings and the service times of a run. A file of costs has them as JSON.
type Costs struct {
	Version    int     `json:"version"`
	Samples    int     `json:"samples"`
	Batches    int     `json:"batches"`
	Batch      int     `json:"batch"`       // samples in the largest batch
	BatchBytes int64   `json:"batch_bytes"` // of the largest batch
	Cores      int     `json:"cores"`
	Seconds    float64 `json:"seconds"` // from the start of the pipeline to the last batch
	First      float64 `json:"first_s"` // from the start of the pipeline to the first batch; 0 if it is unknown
	CPU        float64 `json:"cpu_s"`   // CPU time of the process in the run; 0 if it is unknown
	Before     int64   `json:"before"`  // bytes of the process in memory, when the run began; 0 if it is unknown
	Peak       int64   `json:"peak"`    // bytes of the process in memory, at most
	Stages     []Stage `json:"stages"`
	Loop       bool    `json:"loop"` // the last stage is the loop that consumes the results
	// Requests is the limit of requests in flight to stores; without Opens.
	Requests stats.Requests `json:"requests,omitzero"`
}

// Stage is a stage as it ran: see stats.Setup.
type Stage struct {
	Name        string           `json:"name"`
	Workers     int              `json:"workers"`
	Out         int64            `json:"out"`
	Outs        []int64          `json:"outs,omitempty"`
	Queue       int              `json:"queue"`
	Single      bool             `json:"single,omitempty"`
	AsCompleted bool             `json:"as_completed,omitempty"`
	Budget      bool             `json:"budget,omitempty"`
	Next        []int            `json:"next"`
	From        []int            `json:"from,omitempty"`
	Kind        stats.Kind       `json:"kind,omitempty"`
	Router      int              `json:"router,omitempty"`
	Weights     []float64        `json:"weights,omitempty"`
	Service     *stats.Histogram `json:"service"`
	CPU         float64          `json:"cpu,omitempty"`   // share of the service times; 0 if it is unknown
	Times       []byte           `json:"times,omitempty"` // of the items in order, each as a byte: 64 ns * 2^(byte/8)
	Paths       []byte           `json:"paths,omitempty"` // of a Route: those of the items in order
}

// Write writes a file.
func (c *Costs) Write(name string) error {
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// Read reads a file. The error wraps ErrFile if that is no file of costs.
func Read(name string) (*Costs, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c := new(Costs)
	if err = json.Unmarshal(text, c); err == nil {
		err = c.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w of version %d: %w", ErrFile, version, err)
	}
	return c, nil
}

// check returns an error for costs that no run has.
func (c *Costs) check() error {
	const most = 1 << 16 // stages, workers and places
	switch {
	case c.Version != version:
		return fmt.Errorf("its version is %d", c.Version)
	case len(c.Stages) < 2 || len(c.Stages) > most:
		return fmt.Errorf("it has %d stages", len(c.Stages))
	case c.Requests.First < 0 || c.Requests.Max < c.Requests.First:
		return errors.New("its limits of requests are wrong")
	case c.Samples < 1 || c.Batches < 1 || c.Batch < 1 || c.Cores < 1 || !(c.Seconds > 0):
		return errors.New("it has no samples")
	}
	for i, s := range c.Stages {
		wrong := func(n int) bool { return n < 0 || n >= len(c.Stages) }
		after := func(n int) bool { return wrong(n) || n <= i }
		before := func(n int) bool { return wrong(n) || n >= i }
		if s.Service == nil || s.Workers < 1 || s.Workers > most || s.Queue < 0 || s.Queue > most ||
			wrong(s.Router) || slices.ContainsFunc(s.Next, after) || slices.ContainsFunc(s.From, before) ||
			s.Kind > stats.MergeAny || slices.ContainsFunc(s.Weights, func(w float64) bool { return !(w >= 0) }) {
			return fmt.Errorf("stage %q is wrong", s.Name)
		}
	}
	return nil
}

// waiting are the stages of a loader that wait, for a disk or a store. All others compute.
var waiting = []string{"locate", "fetch"}

// Model returns the run as a model, with the times and paths of its items. The stages called locate and fetch wait, and
// all others compute.
func (c *Costs) Model() stats.Model {
	r := stats.Report{Cores: c.Cores, Elapsed: time.Duration(c.Seconds * 1e9), CPU: time.Duration(c.CPU * 1e9)}
	for i, s := range c.Stages {
		report := stats.StageReport{Name: s.Name, Workers: s.Workers, Out: s.Out, Outs: s.Outs, Service: s.Service,
			CPUShare: s.CPU, Setup: stats.Setup{Single: s.Single, AsCompleted: s.AsCompleted, Budget: s.Budget,
				Queue: s.Queue, Next: s.Next, From: s.From, Kind: s.Kind, Router: s.Router, Weights: s.Weights}}
		for _, code := range s.Times {
			report.Times = append(report.Times, timeOf(code))
		}
		for _, path := range s.Paths {
			report.Paths = append(report.Paths, int(path))
		}
		if c.Loop && i+1 == len(c.Stages) {
			r.Consumer = report
			break
		}
		r.Stages = append(r.Stages, report)
	}
	m := r.Model(waiting...)
	if c.Requests.First > 0 && len(m.Stages) > 0 {
		c.limit(&m)
	}
	return m
}

// fewestOpens is the number of files that a loader opens at a time at first, unless a batch has more.
const fewestOpens = 32

// limit limits the requests to a store.
func (c *Costs) limit(m *stats.Model) {
	m.Requests = c.Requests
	m.Requests.Opens = max(fewestOpens, c.Batch)
	if s := m.Stage("fetch"); s != nil {
		s.Request = stats.ReadRequest
	}
	if s := m.Stage("locate"); s != nil && opens(*m) {
		s.Request = stats.OpenRequest
	}
}
