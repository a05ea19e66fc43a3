package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	single bool // gets one photo at a time in each worker
	quick  bool // has about the command's rate, and loads as many images, so that its start has the same weight
	// settings, the best of which counts, comma separated: fetch workers x batch pool, or w and a number of workers
	grid string
	goal float64 // the least multiple of its rate that spool should reach at 100 ms; 0 if there is no goal
}

// all returns the contestants of loaders.py. spool itself is the command.
func (s *settings) all() []contestant {
	named := func(name, label string) bench.Contestant { return bench.Contestant{Name: name, Label: label} }
	return []contestant{
		{Contestant: named("sequential", "DataLoader, boto3"), single: true, goal: 30},
		{Contestant: named("workers", "DataLoader with more workers, boto3"), single: true, grid: "w4,w8,w16,w32"},
		{Contestant: named("s3fs", "DataLoader, s3fs"), single: true},
		{Contestant: named("connector", "DataLoader, s3-connector-for-pytorch"), single: true},
		{Contestant: named("concurrent", "ConcurrentDataloader, boto3"), grid: s.grid, goal: 2},
		{Contestant: named("spdl", "SPDL, boto3 in threads"), grid: "16x0,32x0,64x0,128x0,256x0"},
		{Contestant: named("spool_torch", "spool.torch.ConcurrentDataLoader, boto3")},
		{Contestant: named("spool_torch_collate", "spool.torch.ConcurrentDataLoader and collate")},
		{Contestant: named("spool_loader", "spool.ImageLoader"), quick: true},
	}
}

func (s *settings) chosen() ([]contestant, error) {
	switch {
	case s.python == "":
		return nil, nil
	case s.names == "":
		return s.all(), nil
	}
	var found []contestant
	for name := range strings.SplitSeq(s.names, ",") {
		i := slices.IndexFunc(s.all(), func(c contestant) bool { return c.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no contestant %q", name)
		}
		found = append(found, s.all()[i])
	}
	return found, nil
}

// partial reports whether some of the contestants are left out.
func (s *settings) partial() bool { return s.python == "" || s.names != "" }

func bucket(ms int) string { return "ms" + strconv.Itoa(ms) }

// own returns spool's command line.
func (s *settings) own(ms, epochs int, more ...string) []string {
	return append([]string{
		s.spool, "run", "images", "s3://" + bucket(ms) + "/photos/", "--json", "--batch", strconv.Itoa(s.batch), "--size",
		strconv.Itoa(s.size),
		"--workers", strconv.Itoa(s.workers), "--epochs", strconv.Itoa(epochs),
	}, more...)
}

// other returns the command line of a loader of loaders.py.
func (s *settings) other(name string, ms, images int, more ...string) []string {
	return append([]string{
		s.script, name, "--endpoint", s.endpoint, "--bucket", bucket(ms), "--count", strconv.Itoa(len(s.files)), "--images",
		strconv.Itoa(images),
		"--batch", strconv.Itoa(s.batch), "--size", strconv.Itoa(s.size), "--workers", strconv.Itoa(s.workers),
	}, more...)
}

// command returns the command line of another loader for a run, or for a trial of a setting, which is half as long.
func (s *settings) command(c contestant, ms int, setting string, trial bool) []string {
	images := s.images / 4
	switch {
	case c.quick:
		images = s.images
	case trial:
		images /= 2
	}
	workers, numbered := strings.CutPrefix(setting, "w")
	if c.single {
		images = s.whole(images, ms, workers)
	}
	command := s.other(c.Name, ms, images)
	if numbered {
		command = append(command, "--workers", workers) // overrides the earlier flag
	} else if setting != "" {
		fetchers, pool, _ := strings.Cut(setting, "x")
		command = append(command, "--fetchers", fetchers, "--pool", pool)
	}
	if !trial && !s.verified[c.Name] {
		command = append(command, "--want", s.want)
	}
	return command
}

// whole returns the images of a loader that gets one at a time in each worker. It is a whole number of batches for each
// of them, so that none waits for others at the end: as many as take the time of a run, but for one that takes longer.
func (s *settings) whole(most, ms int, workers string) int {
	n, err := strconv.Atoi(workers)
	if err != nil {
		n = s.workers
	}
	batches := most / (n * s.batch)
	if ms > 0 {
		batches = min(batches, int(1000*s.seconds)/ms/s.batch)
	}
	return n * s.batch * max(1, batches)
}

// verify compares spool's batches with torchvision's pixels of the same files, and writes the digests of these to a
// file. loaders.py compares each of the others with that file before it is timed.
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
	if want, err = s.output(ctx, append(append([]string{s.script, "photos"}, shape[2:]...), s.files...)...); err != nil {
		return err
	}
	s.want = filepath.Join(folder, "want")
	return os.WriteFile(s.want, want, 0o600)
}

// runTimeout is far more than a run takes on any machine, also if others use it: the first one imports torch.
const runTimeout = 5 * time.Minute

// json runs a command that prints one JSON object.
func (s *settings) json(ctx context.Context, into any, command ...string) error {
	out, err := s.output(ctx, command...)
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

// output runs a command, or a command line of loaders.py, with the store's URL. The error has the last line of the
// command's stderr.
func (s *settings) output(ctx context.Context, command ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	if command[0] == s.script {
		return s.outputOfPeer(ctx, command[1:])
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the commands are the point
	cmd.Env = s.environment()
	cmd.WaitDelay = time.Second // workers of a killed process may live longer
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(command[0]), ctx.Err())
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(command[0]), err, lines[len(lines)-1])
	}
	return out, err
}

// environment returns the environment with the store's URL.
func (s *settings) environment() []string {
	return append(os.Environ(), "AWS_ENDPOINT_URL="+s.endpoint, "AWS_ACCESS_KEY_ID=benchmark",
		"AWS_SECRET_ACCESS_KEY=benchmark", "AWS_REGION=us-east-1")
}

// outputOfPeer starts the process of loaders.py if it does not run, and ends it if it does not answer.
func (s *settings) outputOfPeer(ctx context.Context, args []string) (out []byte, err error) {
	if s.peers == nil {
		if s.peers, err = startPeers(s.python, s.script, s.environment()); err != nil {
			return nil, err
		}
	}
	if out, err = s.peers.run(ctx, args); errors.Is(err, errPeers) {
		err = fmt.Errorf("%s: %w: %s", args[0], err, s.stopPeers())
	}
	return out, err
}

// stopPeers ends the process of loaders.py if it runs, and returns the last line of its stderr.
func (s *settings) stopPeers() (last string) {
	if s.peers != nil {
		last, s.peers = s.peers.close(), nil
	}
	return last
}
