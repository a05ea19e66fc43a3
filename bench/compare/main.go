// Command compare runs the built spool and other loaders on the same files and the same work, and writes the result to
// a file: bin/results/DATE-COMMIT.json.
//
// Each run is its own process, and each run of another loader is directly before or after one of spool. First, the
// outputs of spool are compared with those of torchvision and torchcodec. `spool bench` and bench/peers/peers.py print
// the same keys with the same meaning. The documentation of package bench describes how they are summed up. A second
// call for the same commit leaves out the works that a result already has: it continues an interrupted one.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
)

// settings are the command line.
type settings struct {
	// Programs.
	spool     string // the command to measure
	python    string // the interpreter that has the peers; empty for none
	script    string // bench/peers/peers.py
	reference string // bench/peers/reference.py
	verifier  string // bench/peers/verify.py

	// Lists, comma separated.
	works string
	names string // of contestants; empty for all

	// Files.
	media    string      // folder of the generated media
	goals    string      // file of the goals
	required bench.Goals // read from that file
	goBench  string      // output of go test -bench, which is copied to the result
	out      string      // folder for the result

	// Amounts.
	seconds float64       // approximate time of a run
	wait    time.Duration // time to wait for a quiet machine, at most
	batch   int
	size    int
	workers int
	rounds  int
}

func main() {
	var s settings
	var floor string
	var repeat int
	flag.StringVar(&s.spool, "spool", "bin/spool", "the `command` to measure")
	flag.StringVar(&s.python, "python", "",
		"`interpreter` of the peers' environment; without it spool and the floors run alone")
	flag.StringVar(&s.script, "script", "bench/peers/peers.py", "the peers' benchmark")
	flag.StringVar(&s.reference, "reference", "bench/peers/reference.py",
		"the script that prints the versions of the peers")
	flag.StringVar(&s.verifier, "verify", "bench/peers/verify.py", "the script that compares outputs")
	flag.StringVar(&s.works, "works", "images,train,large,png,webp,video,videofull,hd,wav,mp3,flac,aac,opus",
		"works to run, comma separated")
	flag.StringVar(&s.names, "contestants", "", "loaders to compare spool with, comma separated; all by default")
	flag.StringVar(&s.out, "out", "bin/results", "`folder` for the result")
	flag.StringVar(&s.goBench, "gobench", "", "`file` with the output of go test -bench, which is copied to the result")
	flag.StringVar(&s.media, "media", bench.Media, "`folder` that bench/media/generate.py has written")
	flag.StringVar(&s.goals, "goals", "bench/goals.json", "`file` with the goal of each pair")
	flag.Float64Var(&s.seconds, "seconds", 5, "approximate time of a run, in which the files are repeated")
	flag.DurationVar(&s.wait, "wait", 10*time.Minute, "how long to wait for a load of at most 0.5 before the first run")
	flag.IntVar(&s.batch, "batch", 32, "images in a batch")
	flag.IntVar(&s.size, "size", 224, "width and height of the result")
	flag.IntVar(&s.workers, "workers", 2, "images decoded at a time")
	flag.IntVar(&s.rounds, "rounds", 5, "runs of each pair")
	flag.StringVar(&floor, "floor", "", "be the contestant that decodes with this bare library")
	flag.IntVar(&repeat, "repeat", 1, "repetitions of the floor's files")
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
	var err error
	if s.required, err = bench.ReadGoals(s.goals); err != nil {
		return err
	}
	works, err := s.selected()
	if err != nil {
		return err
	}
	load := bench.AwaitQuiet(ctx, out, s.wait, bench.Load)
	result, err := s.begin(ctx)
	if err != nil {
		return err
	}
	result.Machine.Load = load
	if s.python == "" {
		fmt.Fprintln(out, "compare: no peers: only spool and the floors run, and pixels are not compared")
	}
	var earlier []*bench.Result
	if !s.partial() {
		if earlier, err = bench.Earlier(s.out); err != nil {
			return err
		}
	}
	for _, w := range works {
		set, err := s.files(w)
		if err != nil {
			return err
		}
		t := task{work: w, set: set}
		if t.batch == 0 {
			t.batch = s.batch
		}
		if in := bench.Measured(earlier, result, s.work(t)); in != nil {
			fmt.Fprintf(out, "compare: %s: measured already, in %s\n", w.name, in.Name())
			continue
		}
		c, err := s.compare(ctx, out, t)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		result.Works = append(result.Works, *c)
		if err := s.write(result); err != nil { // after each work, since the rest may be interrupted
			return err
		}
	}
	if len(result.Works) == 0 {
		return nil
	}
	fmt.Fprintf(out, "compare: %s.json\n", filepath.Join(s.out, result.Name()))
	return show(out, result)
}

// calibrate runs each contestant of some duels twice, which also warms the page cache: for two batches, and for a fifth
// of the configured time. It returns how often each has to repeat the files for a run of that time.
func (s *settings) calibrate(ctx context.Context, t task, duels []bench.Duel) (map[string]int, error) {
	passes := map[string]int{}
	least := max(1, 64/len(t.set.Files))
	for _, c := range labelled(t.kind, duels) {
		t.repeat = least
		for _, seconds := range []float64{s.seconds / 5, s.seconds} {
			run, err := s.measure(ctx, c.Name, t)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.Name, err)
			}
			t.repeat = max(least, int(math.Ceil(float64(t.repeat)*longer(run, seconds))))
		}
		passes[c.Name] = t.repeat
	}
	return passes, nil
}

// longer returns how many times longer a run of some seconds is than another. The rate leaves out the start, but that
// of a few batches that come together is far too high: the run would take hours.
func longer(run bench.Run, seconds float64) float64 {
	if run.Items == 0 || run.Wall == 0 {
		return 1
	}
	const start = 10 // the first run may be so many times slower than the others
	return min(seconds*run.Rate/run.Items, start*seconds/run.Wall)
}

// work describes a task, but for what is only known after its files have been read.
func (s *settings) work(t task) bench.Work {
	return bench.Work{Name: t.name, Kind: t.kind, Set: t.set.Name, Files: len(t.set.Files), Batch: t.batch, Size: s.size,
		Workers: s.workers, Rounds: s.rounds, Seconds: s.seconds}
}

// compare runs the pairs of a work in turn, round by round. spool begins in one round, and the other in the next.
func (s *settings) compare(ctx context.Context, out io.Writer, t task) (*bench.Comparison, error) {
	duels, err := s.duelsOf(t.work)
	if err != nil {
		return nil, err
	}
	c := &bench.Comparison{Partial: s.partial(), Work: s.work(t)}
	if t.kind == "" {
		if c.Work.Megapixels, err = megapixels(ctx, t.set.Files); err != nil {
			return nil, err
		}
	}
	if s.python != "" {
		if c.Checks, err = s.verify(ctx, t); err != nil {
			return nil, err
		}
		c.Verified = len(t.set.Files)
		for _, check := range c.Checks {
			fmt.Fprintf(out, "compare: %s: %s: %d files, at most %.3g apart\n", t.name, check.What, check.Files, check.Worst)
		}
	}
	passes, err := s.calibrate(ctx, t, duels)
	if err != nil {
		return nil, err
	}
	c.Work.Repeat = passes[duels[0].Own]
	forwards := trails(duels)
	for round := range s.rounds {
		turn := forwards
		if round%2 == 1 {
			turn = backwards(forwards)
		}
		for _, runs := range turn {
			var before bench.Run
			for i, name := range runs {
				t.repeat = passes[name]
				run, err := s.measure(ctx, name, t)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				if err := json.NewEncoder(out).Encode(run); err != nil {
					return nil, err
				}
				if i > 0 {
					c.Pairs = append(c.Pairs, paired(duels, before, run))
				}
				before = run
			}
		}
	}
	c.Contestants = bench.Summarize(c.Pairs, labelled(t.kind, duels))
	for _, d := range duels {
		c.Duels = append(c.Duels, d.Fought(c.Pairs))
	}
	return c, nil
}

// megapixels returns the mean size of images.
func megapixels(ctx context.Context, files []string) (mean float64, err error) {
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		info, err := image.Probe(ctx, spool.Bytes{Data: data}, decode.Limits{})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		mean += float64(info.Width*info.Height) / 1e6 / float64(len(files))
	}
	return mean, nil
}

// begin returns a result without runs.
func (s *settings) begin(ctx context.Context) (*bench.Result, error) {
	doctor, err := output(ctx, s.spool, "doctor", "--json")
	if err != nil {
		return nil, err
	}
	r, err := bench.Begin(doctor)
	if err == nil && s.python != "" {
		err = outputJSON(ctx, &r.Versions, s.python, s.reference, "versions") // adds keys to the map
	}
	return r, err
}

// write writes the result so far, and the output of go test -bench if there is one.
func (s *settings) write(r *bench.Result) error {
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
	return r.Write(path + ".json")
}
