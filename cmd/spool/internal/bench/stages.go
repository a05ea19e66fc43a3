package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source"
)

// stagesBenched is what --stages measures, with the keys of --json.
type stagesBenched struct {
	Work    string               `json:"work"`
	Profile string               `json:"profile"`
	Cores   int                  `json:"cores"`
	Stages  []stats.StageProfile `json:"stages"`
	Rates   []stagesRate         `json:"rates"` // of the whole, by the number of decoders

	alone stats.Profile
}

// stagesRate is the throughput of a whole loader, in samples a second.
type stagesRate struct {
	Workers   int     `json:"workers"`
	Predicted float64 `json:"predicted"` // from the stages alone
	Measured  float64 `json:"measured"`
}

const (
	simulated = 5000 // samples
	together  = 1    // seconds for which a whole loader should run
)

// profiled is how many samples a stage processes for each number of workers.
var profiled = map[source.Medium]int{source.Images: 256, source.Videos: 16, source.Audio: 64}

// measureStages runs each stage alone, and then the whole with each number of decoders that was tried.
func (b *benchmark) measureStages(ctx context.Context, found source.Source) (r stagesBenched, err error) {
	r = stagesBenched{Work: b.work, Profile: b.profile}
	if r.alone, err = b.profileStages(ctx, found); err != nil {
		return r, err
	}
	r.Cores, r.Stages = r.alone.Cores, r.alone.Stages
	model := r.alone.Model()
	decoders := slices.IndexFunc(r.Stages, func(s stats.StageProfile) bool { return s.Name == "decode" })
	for _, speed := range r.Stages[decoders].Speeds {
		model.Stage("decode").Workers = speed.Workers
		rate := stagesRate{Workers: speed.Workers, Predicted: throughput(model.Simulate(simulated))}
		if rate.Measured, err = b.measureWhole(ctx, found, speed.Workers, int(together*rate.Predicted)); err != nil {
			return r, err
		}
		r.Rates = append(r.Rates, rate)
	}
	if b.plot != "" {
		err = drawStageSpeeds(b.plot, r)
	}
	return r, err
}

// profileStages runs each stage alone. It loads everything once before, so that the files are cached in each round.
func (b *benchmark) profileStages(ctx context.Context, found source.Source) (p stats.Profile, err error) {
	const rounds = 8
	items, o := profiled[b.kind], b.options
	if _, err := b.measureWhole(ctx, found, o.Workers, min(found.Len(), rounds*items)); err != nil {
		return p, err
	}
	o.Prefetch = items/max(o.Batch, 1) + 1 // all samples of a round wait at the end
	ld, err := b.load(newRepeated(found, (rounds*items+found.Len()-1)/found.Len()), o)
	if err != nil {
		return p, err
	}
	defer cli.Closing(&err, ld.Close)
	defer cores.Spare(o.Workers)()
	return ld.Profile(ctx, pipe.ProfileOptions{Items: items})
}

// measureWhole returns the throughput of a loader with that number of decoders, in samples a second.
func (b *benchmark) measureWhole(ctx context.Context, found source.Source, workers, samples int) (rate float64,
	err error) {
	o := b.options
	o.Workers, o.Limit = workers, max(samples, 2*o.Batch, 1)
	ld, err := b.load(newRepeated(found, (o.Limit+found.Len()-1)/found.Len()), o)
	if err != nil {
		return 0, err
	}
	defer cli.Closing(&err, ld.Close)
	defer cores.Spare(workers)()
	for batch, err := range ld.Batches(ctx) {
		if err != nil {
			return 0, err
		}
		batch.Release()
	}
	return throughput(ld.Report()), nil
}

// throughput returns how many items a second reached the last stage.
func throughput(r stats.Report) float64 {
	return float64(r.Stages[len(r.Stages)-1].Items) / r.Elapsed.Seconds()
}

func (r stagesBenched) print(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s, each stage alone:\n\n%s\nall together:\n\n", r.Work, r.alone)
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "decoders\tpredicted/s\tmeasured/s\t\t")
	for _, x := range r.Rates {
		fmt.Fprintf(t, "%d\t%.5g\t%.5g\t%+.0f%%\t\n", x.Workers, x.Predicted, x.Measured, 100*(x.Predicted/x.Measured-1))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}
