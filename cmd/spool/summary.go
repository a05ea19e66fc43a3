package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
)

// summary is what a run did, with the keys of --json.
type summary struct {
	Samples int                `json:"samples"`
	Failed  int64              `json:"failed"`
	Batches int                `json:"batches"`
	Epochs  int                `json:"epochs"`
	Rate    float64            `json:"rate"`   // samples a second after the first batch
	TTFB    float64            `json:"ttfb_s"` // to the first batch
	Wall    float64            `json:"wall_s"`
	CPU     float64            `json:"cpu_ms"` // a sample
	RSS     int64              `json:"rss_mb"` // peak
	Workers int                `json:"workers"`
	Stages  []pipe.StageReport `json:"stages"`
	Verdict string             `json:"verdict"`

	begin, first, last time.Time
	firstSamples       int
	cpu                time.Duration
}

func newSummary(begin time.Time, o loader.ImageOptions) *summary {
	return &summary{begin: begin, Workers: o.Workers, cpu: cpuTime()}
}

// add counts a batch that has just arrived.
func (s *summary) add(b *batch.Batch) {
	n := b.Len() - b.Padded
	s.last = time.Now()
	if s.Batches == 0 {
		s.first, s.firstSamples = s.last, n
		s.TTFB = s.last.Sub(s.begin).Seconds()
	}
	s.Batches++
	s.Samples += n
	s.Epochs = max(s.Epochs, b.Epoch+1)
}

// rate is samples a second since the first batch, or since the beginning when there was only one.
func (s *summary) rate() float64 {
	switch d := s.last.Sub(s.first).Seconds(); {
	case s.Batches == 0:
		return 0
	case d > 0 && s.Batches > 1:
		return float64(s.Samples-s.firstSamples) / d
	}
	return float64(s.Samples) / s.last.Sub(s.begin).Seconds()
}

func (s *summary) finish(r pipe.Report) {
	s.Wall = time.Since(s.begin).Seconds()
	s.Rate = s.rate()
	if s.Samples > 0 {
		s.CPU = (cpuTime() - s.cpu).Seconds() * 1e3 / float64(s.Samples)
	}
	s.RSS = peakRSS() >> 20
	s.Stages, s.Verdict, s.Failed = r.Stages, r.Verdict, r.Failures
}

func (s *summary) print(w io.Writer) {
	fmt.Fprintf(w, "%d samples in %d batches, %d failed, %d epochs: %.1f samples/s, first batch after %.3f s, %.2f s in all, %.3f ms CPU a sample, %d MB\n\n",
		s.Samples, s.Batches, s.Failed, s.Epochs, s.Rate, s.TTFB, s.Wall, s.CPU, s.RSS)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\tworkers\titems\tfailures\tmean ms\tp50\tp90\tp99\twait in s\twait out s\toccupancy\tqueue\t")
	for _, x := range s.Stages {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.0f%%\t%.0f%%\t\n", x.Name, x.Workers, x.Items, x.Failures,
			x.MeanMS, x.P50MS, x.P90MS, x.P99MS, x.WaitInS, x.WaitOutS, 100*x.Occupancy, 100*x.Queue)
	}
	t.Flush()
	fmt.Fprintf(w, "\n%s\n", s.Verdict)
}
