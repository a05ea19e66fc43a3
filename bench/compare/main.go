// Command compare runs the built spool beside the loaders that people use instead, on the same files and the
// same work, and writes what it finds to a file: bench/results/DATE-COMMIT.json.
//
// Each run is a process of its own, and each run of another loader is right before or after one of spool. Before all, what
// `spool run images` loads is compared with torchvision's pixels, batch by batch, and what `spool decode` makes of video and
// sound with torchcodec's. `spool bench` and peers.py, which is not part
// of this repository, print the same keys and mean the same by them; package bench says how they are summed up.
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
	"time"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/decode"
)

// settings are the command line.
type settings struct {
	spool     string // the command
	python    string // with the peers installed; empty: there are none
	script    string // peers.py
	reference string // reference.py
	works     string // comma separated
	names     string // contestants, comma separated
	out       string // folder
	goBench   string // what go test -bench printed, to be kept beside the result
	pictures  int    // a run
	batch     int
	size      int
	workers   int
	rounds    int
}

func main() {
	var s settings
	var floor string
	var repeat int
	flag.StringVar(&s.spool, "spool", "bin/spool", "the `command` to measure")
	flag.StringVar(&s.python, "python", "", "`interpreter` of the peers' environment; without it spool and the floors run alone")
	flag.StringVar(&s.script, "script", "../shared/peers/peers.py", "the peers' benchmark")
	flag.StringVar(&s.reference, "reference", "bench/peers/reference.py", "what torchvision makes of pictures")
	flag.StringVar(&s.works, "works", "images,train,large,png,webp,video,videofull,hd,wav,mp3,flac,aac,opus", "comma separated")
	flag.StringVar(&s.names, "contestants", "", "whom to compare spool with, comma separated; all of them by default")
	flag.StringVar(&s.out, "out", "bench/results", "`folder` for the result")
	flag.StringVar(&s.goBench, "gobench", "", "`file` with the output of go test -bench, kept beside the result")
	flag.IntVar(&s.pictures, "pictures", 4200, "about how many pictures a run loads, going over the files again and again; of video and sound a part of it")
	flag.IntVar(&s.batch, "batch", 32, "pictures a batch")
	flag.IntVar(&s.size, "size", 224, "width and height of the result")
	flag.IntVar(&s.workers, "workers", 2, "pictures decoded at a time")
	flag.IntVar(&s.rounds, "rounds", 5, "how often each pair runs")
	flag.StringVar(&floor, "floor", "", "be the contestant that decodes with this bare library")
	flag.IntVar(&repeat, "repeat", 1, "how often the floor goes over its files")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	if floor != "" {
		err = runFloor(ctx, os.Stdout, floor, flag.Args(), repeat, s.workers)
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
	works, err := s.wanted()
	if err != nil {
		return err
	}
	result, err := s.begin(ctx)
	if err != nil {
		return err
	}
	if s.python == "" {
		fmt.Fprintln(out, "compare: no peers: spool and the floors alone, and no pixels to compare with")
	}
	for _, w := range works {
		set, err := w.files()
		switch {
		case err != nil:
			return err
		case len(set.Files) == 0:
			fmt.Fprintf(out, "compare: %s: no files at %s\n", w.name, set.Glob)
			continue
		}
		c, err := s.compare(ctx, out, s.task(w, set))
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		result.Works = append(result.Works, *c)
	}
	return errors.Join(s.write(out, result), show(out, result))
}

// task is a work on its files, as often and in such batches as asked for.
func (s *settings) task(w work, set bench.Set) task {
	t := task{work: w, set: set, repeat: max(s.pictures/max(w.share, 1)/len(set.Files), 1)}
	if t.batch == 0 {
		t.batch = s.batch
	}
	return t
}

// compare has the pairs of a work run in turn, round by round: in one spool begins, in the next the other.
func (s *settings) compare(ctx context.Context, out io.Writer, t task) (*bench.Comparison, error) {
	duels, err := s.duelsOf(t.work)
	if err != nil {
		return nil, err
	}
	c := &bench.Comparison{Work: bench.Work{Name: t.name, Kind: t.kind, Set: t.set.Name, Pictures: len(t.set.Files), Repeat: t.repeat, Batch: t.batch, Size: s.size,
		Workers: s.workers, Rounds: s.rounds}}
	if t.kind == "" {
		if c.Work.Megapixels, err = megapixels(ctx, t.set.Files); err != nil {
			return nil, err
		}
	}
	if s.python != "" && !t.random {
		var what string
		if c.Verified, what, err = s.verify(ctx, t); err != nil {
			return nil, err
		}
		fmt.Fprintf(out, "compare: %s: %d files have %s\n", t.name, c.Verified, what)
	}
	measure := func(name string, run *bench.Run) (err error) {
		if *run, err = s.measure(ctx, name, t); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return json.NewEncoder(out).Encode(run)
	}
	for round := range s.rounds {
		for _, d := range duels {
			var p bench.Pair
			first, second := func() error { return measure(d.Own, &p.Own) }, func() error { return measure(d.Other, &p.Other) }
			if round%2 == 1 {
				first, second = second, first
			}
			if err := first(); err != nil {
				return nil, err
			}
			if err := second(); err != nil {
				return nil, err
			}
			c.Pairs = append(c.Pairs, p)
		}
	}
	c.Contestants = bench.Summarize(c.Pairs, labelled(duels))
	for _, d := range duels {
		c.Duels = append(c.Duels, d.Fought(c.Pairs))
	}
	return c, nil
}

// megapixels is the mean size of pictures.
func megapixels(ctx context.Context, files []string) (mean float64, err error) {
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		info, err := decode.ProbeImage(ctx, data, decode.Limits{})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		mean += float64(info.Width*info.Height) / 1e6 / float64(len(files))
	}
	return mean, nil
}

// begin is a result without runs.
func (s *settings) begin(ctx context.Context) (*bench.Result, error) {
	r := &bench.Result{Date: time.Now().UTC().Truncate(time.Second), Machine: bench.ThisMachine(), Versions: map[string]string{}}
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
