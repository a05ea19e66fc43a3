package bench

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// benched is a line of bench --json. Its keys and definitions are those of the peers' benchmark.
type benched struct {
	Work    string  `json:"work"`
	Peer    string  `json:"peer"`
	Items   float64 `json:"items"`   // images, frames, or seconds of audio
	Rate    float64 `json:"rate"`    // items a second between the first delivery and the last
	TTFB    float64 `json:"ttfb_s"`  // from the start of loading to the first delivery
	CPU     float64 `json:"cpu_ms"`  // per item, as are the next three
	Read    float64 `json:"read_kb"` // KiB that system calls read
	Out     float64 `json:"out_kb"`  // KiB of the delivered batches
	Faults  float64 `json:"faults"`  // pages of memory that were used for the first time
	RSS     int64   `json:"rss_mb"`  // peak
	Wall    float64 `json:"wall_s"`  // from the start of loading to the last delivery
	Profile string  `json:"profile"`
}

// benchmark is one call of a bench command that loads files.
type benchmark struct {
	work    string
	kind    source.Medium
	files   []string
	repeat  int
	json    bool
	profile string
	options loader.Options // from the flags
	stores  object.Options
	load    func(source.Source, loader.Options) (*loader.Loader, error)
	items   func(*batch.Batch) float64

	stages bool   // measure each stage alone, not the whole
	plot   string // file for a chart of the stages
}

// define adds the flags that these commands share. what is what one worker decodes at a time.
func (b *benchmark) define(f *cli.Flags, what string) {
	f.Add("files", "GLOB", "", "files to load; a second one adds",
		func(s string) error { b.files = append(b.files, s); return nil })
	f.Workers(&b.options.Workers, "2", what)
	f.Number("repeat", &b.repeat, "1", 1, "go over the files this many times")
	f.Limits(&b.options.Limits)
	f.Stores(&b.stores)
	f.Boolean("stages", &b.stages, false,
		"measure each stage alone with increasing numbers of workers, and compare the predicted with the measured throughput")
	f.Plot(&b.plot, "a chart of --stages")
	f.Boolean("json", &b.json, false, "print one JSON object")
}

// start measures, unless the flags are invalid. args are names from a pattern that the shell has expanded.
func (b *benchmark) start(ctx context.Context, f *cli.Flags, args []string, stdout io.Writer) (err error) {
	if len(b.files) == 0 {
		f.Refuse("missing --files: give what to load")
	}
	if b.plot != "" && !b.stages {
		f.Refuse("--plot needs --stages, which it draws")
	}
	if err := f.Problem(); err != nil {
		return err
	}
	remote, err := inputs.New(b.stores)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, remote.Close)
	found, err := source.Open(ctx, append(b.files, args...),
		source.Options{Medium: b.kind, Formats: settings.Manifests(), Sets: settings.Sets(), Remote: remote})
	if err != nil {
		return err
	}
	var result interface{ print(io.Writer) error }
	if b.stages {
		result, err = b.measureStages(ctx, found)
	} else {
		result, err = b.measure(ctx, newRepeated(found, b.repeat))
	}
	switch {
	case err != nil:
		return err
	case b.json:
		return output.JSON(stdout, result)
	}
	return result.print(stdout)
}

// measure loads the files. A delivery is a batch, or the last part of a file that is delivered in parts.
func (b *benchmark) measure(ctx context.Context, src source.Source) (benched, error) {
	var (
		cpu         = proc.CPUTime()
		moved       = proc.Moved()
		begin       = time.Now()
		first, last time.Time
		items, held float64 // in total, and until the first delivery
		delivered   int64   // bytes
	)
	ld, err := b.load(src, b.options)
	if err != nil {
		return benched{}, err
	}
	defer cores.Spare(b.options.Workers)()
	for batch, failed := range ld.Batches(ctx) {
		if err = failed; err != nil {
			break
		}
		items += b.items(batch)
		delivered += int64(len(batch.Bytes()))
		if more := batch.Samples[0].More; !more {
			last = time.Now()
			if first.IsZero() {
				first, held = last, items
			}
		}
		batch.Release()
	}
	cli.Closing(&err, ld.Close)
	if err != nil {
		return benched{}, err
	}
	now := proc.Moved()
	r := benched{Work: b.work, Peer: "spool", Items: items, TTFB: first.Sub(begin).Seconds(),
		CPU: (proc.CPUTime() - cpu).Seconds() * 1e3 / items, Read: float64(now.Read-moved.Read) / 1024 / items,
		Out: float64(delivered) / 1024 / items, Faults: float64(now.Faults-moved.Faults) / items,
		RSS: proc.PeakRSS() >> 20, Wall: last.Sub(begin).Seconds(), Profile: b.profile}
	if d := last.Sub(first).Seconds(); d > 0 {
		r.Rate = (items - held) / d
	} else {
		r.Rate = items / r.Wall
	}
	return r, nil
}

func (b benched) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %.6g items, %.1f/s, first batch after %.3f s, %.3f ms CPU an item, %.1f KB read, "+
		"%.1f KB out, %d MB, %.2f s\n",
		b.Work, b.Items, b.Rate, b.TTFB, b.CPU, b.Read, b.Out, b.RSS, b.Wall)
	return err
}
