// Package simulate has what the command and the C library share about costs: the recorder of a loader, the settings of
// a simulation, and its errors.
package simulate

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe/costs"
	"github.com/spoolmedia/spool/pipe/stats"
	"github.com/spoolmedia/spool/source/object"
)

// Record makes a loader with these options record its costs.
func Record(o *loader.Options) *costs.Recorder {
	r := &costs.Recorder{Next: o.Observer, Memory: func() int64 {
		_, resident, err := proc.Memory()
		if err != nil {
			return 0
		}
		return resident
	}}
	o.Observer = r
	return r
}

// Create creates the file of costs, so that one that cannot be written is known before the run. An empty name is none.
func Create(name string) error {
	if name == "" {
		return nil
	}
	file, err := os.Create(name)
	if err != nil {
		return spool.InFile(err, name)
	}
	return file.Close()
}

// Write writes the costs of a loader that has ended, unless it delivered nothing. stores is what it did at stores.
func Write(name string, r *costs.Recorder, ld *loader.Loader, stores object.Stats) error {
	c := r.Costs(ld.Report())
	c.Requests = stats.Requests{First: stores.FirstLimit, Max: stores.MaxLimit}
	if c.Samples == 0 {
		return nil
	}
	return spool.InFile(c.Write(name), name)
}

// Settings defines the settings of a simulation.
func Settings(s *settings.Set) *costs.Settings {
	o := &costs.Settings{}
	s.Number("workers", &o.Workers, "0", 0, "samples decoded at a time; 0: as in the run")
	s.Number("prefetch", &o.Prefetch, "0", 0, "finished batches that wait for their consumer; 0: as in the run")
	s.Number("cores", &o.Cores, "0", 0, "cores of the machine; 0: as in the run")
	s.Number("files", &o.Files, "0", 0, "files opened, and as many read, at a time; 0: as in the run")
	const latency = "what each read of a file, or each request to a store, takes in addition, like 50ms"
	s.Add("latency", "DURATION", "0s", latency, func(text string) (err error) {
		if o.Latency, err = time.ParseDuration(text); err != nil || o.Latency < 0 {
			err = errors.New("must be a duration from 0 up, like 50ms")
		}
		return err
	})
	const workers = "workers of other stages, by name, like size/0/decode=4"
	s.Add("stage-workers", "STAGE=N,...", "", workers, func(text string) error {
		o.Stages = map[string]int{}
		for part := range strings.SplitSeq(text, ",") {
			at := strings.LastIndexByte(part, '=')
			n, err := strconv.Atoi(part[at+1:])
			if at < 1 || err != nil || n < 1 {
				return errors.New("must be names of stages with numbers of workers, like size/0/decode=4")
			}
			o.Stages[part[:at]] = n
		}
		return nil
	})
	return o
}

// Predict simulates the run of a file of costs with other settings.
func Predict(name string, s costs.Settings) (costs.Prediction, error) {
	c, err := costs.Read(name)
	if errors.Is(err, costs.ErrFile) {
		return costs.Prediction{}, &spool.Error{Op: "open", File: name, Class: spool.ErrCorrupt, Text: costs.ErrFile.Error(),
			Err: err}
	}
	if err != nil {
		return costs.Prediction{}, spool.InFile(err, name)
	}
	if err := known(c, s); err != nil {
		return costs.Prediction{}, err
	}
	p, ok := c.Predict(s)
	if !ok {
		return p, &spool.Error{Op: "simulate", File: name, Class: spool.ErrUnsupported,
			Text: "a stage of this run had no samples"}
	}
	return p, nil
}

// known returns an error for settings of stages that the run has not, or that have one worker always.
func known(c *costs.Costs, s costs.Settings) error {
	can := map[string]bool{}
	var names []string
	for _, stage := range c.Stages {
		if can[stage.Name] = !stage.Single; !stage.Single {
			names = append(names, stage.Name)
		}
	}
	refuse := func(key, stage string) error {
		return fmt.Errorf("%w: %s: stage %q cannot have other workers; these can: %s", spool.ErrOptions, key, stage,
			strings.Join(names, ", "))
	}
	if s.Workers > 0 && !can["decode"] {
		return refuse("workers", "decode")
	}
	for stage := range s.Stages {
		if !can[stage] {
			return refuse("stage-workers", stage)
		}
	}
	return nil
}
