package costs

import (
	"fmt"
	"math"
	"path"
	"time"

	"github.com/spoolmedia/spool/pipe/stats"
)

// Settings are those that a prediction changes. The zero value changes nothing.
type Settings struct {
	Workers  int            // of the stages called decode, on all paths
	Prefetch int            // batches that wait for the consumer
	Cores    int            // of the machine
	Files    int            // opened, and as many read, at a time
	Latency  time.Duration  // that each read of a file, or each request to a store, takes in addition
	Stages   map[string]int // workers of other stages, by name
}

// Range is a predicted value, and the range in which that of a real run is expected, see Costs.Predict.
type Range struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Prediction is a predicted run.
type Prediction struct {
	Rate     Range   `json:"rate"`     // samples a second
	First    Range   `json:"ttfb_s"`   // from the start of the pipeline to the first batch
	MemoryMB Range   `json:"rss_mb"`   // peak of the process, in MiB; 0 if the run's is unknown
	BatchMB  float64 `json:"batch_mb"` // of all batches at a time, at most, in millions of bytes
	Limits   string  `json:"verdict"`

	MeasuredRate float64 `json:"measured_rate"` // of the run itself
	Deviation    float64 `json:"deviation"`     // of a simulation of the run itself from that: 0.01 is 1 % more
}

const (
	repeats  = 20     // predictions from parts of the run
	least    = 0.05   // of a range: two runs with the same settings differ by as much
	partly   = 20_000 // samples of each of these, at most
	twoSigma = 2
)

// Predict simulates a run with other settings, of as many samples. The bool is false if a stage had no items.
//
// The ranges have two parts, which add up as independent errors do. One is twice the standard deviation of predictions
// from random parts of the run: it shows what depends on the samples and the moments that the run met. The other is the
// difference between the measured run and a simulation with its own settings, by which predictions are corrected. A
// range is at least 5 % to each side.
func (c *Costs) Predict(s Settings) (Prediction, bool) {
	own := c.Model()
	if len(own.Stages) == 0 {
		return Prediction{}, false
	}
	other, slots := c.changed(own, s)
	same, r := own.Simulate(c.items()), other.Simulate(c.items())
	startup := 0.0
	if c.First > 0 {
		startup = c.First - same.First.Seconds()
	}
	p := Prediction{Rate: Range{Value: c.rate(r)}, First: Range{Value: max(r.First.Seconds()+startup, 0)},
		Limits: r.Verdict(), MeasuredRate: float64(c.Samples) / c.Seconds}
	p.Deviation = c.rate(same)/p.MeasuredRate - 1
	p.Rate.Value /= 1 + p.Deviation

	var rates, firsts spread
	share := min(1, partly/float64(c.items()))
	for i := range uint64(repeats) {
		r := other.Resampled(i, share).Simulate(int(share * float64(c.items())))
		rates.add(c.rate(r))
		firsts.add(r.First.Seconds())
	}
	p.Rate.widen(math.Hypot(twoSigma*rates.deviation(), p.Deviation))
	p.First.widen(math.Hypot(twoSigma*firsts.deviation(), startup/max(c.First, 1e-9)))
	p.BatchMB = float64(slots.batches(c.Batch)*c.BatchBytes) / 1e6
	c.memory(&p, own, slots)
	return p, true
}

// items returns how many items the sources had.
func (c *Costs) items() int {
	sum := int64(0)
	taken := make([]bool, len(c.Stages))
	for i, s := range c.Stages {
		if !taken[i] {
			sum += s.Service.Count()
		}
		for _, n := range s.Next {
			taken[n] = true
		}
	}
	return int(max(min(sum, mostItems), 1))
}

// rate returns the samples a second of a simulated run.
func (c *Costs) rate(r stats.Report) float64 {
	end := r.Consumer
	if !c.Loop {
		end = r.Stages[len(r.Stages)-1]
	}
	return float64(end.Items) * float64(c.Samples) / float64(c.Batches) / max(r.Elapsed.Seconds(), 1e-9)
}

// slots are the places for samples and batches.
type slots struct{ placed, waiting int }

// batches returns how many batches have memory at a time, at most: those in which samples have a place, those that
// wait, and one that the consumer has.
func (s slots) batches(size int) int64 { return int64(2 + s.waiting + (s.placed+size-1)/size) }

// changed returns a model with other settings.
func (c *Costs) changed(m stats.Model, s Settings) (stats.Model, slots) {
	m.Stages = append([]stats.ModelStage(nil), m.Stages...)
	if s.Cores > 0 {
		m.Cores = float64(s.Cores)
	}
	room := slots{placed: 2}
	for i := range m.Stages {
		x := &m.Stages[i]
		workers := s.Stages[x.Name]
		switch path.Base(x.Name) {
		case "locate", "fetch":
			workers = max(workers, s.Files)
			if x.Name == "fetch" || opens(m) {
				x.Wait = s.Latency
			}
		case "decode":
			workers = max(workers, s.Workers)
		case "batch":
			if s.Prefetch > 0 {
				x.Queue = s.Prefetch
			}
			room.waiting = x.Queue
		}
		if workers > 0 && !x.Single {
			x.Queue = x.Queue * workers / max(x.Workers, 1)
			x.Workers = workers
		}
		switch x.Name {
		case "slot":
			room.placed += x.Queue
		case "decode":
			room.placed += x.Workers + x.Queue
		}
	}
	return m, room
}

// opens reports whether a file is opened by a request to a store, as it is read by one: that takes as long.
func opens(m stats.Model) bool {
	const alike = 0.5
	locate, fetch := m.Stage("locate"), m.Stage("fetch")
	return locate != nil && fetch != nil && float64(locate.Service.Mean()) > alike*float64(fetch.Service.Mean()) &&
		locate.Service.Mean() > time.Millisecond
}

// memory predicts the peak of the process: that of the run, with more batches or fewer. Other memory hardly depends on
// the settings, since a decoder needs little in comparison.
func (c *Costs) memory(p *Prediction, own stats.Model, after slots) {
	if c.Peak == 0 {
		return
	}
	_, before := c.changed(own, Settings{})
	more := (after.batches(c.Batch) - before.batches(c.Batch)) * c.BatchBytes
	p.MemoryMB = Range{Value: float64(max(c.Peak+more, 0)) / (1 << 20)}
	p.MemoryMB.widen(math.Abs(float64(more)) / float64(max(c.Peak, 1)))
}

// widen sets the range, by a share of the value.
func (r *Range) widen(by float64) {
	by = max(by, least)
	r.Low, r.High = max(r.Value*(1-by), 0), r.Value*(1+by)
}

// spread is the spread of values.
type spread struct{ n, sum, squares float64 }

func (s *spread) add(x float64) { s.n, s.sum, s.squares = s.n+1, s.sum+x, s.squares+x*x }

// deviation returns the standard deviation, relative to the mean.
func (s *spread) deviation() float64 {
	mean := s.sum / s.n
	if mean <= 0 {
		return 0
	}
	return math.Sqrt(max(s.squares/s.n-mean*mean, 0)*s.n/(s.n-1)) / mean
}

// String returns the prediction in some lines.
func (p Prediction) String() string {
	memory := ""
	if p.MemoryMB.Value > 0 {
		memory = fmt.Sprintf("%.0f MiB of memory (%.0f to %.0f), ", p.MemoryMB.Value, p.MemoryMB.Low, p.MemoryMB.High)
	}
	return fmt.Sprintf("%.1f samples/s (%.1f to %.1f), first batch after %.3f s (%.3f to %.3f), %sat most %.1f MB of "+
		"batches\n%s\nThe run itself had %.1f samples/s; the simulation of its settings differs by %+.1f %%.\n", p.Rate.Value,
		p.Rate.Low, p.Rate.High, p.First.Value, p.First.Low, p.First.High, memory, p.BatchMB, p.Limits, p.MeasuredRate,
		100*p.Deviation)
}
