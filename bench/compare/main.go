// Command compare runs the built spool beside the loaders that people use instead, on the same files and the
// same work, and writes what it finds to a file: bench/results/DATE-COMMIT.json.
//
// Each run is a process of its own, and each run of another loader follows one of spool. Before all, what `spool run images`
// loads is compared with torchvision's pixels, batch by batch. `spool bench images` and peers.py, which is not part of this
// repository, print the same keys and mean the same by them; package bench says how they are summed up.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cbridge/jpeg"
)

// settings are the command line.
type settings struct {
	spool     string // the command
	python    string // with the peers installed; empty: there are none
	script    string // peers.py
	reference string // reference.py
	names     string // contestants, comma separated
	out       string // folder
	goBench   string // what go test -bench printed, to be kept beside the result
	repeat    int
	batch     int
	size      int
	workers   int
	rounds    int
}

func main() {
	var s settings
	var alone bool
	flag.StringVar(&s.spool, "spool", "bin/spool", "the `command` to measure")
	flag.StringVar(&s.python, "python", "", "`interpreter` of the peers' environment; without it spool and the floor run alone")
	flag.StringVar(&s.script, "script", "../shared/peers/peers.py", "the peers' benchmark")
	flag.StringVar(&s.reference, "reference", "bench/peers/reference.py", "what torchvision makes of pictures")
	flag.StringVar(&s.names, "contestants", "", "comma separated; all of them by default")
	flag.StringVar(&s.out, "out", "bench/results", "`folder` for the result")
	flag.StringVar(&s.goBench, "gobench", "", "`file` with the output of go test -bench, kept beside the result")
	flag.IntVar(&s.repeat, "repeat", 14, "go over the files this many times in each run")
	flag.IntVar(&s.batch, "batch", 32, "pictures a batch")
	flag.IntVar(&s.size, "size", 224, "width and height of the result")
	flag.IntVar(&s.workers, "workers", 2, "pictures decoded at a time")
	flag.IntVar(&s.rounds, "rounds", 5, "how often each of the others runs")
	flag.BoolVar(&alone, "floor", false, "be the contestant that decodes with bare libjpeg-turbo")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if alone {
		err = runFloor(os.Stdout, flag.Args(), s.repeat, s.workers)
	} else {
		err = s.run(ctx, os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func (s *settings) run(ctx context.Context, out io.Writer) error {
	contestants, err := s.contestants()
	if err != nil {
		return err
	}
	sets, err := bench.Photos(".")
	if err != nil {
		return err
	}
	set := sets[0]
	result, err := s.begin(ctx, set)
	if err != nil {
		return err
	}
	if s.python == "" {
		fmt.Fprintln(out, "compare: no peers: spool and the floor alone, and no pixels to compare with")
	} else if result.Verified, err = s.verify(ctx, set.Files); err != nil {
		return err
	} else {
		fmt.Fprintf(out, "compare: %d pictures have torchvision's pixels\n", result.Verified)
	}
	for range s.rounds {
		for _, c := range contestants[1:] {
			for _, c := range []contestant{contestants[0], c} {
				run, err := s.measure(ctx, c, set)
				if err != nil {
					return err
				}
				result.Runs = append(result.Runs, run)
				if err := json.NewEncoder(out).Encode(run); err != nil {
					return err
				}
			}
		}
	}
	var labels []bench.Contestant
	for _, c := range contestants {
		labels = append(labels, c.Contestant)
	}
	result.Peers = bench.Summarize(result.Runs, labels)
	return errors.Join(s.write(out, result), show(out, result))
}

// begin is a result without runs.
func (s *settings) begin(ctx context.Context, set bench.Set) (*bench.Result, error) {
	r := &bench.Result{
		Date: time.Now().UTC().Truncate(time.Second), Machine: bench.ThisMachine(), Versions: map[string]string{},
		Work: bench.Work{Set: set.Name, Pictures: len(set.Files), Repeat: s.repeat, Batch: s.batch, Size: s.size, Workers: s.workers, Rounds: s.rounds},
	}
	var doctor struct {
		Spool    string            `json:"spool"`
		Go       string            `json:"go"`
		Versions map[string]string `json:"versions"`
	}
	if err := outputJSON(ctx, &doctor, s.spool, "doctor", "--json"); err != nil {
		return nil, err
	}
	r.Commit, r.Versions["Go"] = doctor.Spool, doctor.Go
	maps.Copy(r.Versions, doctor.Versions)
	if s.python != "" {
		if err := outputJSON(ctx, &r.Versions, s.python, s.reference, "versions"); err != nil { // adds to what is there
			return nil, err
		}
	}
	for _, file := range set.Files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		header, err := jpeg.ReadHeader(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		r.Work.Megapixels += float64(header.Width*header.Height) / 1e6 / float64(len(set.Files))
	}
	return r, nil
}

// write writes the result and what belongs to it.
func (s *settings) write(out io.Writer, r *bench.Result) error {
	path := filepath.Join(s.out, r.Name())
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	if s.goBench != "" {
		data, err := os.ReadFile(s.goBench)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path+".txt", data, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "compare: %s.json\n", path)
	return r.Write(path + ".json")
}

// show prints the summary.
func show(out io.Writer, r *bench.Result) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\trate\tspool:\tcpu ms\tspool:\tttfb s\trss MB")
	for _, p := range r.Peers {
		fmt.Fprintf(t, "%s\t%.0f\t%.2fx\t%.3f\t%.2fx less\t%.3f\t%.0f\n", p.Label, p.Rate, p.RateRatio, p.CPU, p.CPURatio, p.TTFB, p.RSS)
	}
	return t.Flush()
}
