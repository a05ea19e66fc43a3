package main

import (
	"errors"
	"strconv"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/loader"
)

// road is what the options of all loaders have in common.
type road struct {
	batch, workers, epochs, limit int
	shuffle                       bool
	seed                          uint64
	order                         batch.Order
	last                          batch.Last
	onError                       loader.Policy
	allowed                       budget
	limits                        decode.Limits
}

// road defines their flags. what is decoded at a time.
func (f *flags) road(r *road, what string) {
	f.number("batch", &r.batch, "32", 1, "samples a batch")
	f.workers(&r.workers, "auto", what)
	f.number("epochs", &r.epochs, "1", 1, "how often to go through the samples")
	f.boolean("shuffle", &r.shuffle, false, "take each epoch's samples in an order of its own")
	f.add("seed", "N", "0", "what the order and all else that is random are drawn from", func(s string) (err error) {
		if r.seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			err = errors.New("a whole number from 0 up")
		}
		return err
	})
	choice(f, "order", &r.order, "exact", "exact: input order; any: as they are decoded", map[string]batch.Order{"exact": batch.Exact, "any": batch.Any})
	choice(f, "last", &r.last, "keep", "what becomes of a short last batch", map[string]batch.Last{"keep": batch.Keep, "drop": batch.Drop, "pad": batch.Pad})
	choice(f, "on-error", &r.onError, "skip", "what a bad sample means", map[string]loader.Policy{"skip": loader.Skip, "fail": loader.Fail, "placeholder": loader.Placeholder})
	f.add("max-failures", "N|P%", "100%", "end the run when more samples fail", func(s string) (err error) { r.allowed, err = parseBudget(s); return err })
	f.number("limit", &r.limit, "0", 0, "samples an epoch, 0 for all")
	f.limits(&r.limits)
}

func (f *flags) workers(p *int, def, what string) {
	f.add("workers", "N|auto", def, what+" decoded at a time", func(s string) (err error) { *p, err = parseWorkers(s); return err })
}

// failures are what a loader understands of the budget: it has none of nothing, and none of everything.
func (r *road) failures() (policy loader.Policy, most int, rate float64) {
	policy = r.onError
	if r.allowed == (budget{}) {
		policy = loader.Fail
	}
	if r.allowed != noLimit {
		most, rate = r.allowed.count, r.allowed.fraction
	}
	return policy, most, rate
}

// images sets the options of a loader of pictures.
func (r *road) images(o *loader.ImageOptions) {
	o.Batch, o.Workers, o.Epochs, o.Limit, o.Shuffle, o.Seed, o.Order, o.Last = r.batch, r.workers, r.epochs, r.limit, r.shuffle, r.seed, r.order, r.last
	o.OnError, o.MaxFailures, o.MaxFailureRate = r.failures()
	o.Limits = r.limits
}

// videos sets the options of a loader of video.
func (r *road) videos(o *loader.VideoOptions) {
	o.Batch, o.Workers, o.Epochs, o.Limit, o.Shuffle, o.Seed, o.Order, o.Last = r.batch, r.workers, r.epochs, r.limit, r.shuffle, r.seed, r.order, r.last
	o.OnError, o.MaxFailures, o.MaxFailureRate = r.failures()
	o.Limits = r.limits
}

// audio sets the options of a loader of sound.
func (r *road) audio(o *loader.AudioOptions) {
	o.Batch, o.Workers, o.Epochs, o.Limit, o.Shuffle, o.Seed, o.Order, o.Last = r.batch, r.workers, r.epochs, r.limit, r.shuffle, r.seed, r.order, r.last
	o.OnError, o.MaxFailures, o.MaxFailureRate = r.failures()
	o.Limits = r.limits
}
