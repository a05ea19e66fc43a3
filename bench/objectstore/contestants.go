package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoolmedia/spool/bench"
)

// contestant is a loader.
type contestant struct {
	bench.Contestant
	single bool    // gets one photo at a time in each worker: a few are enough
	goal   float64 // how many times its rate spool has to have at 100 ms; 0: nothing in particular
}

// all are the contestants of loaders.py. spool itself is the command.
func all() []contestant {
	named := func(name, label string) bench.Contestant { return bench.Contestant{Name: name, Label: label} }
	return []contestant{
		{Contestant: named("sequential", "DataLoader, boto3"), single: true, goal: 30},
		{Contestant: named("s3fs", "DataLoader, s3fs"), single: true},
		{Contestant: named("connector", "DataLoader, s3-connector-for-pytorch"), single: true},
		{Contestant: named("concurrent", "ConcurrentDataloader, boto3"), goal: 2},
		{Contestant: named("spdl", "SPDL, boto3 in 64 threads")},
		{Contestant: named("spool_torch", "spool.torch.ConcurrentDataLoader, boto3")},
		{Contestant: named("spool_torch_collate", "the same, decoded by spool.torch.collate")},
		{Contestant: named("spool_loader", "spool.ImageLoader")},
	}
}

func (s *settings) chosen() ([]contestant, error) {
	switch {
	case s.python == "":
		return nil, nil
	case s.names == "":
		return all(), nil
	}
	var found []contestant
	for name := range strings.SplitSeq(s.names, ",") {
		i := slices.IndexFunc(all(), func(c contestant) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no contestant %q", name)
		}
		found = append(found, all()[i])
	}
	return found, nil
}

func bucket(ms int) string { return "ms" + strconv.Itoa(ms) }

// own is spool's command line.
func (s *settings) own(ms, epochs int, more ...string) []string {
	return append([]string{
		s.spool, "run", "images", "s3://" + bucket(ms) + "/photos/", "--json", "--batch", strconv.Itoa(s.batch), "--size", strconv.Itoa(s.size),
		"--workers", strconv.Itoa(s.workers), "--epochs", strconv.Itoa(epochs),
	}, more...)
}

// other is that of a loader of loaders.py.
func (s *settings) other(name string, ms, pictures int, more ...string) []string {
	return append([]string{
		s.python, s.script, name, "--endpoint", s.endpoint, "--bucket", bucket(ms), "--count", strconv.Itoa(len(s.files)), "--pictures", strconv.Itoa(pictures),
		"--batch", strconv.Itoa(s.batch), "--size", strconv.Itoa(s.size), "--workers", strconv.Itoa(s.workers), "--want", s.want,
	}, more...)
}

// verify holds spool's batches to torchvision's pixels of the same files, and keeps those in a file: each of the others is held
// to it by loaders.py before it is timed.
func (s *settings) verify(ctx context.Context, folder string) error {
	if s.python == "" {
		return nil
	}
	shape := []string{"--batch", strconv.Itoa(s.batch), "--size", strconv.Itoa(s.size)}
	want, err := s.output(ctx, append(append([]string{s.python, s.reference, "batches"}, shape...), s.files...)...)
	if err != nil {
		return err
	}
	got, err := s.output(ctx, s.own(0, 1, "--digest")...)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(got, want) {
		return errors.New("spool's batches are not torchvision's")
	}
	if want, err = s.output(ctx, append(append([]string{s.python, s.script, "photos"}, shape[2:]...), s.files...)...); err != nil {
		return err
	}
	s.want = filepath.Join(folder, "want")
	return os.WriteFile(s.want, want, 0o600)
}

// compare has everybody load at one latency: spool, then the others, each of which is beside spool's run of its round.
func (s *settings) compare(ctx context.Context, out io.Writer, chosen []contestant, ms int) (*bench.Comparison, error) {
	c := &bench.Comparison{Work: bench.Work{Name: "objectstore-" + strconv.Itoa(ms), Kind: bench.Remote, Latency: ms, Pictures: len(s.files),
		Repeat: s.epochs(), Batch: s.batch, Size: s.size, Workers: s.workers, Rounds: s.rounds}}
	labels := []bench.Contestant{{Name: bench.Spool, Label: "spool run"}}
	measure := func(name string, command []string) (bench.Run, error) {
		run := bench.Run{Load: bench.Load()}
		if err := s.json(ctx, &run, command...); err != nil {
			return run, fmt.Errorf("%s: %w", name, err)
		}
		run.Peer = name
		return run, json.NewEncoder(out).Encode(run)
	}
	var best string // setting of ConcurrentDataloader
	for round := range s.rounds {
		own, err := measure(bench.Spool, s.own(ms, s.epochs()))
		if err != nil {
			return nil, err
		}
		for _, other := range chosen {
			if other.single && round > 0 { // it does nothing but wait
				continue
			}
			if other.Name == "concurrent" && best == "" {
				if best, err = s.search(ctx, out, ms); err != nil {
					return nil, err
				}
			}
			run, err := measure(other.Name, s.command(other, ms, best))
			if err != nil {
				return nil, err
			}
			c.Pairs = append(c.Pairs, bench.Pair{Own: own, Other: run})
		}
		if len(chosen) == 0 {
			c.Pairs = append(c.Pairs, bench.Pair{Own: own})
		}
	}
	for _, other := range chosen {
		if other.Name == "concurrent" {
			other.Label += ", " + best
		}
		labels = append(labels, other.Contestant)
		d := bench.Duel{Own: bench.Spool, Other: other.Name}
		if ms == 100 {
			d.Goal = other.goal
		}
		c.Duels = append(c.Duels, d.Fought(c.Pairs))
	}
	c.Contestants = bench.Summarize(c.Pairs, labels)
	return c, nil
}

func (s *settings) epochs() int { return max(1, s.pictures/len(s.files)) }

// command is how another loader runs: those that get one photo at a time for some batches only, about ten seconds.
func (s *settings) command(c contestant, ms int, setting string) []string {
	pictures := s.pictures / 2 // Python's loaders have half of spool's rate at best
	if c.single && ms > 0 {
		pictures = min(pictures, s.batch*max(2*s.workers, 8_000/ms*s.workers/s.batch))
	}
	command := s.other(c.Name, ms, pictures)
	if c.Name == "concurrent" {
		command = append(command, grid(setting)...)
	}
	return command
}

func grid(setting string) []string {
	fetchers, pool, _ := strings.Cut(setting, "x")
	return []string{"--fetchers", fetchers, "--pool", pool}
}

// search finds ConcurrentDataloader's best setting at a latency.
func (s *settings) search(ctx context.Context, out io.Writer, ms int) (best string, err error) {
	highest := 0.0
	for setting := range strings.SplitSeq(s.grid, ",") {
		var run bench.Run
		if err := s.json(ctx, &run, s.other("concurrent", ms, s.pictures/4, grid(setting)...)...); err != nil {
			return "", err
		}
		fmt.Fprintf(out, "objectstore: %d ms: ConcurrentDataloader, %s: %.0f/s\n", ms, setting, run.Rate)
		if run.Rate > highest {
			highest, best = run.Rate, setting
		}
	}
	return best, nil
}

// patience is far more than a run takes anywhere.
const patience = 15 * time.Minute

// json runs a command that prints one JSON object.
func (s *settings) json(ctx context.Context, into any, command ...string) error {
	out, err := s.output(ctx, command...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

// output runs a command with the store's address. Its error says what the command said last.
func (s *settings) output(ctx context.Context, command ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the commands are the point
	cmd.Env = append(os.Environ(), "AWS_ENDPOINT_URL="+s.endpoint, "AWS_ACCESS_KEY_ID=benchmark", "AWS_SECRET_ACCESS_KEY=benchmark", "AWS_REGION=us-east-1")
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(command[:3], " "), err, lines[len(lines)-1])
	}
	return out, err
}
