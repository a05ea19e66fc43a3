package settings

import (
	"errors"
	"strconv"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
)

// road is what all loaders have in common, and how much may fail.
type road struct {
	loader.Options
	allowed budget
}

// road defines their settings. what is decoded at a time.
func (s *Set) road(r *road, what string) {
	s.Number("batch", &r.Batch, "32", 1, "samples a batch")
	s.Add("workers", "N|auto", "auto", what+" decoded at a time; auto begins with all cores, and finds out", func(text string) (err error) {
		if r.Workers = loader.Auto; text != "auto" {
			r.Workers, err = parseWorkers(text)
		}
		return err
	})
	s.Add("cpu-share", "F", "", "share of the cores' time that spool may use, like 0.4", func(text string) error {
		share, err := strconv.ParseFloat(text, 64)
		if err != nil || !(share > 0 && share <= 1) {
			return errors.New("a number above 0, and at most 1")
		}
		r.CPUShare = share
		return nil
	})
	s.Number("epochs", &r.Epochs, "1", 1, "how often to go through the samples")
	s.Boolean("shuffle", &r.Shuffle, false, "take each epoch's samples in an order of its own")
	s.Add("seed", "N", "0", "what the order and all else that is random are drawn from", func(text string) (err error) {
		if r.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			err = errors.New("a whole number from 0 up")
		}
		return err
	})
	Choice(s, "order", &r.Order, "exact", "exact: input order; any: as they are decoded", map[string]batch.Order{"exact": batch.Exact, "any": batch.Any})
	Choice(s, "last", &r.Last, "keep", "what becomes of a short last batch", map[string]batch.Last{"keep": batch.Keep, "drop": batch.Drop, "pad": batch.Pad})
	Choice(s, "on-error", &r.OnError, "skip", "what a bad sample means", map[string]loader.Policy{"skip": loader.Skip, "fail": loader.Fail, "placeholder": loader.Placeholder})
	s.Add("max-failures", "N|P%", "100%", "end the run when more samples fail", func(text string) (err error) { r.allowed, err = parseBudget(text); return err })
	s.Number("limit", &r.Limit, "0", 0, "samples an epoch, 0 for all")
	s.Boolean("headspace", &r.Headspace, false, "decode the first few batches and give these again and again: what a loader that costs nothing would")
	s.Limits(&r.Limits)
}

// Workers defines the setting for how many are at work, of those that do not find it out.
func (s *Set) Workers(p *int, def, what string) {
	s.Add("workers", "N|auto", def, what+" decoded at a time", func(text string) (err error) { *p, err = parseWorkers(text); return err })
}

// options are those of a loader. It has no word for a budget of nothing, and needs none for one of everything.
func (r *road) options() loader.Options {
	o := r.Options
	if r.allowed == (budget{}) {
		o.OnError = loader.Fail
	}
	if r.allowed != noLimit {
		o.MaxFailures, o.MaxFailureRate = r.allowed.count, r.allowed.fraction
	}
	return o
}
