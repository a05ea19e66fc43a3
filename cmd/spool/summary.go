package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
)

// summary is what a run did, with the keys of --json.
type summary struct {
	Samples int                `json:"samples"` // delivered, placeholders included
	Failed  int64              `json:"failed"`
	Batches int                `json:"batches"`
	Epochs  int                `json:"epochs"`
	Rate    float64            `json:"rate"`   // samples a second, from the start to the last batch
	TTFB    float64            `json:"ttfb_s"` // from the start to the first batch
	Wall    float64            `json:"wall_s"`
	CPU     float64            `json:"cpu_ms"` // a sample
	RSS     int64              `json:"rss_mb"` // peak
	Workers int                `json:"workers"`
	JPEG    decode.JPEGCounts  `json:"jpeg,omitzero"`
	FLAC    decode.FLACCounts  `json:"flac,omitzero"`
	Stages  []pipe.StageReport `json:"stages"`
	Verdict string             `json:"verdict"`

	repeated, dropped int // samples of an epoch that come twice and not at all, for ranks to have as many

	begin, first, last time.Time
	succeeded          int // samples that are no placeholders
	warned             int // samples that the decoder found something odd in
	cpu                time.Duration
}

// newSummary starts the clocks.
func newSummary() *summary {
	return &summary{begin: time.Now(), cpu: cpuTime()}
}

// add counts a batch that has just arrived.
func (s *summary) add(b *batch.Batch) {
	samples := b.Samples[:b.Len()-b.Padded]
	s.last = time.Now()
	if s.Batches == 0 {
		s.first = s.last
	}
	s.Batches++
	s.Samples += len(samples)
	for _, sample := range samples {
		if sample.State != batch.Placeholder {
			s.succeeded++
		}
		if sample.Warnings > 0 {
			s.warned++
		}
	}
	s.Epochs = max(s.Epochs, b.Epoch+1)
}

// elapsed is the time from the start to the last batch, 0 without any.
func (s *summary) elapsed() time.Duration {
	if s.Batches == 0 {
		return 0
	}
	return s.last.Sub(s.begin)
}

// finish takes over what the loader counted.
func (s *summary) finish(l *loader.Loader) {
	s.Wall = time.Since(s.begin).Seconds()
	if s.Batches > 0 {
		s.TTFB = s.first.Sub(s.begin).Seconds()
		s.Rate = float64(s.Samples) / s.elapsed().Seconds()
		s.CPU = (cpuTime() - s.cpu).Seconds() * 1e3 / float64(s.Samples)
	}
	s.RSS = peakRSS() >> 20
	s.repeated, s.dropped = l.Share()
	r := l.Report()
	for _, stage := range r.Stages {
		if stage.Name == "decode" {
			s.Workers = stage.Workers
		}
	}
	s.Stages, s.Verdict, s.Failed, s.JPEG, s.FLAC = r.Stages, r.Verdict, r.Failures, l.JPEG(), l.FLAC()
}

// nothing reports whether a run that ended with failed went to its end without a single good sample.
func (s *summary) nothing(failed error) bool {
	_, stopped := errors.AsType[*pipe.Failure](failed) // by a policy or a budget
	over := failed == nil || errors.Is(failed, spool.ErrEmpty) && !stopped
	return over && s.Failed > 0 && s.Failed == s.Stages[0].Items
}

// print writes the summary in one piece.
func (s *summary) print(w io.Writer, asJSON, stopped bool) error {
	if asJSON {
		return writeJSON(w, s)
	}
	var out bytes.Buffer
	if stopped {
		fmt.Fprint(&out, "interrupted after ")
	}
	fmt.Fprintf(&out, "%d samples in %d batches, %d failed, %d epochs: %.1f samples/s, first batch after %.3f s, %.2f s in all, %.3f ms CPU a sample, %d MB\n",
		s.Samples, s.Batches, s.Failed, s.Epochs, s.Rate, s.TTFB, s.Wall, s.CPU, s.RSS)
	if s.warned > 0 {
		fmt.Fprintf(&out, "%d of them read with warnings\n", s.warned)
	}
	if s.repeated > 0 {
		fmt.Fprintf(&out, "%d samples of each epoch come twice, for all ranks to have as many\n", s.repeated)
	}
	if s.dropped > 0 {
		fmt.Fprintf(&out, "%d samples of each epoch are left out, for all ranks to have as many\n", s.dropped)
	}
	if left := s.JPEG.Left; len(left) > 0 {
		fmt.Fprintf(&out, "%d of %d JPEG pictures left to libjpeg-turbo: %s\n", s.JPEG.Turbo, s.JPEG.Own+s.JPEG.Turbo, reasons(left))
	}
	fmt.Fprintln(&out)
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\tworkers\titems\tfailures\tmean ms\tp50\tp90\tp99\twait in s\twait out s\toccupancy\tqueue\t")
	for _, x := range s.Stages {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.0f%%\t%.0f%%\t\n", x.Name, x.Workers, x.Items, x.Failures,
			x.MeanMS, x.P50MS, x.P90MS, x.P99MS, x.WaitInS, x.WaitOutS, 100*x.Occupancy, 100*x.Queue)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(&out, "\n%s\n", s.Verdict)
	_, err := w.Write(out.Bytes())
	return err
}

// reasons are counts by their names, like "frame 6, scans 1".
func reasons(counts map[string]int64) string {
	var list []string
	for _, name := range sorted(counts) {
		list = append(list, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(list, ", ")
}
