// Package tally counts what a loader delivers, for reports on a run.
package tally

import (
	"fmt"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source"
)

// Tally is the statistics of a run, with the keys of the command's run --json.
type Tally struct {
	Samples int                 `json:"samples"` // delivered, placeholders included
	Failed  int64               `json:"failed"`
	Batches int                 `json:"batches"`
	Epochs  int                 `json:"epochs"`
	Rate    float64             `json:"rate"`   // samples a second, from the start to the last batch
	TTFB    float64             `json:"ttfb_s"` // from the start to the first batch
	Wall    float64             `json:"wall_s"`
	CPU     float64             `json:"cpu_ms"` // for each sample
	RSS     int64               `json:"rss_mb"` // peak
	Workers int                 `json:"workers"`
	JPEG    image.JPEGCounts    `json:"jpeg,omitzero"`
	FLAC    audio.FLACCounts    `json:"flac,omitzero"`
	Device  *device.Counts      `json:"decoded_on,omitempty"` // nil without --decode-on=device
	Remote  *Remote             `json:"remote,omitempty"`     // nil without remote requests
	Cache   *Cache              `json:"disk_cache,omitempty"` // nil without a disk cache
	Waste   *Waste              `json:"waste,omitempty"`      // nil without padding
	LeftOut int                 `json:"left_out,omitempty"`   // rows of tables that a filter leaves out
	Stages  []stats.StageReport `json:"stages"`
	Verdict string              `json:"verdict"`
	Stuck   []Stuck             `json:"stuck,omitempty"` // the samples that have been in one step for too long

	// Repeated and Dropped are samples of an epoch. Repeated ones are delivered twice, so that all ranks have equally
	// many. Dropped ones are delivered by no rank.
	Repeated int `json:"-"`
	Dropped  int `json:"-"`

	Succeeded int `json:"-"` // samples other than placeholders
	Warned    int `json:"-"` // samples with warnings of the decoder

	Began time.Time `json:"-"`

	first, last time.Time
	cpu         time.Duration
}

// Stuck is a sample that has been in one step for longer than the setting watch.
type Stuck struct {
	ID      string        `json:"id"`
	File    jsonname.Name `json:"file"`
	Stage   string        `json:"stage"`
	Seconds float64       `json:"seconds"` // in the step
}

// String is the sample in one line.
func (s Stuck) String() string {
	return fmt.Sprintf("%s: in stage %s for %.0f s (sample %s)", string(s.File), s.Stage, s.Seconds, s.ID)
}

// StuckOf describes a sample in work.
func StuckOf(s stats.Stuck) Stuck {
	return Stuck{ID: s.ID, File: jsonname.Name(spool.Redacted(s.File)), Stage: s.Stage, Seconds: s.For.Seconds()}
}

// Begin starts the clocks.
func Begin() Tally { return Tally{Began: time.Now(), cpu: proc.CPUTime()} }

// LeftOut returns how many rows of tables a source leaves out: see source.Options.Where.
func LeftOut(src source.Source) int {
	if s, ok := src.(interface{ Skipped() source.Skipped }); ok {
		return s.Skipped().Rows
	}
	return 0
}

// Add counts a batch that has just arrived.
func (t *Tally) Add(b *batch.Batch) {
	samples := b.Samples[:b.Len()-b.Padded]
	t.last = time.Now()
	if t.Batches == 0 {
		t.first = t.last
	}
	t.Batches++
	t.Samples += len(samples)
	for _, sample := range samples {
		if sample.State != batch.Placeholder {
			t.Succeeded++
		}
		if sample.Warnings > 0 {
			t.Warned++
		}
	}
	t.Epochs = max(t.Epochs, b.Epoch+1)
}

// Elapsed is the time from the start to the last batch, 0 without any.
func (t *Tally) Elapsed() time.Duration {
	if t.Batches == 0 {
		return 0
	}
	return t.last.Sub(t.Began)
}

// Take copies the loader's counts so far. It may be called again later.
func (t *Tally) Take(l *loader.Loader) {
	t.Wall = time.Since(t.Began).Seconds()
	if t.Batches > 0 {
		t.TTFB = t.first.Sub(t.Began).Seconds()
		t.Rate = float64(t.Samples) / t.Elapsed().Seconds()
		t.CPU = (proc.CPUTime() - t.cpu).Seconds() * 1e3 / float64(t.Samples)
	}
	t.RSS = proc.PeakRSS() >> 20
	t.Waste = wasteOf(l.Waste())
	t.Repeated, t.Dropped = l.Rest()
	r := l.Report()
	for _, stage := range r.Stages {
		if stage.Name == "decode" {
			t.Workers = stage.Workers
		}
	}
	t.Stuck = nil
	for _, s := range r.Stuck {
		t.Stuck = append(t.Stuck, StuckOf(s))
	}
	t.Stages, t.Verdict, t.Failed, t.JPEG, t.FLAC = r.Stages, r.Verdict(), r.Failures, l.JPEG(), l.FLAC()
	if c := l.OnDevice(); c.Device > 0 || len(c.Host) > 0 {
		t.Device = &c
	}
}
