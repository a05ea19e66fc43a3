// Command objectstore measures loaders on photos in a store with latency: spool, and loaders that are commonly used
// from Python. It writes its result to bin/results, and goes on from an interrupted call, like bench/compare.
//
//	go run ./bench/objectstore -python "$(bench/peers/venv.sh bench/peers/requirements.txt ... bench/objectstore/requirements.txt)"
//
// The store is an S3 server in its own process, on the same machine. So rates should only be compared with one another.
// The cost of a GET for each client is measured as well. Before anything is timed, each loader's pixels are compared
// with torchvision's.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spoolmedia/spool/bench"
)

// settings are the command line.
type settings struct {
	spool     string  // the command
	python    string  // with the peers installed
	script    string  // loaders.py
	reference string  // reference.py of bench/peers
	latencies string  // milliseconds, comma separated
	names     string  // contestants, comma separated; empty: all
	grid      string  // ConcurrentDataloader's settings
	out       string  // folder
	photos    int     // different ones in the store
	seconds   float64 // approximate time of a run
	images    int     // in a run of spool
	batch     int
	size      int
	workers   int
	rounds    int
	wait      time.Duration // the longest, for a quiet machine
	strict    bool          // a loader that fails is an error

	files    []string
	set      string // their name
	endpoint string
	want     string          // file with the digests of the pixels
	verified map[string]bool // contestants whose pixels were compared
	peers    *peers          // nil before their first run
}

// latencies are the published ones. That with goals is first.
const latencies = "100,0,20,50,200"

// grid has the settings of ConcurrentDataloader.
const grid = "16x0,32x0,64x0,32x256,64x256,128x1024"

// rate is about that of spool on two cores, in images a second. Python's loaders reach a quarter of it at best, and
// load a quarter of its images.
const rate = 1200

func main() {
	s := settings{verified: map[string]bool{}}
	var serving, fetching bool
	flag.StringVar(&s.spool, "spool", "bin/spool", "the `command` to measure")
	flag.StringVar(&s.python, "python", "", "`interpreter` of the peers' environment; without it spool runs alone")
	flag.StringVar(&s.script, "script", "bench/objectstore/loaders.py", "the other loaders")
	flag.StringVar(&s.reference, "reference", "bench/peers/reference.py", "the script that decodes with torchvision")
	flag.StringVar(&s.latencies, "latencies", latencies, "`milliseconds` of latency, comma separated")
	flag.StringVar(&s.names, "contestants", "", "loaders to compare spool with, comma separated; all by default")
	flag.StringVar(&s.grid, "grid", grid,
		"`settings` of ConcurrentDataloader, the best of which counts at each latency: fetch workers x batch pool")
	flag.StringVar(&s.out, "out", "bin/results", "`folder` for the result")
	flag.IntVar(&s.photos, "photos", 100, "different photos in the store")
	flag.Float64Var(&s.seconds, "seconds", 4, "approximate time of a run on two cores, from which its images are derived")
	flag.IntVar(&s.batch, "batch", 32, "images in a batch")
	flag.IntVar(&s.size, "size", 224, "width and height of the result")
	flag.IntVar(&s.workers, "workers", 2, "workers of each loader")
	flag.IntVar(&s.rounds, "rounds", 5, "runs of each loader")
	flag.DurationVar(&s.wait, "wait", 10*time.Minute, "how long to wait for a load of at most 0.5 before the first run")
	flag.BoolVar(&s.strict, "strict", false, "end with an error if a loader fails, at the end")
	flag.BoolVar(&serving, "serve", false, "be the store")
	flag.BoolVar(&fetching, "get", false, "be the client that only reads")
	flag.IntVar(&s.images, "images", 0, "photos for that client to read")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	switch {
	case serving:
		err = serve(flag.Args(), os.Stdin, os.Stdout)
	case fetching:
		err = get(ctx, os.Stdout, flag.Args(), s.images)
	default:
		err = s.run(ctx, os.Stdout)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "objectstore:", err)
		os.Exit(1)
	}
}

func (s *settings) run(ctx context.Context, out io.Writer) error {
	set, err := bench.Photos(".")
	if err != nil {
		return err
	}
	s.images = int(rate * s.seconds)
	s.files, s.set = set[0].Files[:min(s.photos, len(set[0].Files))], set[0].Name
	fmt.Fprintf(out, "objectstore: %d photos of %s\n", len(s.files), set[0].Glob)
	chosen, err := s.chosen()
	if err != nil {
		return err
	}
	var all []int
	for latency := range strings.SplitSeq(s.latencies, ",") {
		ms, err := strconv.Atoi(latency)
		if err != nil {
			return fmt.Errorf("latencies: %w", err)
		}
		all = append(all, ms)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wait, err := s.start(ctx)
	if err != nil {
		return err
	}
	defer wait()
	defer s.stopPeers()
	load := bench.AwaitQuiet(ctx, out, s.wait, bench.Load)
	result, err := s.begin(ctx)
	if err != nil {
		return err
	}
	result.Machine.Load = load
	folder, err := os.MkdirTemp("", "objectstore")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := s.verify(ctx, folder); err != nil {
		return err
	}
	var earlier []*bench.Result
	if !s.partial() {
		if earlier, err = bench.Earlier(s.out); err != nil {
			return err
		}
	}
	keep := func(work bench.Work, measure func() (*bench.Comparison, error)) error {
		if in := bench.Measured(earlier, result, work); in != nil {
			fmt.Fprintf(out, "objectstore: %s: measured already, in %s\n", work.Name, in.Name())
			return nil
		}
		c, err := measure()
		if err != nil {
			return err
		}
		result.Works = append(result.Works, *c)
		return s.write(out, result) // the rest may be interrupted
	}
	for _, ms := range all {
		measure := func() (*bench.Comparison, error) { return s.compare(ctx, out, chosen, ms) }
		if err := keep(s.loads(ms), measure); err != nil {
			return err
		}
	}
	if err := keep(s.gets(), func() (*bench.Comparison, error) { return s.clients(ctx, out) }); err != nil {
		return err
	}
	if err := show(out, result); err != nil || !s.strict {
		return err
	}
	return failures(result)
}

// failures returns the reasons of loaders that have failed.
func failures(r *bench.Result) (err error) {
	for _, c := range r.Works {
		for _, p := range c.Contestants {
			if p.Error != "" {
				err = errors.Join(err, fmt.Errorf("%s: %s: %s", c.Work.Name, p.Label, p.Error))
			}
		}
	}
	return err
}

// start starts the store. It ends when its input is closed.
func (s *settings) start(ctx context.Context) (wait func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	server := exec.CommandContext(ctx, self, append([]string{"-serve"}, s.files...)...) //nolint:gosec // itself
	server.Stderr = os.Stderr
	in, err := server.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	wait = func() { _, _ = in.Close(), server.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	s.endpoint = strings.TrimSpace(line)
	if err != nil {
		wait()
	}
	return wait, err
}

// begin returns a result without runs.
func (s *settings) begin(ctx context.Context) (*bench.Result, error) {
	doctor, err := s.output(ctx, s.spool, "doctor", "--json")
	if err != nil {
		return nil, err
	}
	r, err := bench.Begin(doctor)
	if err == nil && s.python != "" {
		err = s.json(ctx, &r.Versions, s.script, "versions") // adds keys to the map
	}
	return r, err
}

func (s *settings) write(out io.Writer, r *bench.Result) error {
	if err := os.MkdirAll(s.out, 0o755); err != nil {
		return err
	}
	path := filepath.Join(s.out, r.Name()+".json")
	fmt.Fprintln(out, "objectstore:", path)
	return r.Write(path)
}

// show prints the result and the missed goals.
func show(out io.Writer, r *bench.Result) error {
	encoder := json.NewEncoder(out)
	for _, c := range r.Works {
		for _, p := range c.Contestants {
			fmt.Fprintf(out, "%-16s %-45s %8.1f/s  %.3f ms of CPU %s%s\n", c.Work.Name, p.Label, p.Rate, p.CPU, p.Setting,
				p.Error)
		}
		for _, d := range c.Duels {
			if err := encoder.Encode(d); err != nil {
				return err
			}
			if !d.Held() {
				fmt.Fprintf(out, "objectstore: MISSED: %s / %s is %.2f, not %.2f\n", d.Own, d.Other, d.Ratio, d.Goal)
			}
		}
	}
	return nil
}
