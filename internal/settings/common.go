package settings

import (
	"errors"
	"strconv"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
)

// common is the options that all loaders share, and the number of failures allowed.
type common struct {
	loader.Options
	allowed budget
	cache   int64 // bytes; 0: none
}

// common defines the settings of r, and whether batches are repeated. what names the unit of decoding: images or files.
func (s *Set) common(r *common, headspace *bool, what string) {
	s.Number("batch", &r.Batch, "32", 1, "samples a batch")
	s.Add("workers", "N|auto", "auto", what+" decoded at a time; auto begins with one for each core, and tunes the number",
		func(text string) (err error) {
			if r.Workers = loader.Auto; text != "auto" {
				r.Workers, err = parseWorkers(text)
			}
			return err
		})
	s.Add("cpu-share", "F", "", "share of the cores' time that spool may use, like 0.4", func(text string) error {
		share, err := strconv.ParseFloat(text, 64)
		if err != nil || !(share > 0 && share <= 1) {
			return errors.New("must be a number above 0, and at most 1")
		}
		r.CPUShare = share
		return nil
	})
	s.Number("epochs", &r.Epochs, "1", 1, "passes over the samples")
	s.Boolean("shuffle", &r.Shuffle, false, "shuffle the samples, in a different order for each epoch")
	s.Add("seed", "N", "0", "the seed of the order and of all random choices", func(text string) (err error) {
		if r.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			err = errors.New("must be a whole number from 0 up")
		}
		return err
	})
	Choice(s, "order", &r.Order, "exact", "exact: in input order; any: as decoded",
		map[string]batch.Order{"exact": batch.Exact, "any": batch.Any})
	Choice(s, "last", &r.Last, "keep", "a short last batch: keep it, drop it, or pad it with its last sample",
		map[string]batch.Last{"keep": batch.Keep, "drop": batch.Drop, "pad": batch.Pad})
	Choice(s, "on-error", &r.OnError, "skip", "a bad sample: skip it, end the run, or deliver a placeholder",
		map[string]loader.Policy{"skip": loader.Skip, "fail": loader.Fail, "placeholder": loader.Placeholder})
	s.Add("max-failures", "N|P%", "100%", "end the run when more samples fail",
		func(text string) (err error) { r.allowed, err = parseBudget(text); return err })
	Choice(s, "rest", &r.Sharing.Rest, "repeat", "samples that ranks cannot share evenly: repeat some others, drop them, "+
		"or uneven: some ranks have one more",
		map[string]order.Rest{"repeat": order.Repeat, "drop": order.Drop, "uneven": order.Uneven})
	s.Number("prefetch", &r.Prefetch, "2", 1, "finished batches that wait for their consumer")
	s.Duration("deadline", &r.Stalls.Deadline, "", "the longest that a step of a sample may take: opening, reading or "+
		"decoding it; a later one is a bad sample")
	s.Number("attempts", &r.Stalls.Attempts, "1", 1, "how often opening and reading a file is tried, when it is late or "+
		"fails in the system")
	s.Duration("watch", &r.Stalls.Watch.After, "60", "report samples that are in one step for longer, 0 for none")
	s.Bytes("cache", &r.cache, "memory for decoded samples, which later epochs do not decode again")
	s.Number("limit", &r.Limit, "0", 0, "samples an epoch, 0 for all")
	s.Boolean("headspace", headspace, false,
		"decode the first few batches and deliver these repeatedly: the throughput of a loader that costs nothing")
	s.Limits(&r.Limits)
}

// Workers defines the setting for a fixed number of workers, for commands that do not tune it.
func (s *Set) Workers(p *int, def, what string) {
	s.Add("workers", "N|auto", def, what+" decoded at a time",
		func(text string) (err error) { *p, err = parseWorkers(text); return err })
}

// options returns the loader's options. A budget of 0 is the policy fail, and a budget of all samples needs no option.
func (r *common) options() loader.Options {
	o := r.Options
	if r.allowed == (budget{}) {
		o.OnError = loader.Fail
	}
	if r.allowed != noLimit {
		o.Failures.Max, o.Failures.MaxRate = r.allowed.count, r.allowed.fraction
	}
	return o
}
