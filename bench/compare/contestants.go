package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/spoolmedia/spool/bench"
)

// contestant is somebody who can do the work.
type contestant struct {
	bench.Contestant
	command func(s *settings, set bench.Set) []string
	peer    bool // needs the peers' environment
}

// all are the contestants there are, spool first.
func all() []contestant {
	return []contestant{
		{Contestant: bench.Contestant{Name: bench.Spool, Label: "spool"}, command: spoolCommand},
		{Contestant: bench.Contestant{Name: "floor", Label: "bare libjpeg-turbo, not resized"}, command: floorCommand},
		peer("torchvision", "torchvision, DataLoader", "torchvision"),
		peer("pil", "Pillow, DataLoader", "pil"),
		peer("spdl", "SPDL, batches", "spdl"),
		peer("spdl_items", "SPDL, items", "spdl_items"),
		peer("dali", "DALI, CPU", "dali"),
		peer("cv2", "OpenCV, not antialiased", "cv2"),
		peer("cv2_area", "OpenCV, area", "cv2", "--cv2-area"),
	}
}

func spoolCommand(s *settings, set bench.Set) []string {
	return append([]string{s.spool, "bench", "images", "--json", "--files", set.Glob}, s.work()...)
}

func floorCommand(s *settings, set bench.Set) []string {
	own, err := os.Executable()
	if err != nil {
		own = os.Args[0]
	}
	return append([]string{own, "-floor", "-repeat", strconv.Itoa(s.repeat), "-workers", strconv.Itoa(s.workers)}, set.Files...)
}

// peer is a contestant of peers.py.
func peer(name, label, inScript string, more ...string) contestant {
	return contestant{Contestant: bench.Contestant{Name: name, Label: label}, peer: true, command: func(s *settings, set bench.Set) []string {
		args := append([]string{s.python, s.script, "images", "--files", set.Glob, "--peer", inScript}, s.work()...)
		return append(args, more...)
	}}
}

// work are the flags that spool and the peers share.
func (s *settings) work() []string {
	return []string{"--batch", strconv.Itoa(s.batch), "--size", strconv.Itoa(s.size), "--workers", strconv.Itoa(s.workers), "--repeat", strconv.Itoa(s.repeat)}
}

// contestants are those who are wanted and can run, spool first.
func (s *settings) contestants() ([]contestant, error) {
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(s.names, ",") {
		if name != "" {
			wanted[name] = true
		}
	}
	everybody := len(wanted) == 0
	var chosen []contestant
	for _, c := range all() {
		if c.Name == bench.Spool || (everybody || wanted[c.Name]) && (s.python != "" || !c.peer) {
			chosen = append(chosen, c)
		}
		delete(wanted, c.Name)
	}
	for name := range wanted {
		return nil, fmt.Errorf("there is no contestant %q", name)
	}
	if len(chosen) < 2 {
		return nil, errors.New("nobody to compare spool with")
	}
	return chosen, nil
}

// patience is far more than a run takes anywhere.
const patience = 15 * time.Minute

// measure has a contestant do the work once. A contestant that fails is a run with an error; only the
// end of ctx, or spool's own failure, is one of measure.
func (s *settings) measure(ctx context.Context, c contestant, set bench.Set) (bench.Run, error) {
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var run bench.Run
	load, command := bench.Load(), c.command(s, set)
	err := outputJSON(bounded, &run, command[0], command[1:]...)
	run.Load, run.Peer = load, c.Name // peers.py calls two that differ by a flag the same
	switch {
	case ctx.Err() != nil:
		return run, context.Cause(ctx)
	case err != nil && c.Name == bench.Spool:
		return run, err
	case err != nil:
		run.Error = err.Error()
	case run.Error == "" && (run.Items <= 0 || run.Rate <= 0):
		run.Error = "no figures"
	}
	return run, nil
}

// outputJSON runs a command that prints one JSON object.
func outputJSON(ctx context.Context, into any, name string, args ...string) error {
	out, err := output(ctx, name, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, into); err != nil {
		return fmt.Errorf("%s printed no JSON object: %w", name, err)
	}
	return nil
}

// output runs a command. Its error says what the command said last.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output() //nolint:gosec // the commands are the point
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, fmt.Errorf("%s: %w: %s", name, err, lines[len(lines)-1])
	}
	return out, err
}
