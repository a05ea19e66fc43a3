// Command predict compares predictions of spool simulate with real runs.
//
//	go run ./bench/predict [-spool bin/spool] [-rounds 3] MEDIA
//
// MEDIA is a folder with the folders photos, large, video and audio. For each of six pipelines, a run with two workers
// records its costs. Predictions of other settings are compared with runs of these settings. A line has the predicted
// rate with its error bar, the median of the measured rates, the error, and whether the measured rate is in the bar.
// The first batch and the peak of memory follow. Recorded and measured runs alternate, and each setting is predicted
// from the recorded run before it. The machine should be idle.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/spoolmedia/spool/pipe/costs"
)

// pipeline is what is predicted.
type pipeline struct {
	name  string
	run   func(ctx context.Context, c change, file string) error // writes the costs of a run
	tries []change
}

// change is a setting other than that of the recorded run.
type change struct {
	name    string
	flags   []string       // of spool run, instead of those of the recorded run
	predict costs.Settings // what simulate is told
}

func main() {
	spool := flag.String("spool", "bin/spool", "the command")
	rounds := flag.Int("rounds", 3, "pairs of a recorded and a measured run for each setting")
	before := flag.String("before", "", "words before each command, such as chrt -r 10 on a machine with other work")
	only := flag.String("only", "", "pipelines whose names contain this")
	flag.Parse()
	ctx := context.Background()
	var err error
	switch m := (machine{*spool, strings.Fields(*before)}); {
	case flag.NArg() == 5 && flag.Arg(0) == routed:
		err = runRoutes(ctx, flag.Args()[1:])
	case flag.NArg() == 3 && flag.Arg(0) == served:
		err = serve(flag.Args()[1:])
	case flag.NArg() == 1:
		err = m.compare(ctx, flag.Arg(0), *only, *rounds)
	default:
		flag.Usage()
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "predict:", err)
		os.Exit(1)
	}
}

// machine is how pipelines are run.
type machine struct {
	spool  string
	before []string
}

// command returns a command of these words.
func (m machine) command(ctx context.Context, words ...string) *exec.Cmd {
	words = append(slices.Clone(m.before), words...)
	c := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the user's own
	c.WaitDelay = time.Second
	return c
}

// longest is what a run may take.
const longest = 20 * time.Second

func (m machine) compare(ctx context.Context, media, only string, rounds int) error {
	folder, err := os.MkdirTemp("", "predict")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fmt.Println("| pipeline | setting | predicted/s | bar | measured/s | error | in bar | first batch s | measured | " +
		"memory MiB | measured |")
	fmt.Println("|---|---|--:|--:|--:|--:|---|--:|--:|--:|--:|")
	var all errors
	for _, p := range append(m.commands(media, folder), m.routes(media)) {
		if !strings.Contains(p.name, only) {
			continue
		}
		if err := p.compare(ctx, folder, rounds, &all); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	fmt.Printf("\nrate: %s; first batch: %s; memory: %s\n", &all.rate, &all.first, &all.memory)
	return nil
}

// errors are those of all predictions.
type errors struct{ rate, first, memory summary }

// summary is the errors of one quantity.
type summary struct {
	errors []float64
	within int // the error bar
}

func (s *summary) add(predicted costs.Range, measured float64) {
	s.errors = append(s.errors, math.Abs(predicted.Value/measured-1))
	if predicted.Low <= measured && measured <= predicted.High {
		s.within++
	}
}

func (s *summary) String() string {
	slices.Sort(s.errors)
	n := len(s.errors)
	if n == 0 {
		return "none"
	}
	below := 0
	for _, e := range s.errors {
		if e < 0.15 {
			below++
		}
	}
	return fmt.Sprintf("median error %.1f %%, largest %.1f %%, %d of %d below 15 %%, %d in the error bar",
		100*s.errors[n/2], 100*s.errors[n-1], below, n, s.within)
}

// compare compares each setting in rounds, each from a recorded run to the measured one.
func (p *pipeline) compare(ctx context.Context, folder string, rounds int, all *errors) error {
	file := folder + "/costs.json"
	run := func(c change) (*costs.Costs, error) {
		ctx, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		if err := p.run(ctx, c, file); err != nil {
			return nil, err
		}
		return costs.Read(file)
	}
	if _, err := run(change{}); err != nil { // the page cache
		return err
	}
	for _, try := range p.tries {
		var predictions []costs.Prediction
		var rates, firsts, memories []float64
		for range rounds {
			recorded, err := run(change{})
			if err != nil {
				return err
			}
			predicted, ok := recorded.Predict(try.predict)
			if !ok {
				return fmt.Errorf("a stage had no samples")
			}
			measured, err := run(try)
			if err != nil {
				return err
			}
			predictions = append(predictions, predicted)
			rates = append(rates, float64(measured.Samples)/measured.Seconds)
			firsts, memories = append(firsts, measured.First), append(memories, float64(measured.Peak)/(1<<20))
		}
		of := medians(predictions, func(p costs.Prediction) costs.Range { return p.Rate })
		ofFirst := medians(predictions, func(p costs.Prediction) costs.Range { return p.First })
		ofMemory := medians(predictions, func(p costs.Prediction) costs.Range { return p.MemoryMB })
		measured := median(rates)
		in := "no"
		if of.Low <= measured && measured <= of.High {
			in = "yes"
		}
		all.rate.add(of, measured)
		all.first.add(ofFirst, median(firsts))
		all.memory.add(ofMemory, median(memories))
		fmt.Printf("| %s | %s | %.1f | %.1f to %.1f | %.1f | %+.1f %% | %s | %.3f | %.3f | %.0f | %.0f |\n", p.name, try.name,
			of.Value, of.Low, of.High, measured, 100*(of.Value/measured-1), in, ofFirst.Value, median(firsts),
			ofMemory.Value, median(memories))
	}
	return nil
}

// medians returns the medians of a predicted value and of its error bar.
func medians(all []costs.Prediction, of func(costs.Prediction) costs.Range) costs.Range {
	var value, low, high []float64
	for _, p := range all {
		r := of(p)
		value, low, high = append(value, r.Value), append(low, r.Low), append(high, r.High)
	}
	return costs.Range{Value: median(value), Low: median(low), High: median(high)}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

// latency is what a request to the store takes in the recorded run.
const latency = 20 * time.Millisecond
