package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spoolmedia/spool/bench"
)

// task is a work with its files.
type task struct {
	work
	set    bench.Set
	repeat int
}

// contestant is a loader or library that can do a work.
type contestant struct {
	label   string // for people
	peer    bool   // needs the peers' environment
	command func(s *settings, t task) []string
}

// all returns the contestants by name.
func all() map[string]contestant {
	return map[string]contestant{
		bench.Spool:    ours("spool, exact", "exact"),
		"spool_pillow": ours("spool, pillow", "pillow"),
		"spool_fast":   ours("spool, fast", "fast"),
		"spool_1":      ours("spool, exact, one worker", "exact", "--workers", "1"),
		"spool_nchw":   ours("spool, exact, NCHW", "exact", "--layout", "nchw"),

		bench.Loader:       peer("", "spool_loader"),
		"spool_dataloader": peer("spool.torch.collate in a DataLoader", "spool_dataloader"),
		"spool_threads":    peer("spool.decode_images in threads", "spool_threads"),
		"spool_transform":  peer("spool.torchvision, single pictures in a DataLoader", "spool_transform"),

		"floor":       bare("bare libjpeg-turbo, not resized", "jpeg-rgb"),
		"floor_png":   bare("bare libpng, not resized", "png-rgb"),
		"floor_yuv":   bare("bare libwebp, planes only", "webp-planes"),
		"torchvision": peer("torchvision, DataLoader", "torchvision"),
		"pil":         peer("Pillow, DataLoader", "pil"),
		"spdl":        peer("SPDL, batches", "spdl"),
		"spdl_items":  peer("SPDL, items", "spdl_items"),
		"dali":        peer("DALI, CPU", "dali"),
		"cv2":         peer("OpenCV, not antialiased", "cv2"),
		"cv2_area":    peer("OpenCV, area", "cv2_area"),
		"cv2_reduced": peer("OpenCV, reduced, area", "cv2_reduced"),
		"pil_draft":   peer("Pillow, draft", "pil_draft"),
		"vips":        peer("libvips, thumbnail", "vips"),
		"floor_video": bare("bare FFmpeg, planes only", "video"),
		"torchcodec":  peer("torchcodec", "torchcodec"),
		"decord":      peer("decord", "decord"),
		"pyav":        peer("PyAV", "pyav"),
		"spdl_media":  peer("SPDL", "spdl"),
	}
}

// ours returns the spool command with a profile and more flags, which override earlier ones.
func ours(label, profile string, more ...string) contestant {
	return contestant{label: label, command: func(s *settings, t task) []string {
		args := append([]string{s.spool, "bench", t.command, "--json", "--profile", profile, "--files", t.set.Glob},
			s.shape(t)...)
		return append(args, more...)
	}}
}

// bare returns this program with a flag that makes it run a bare library.
func bare(label, floor string) contestant {
	return contestant{label: label, command: func(s *settings, t task) []string {
		own, err := os.Executable()
		if err != nil {
			own = os.Args[0]
		}
		return append([]string{own, "-floor", floor, "-repeat", strconv.Itoa(t.repeat), "-workers", strconv.Itoa(s.workers)},
			t.set.Files...)
	}}
}

// peer returns a loader of peers.py.
func peer(label, inScript string) contestant {
	return contestant{label: label, peer: true, command: func(s *settings, t task) []string {
		return append([]string{s.python, s.script, t.command, "--files", t.set.Glob, "--peer", inScript}, s.shape(t)...)
	}}
}

// shape returns the flags that spool and the peers share.
func (s *settings) shape(t task) []string {
	return []string{"--batch", strconv.Itoa(t.batch), "--size", strconv.Itoa(s.size), "--workers", strconv.Itoa(s.workers),
		"--repeat", strconv.Itoa(t.repeat)}
}

// labelled returns the contestants of duels in a kind of work, spool's first, each once.
func labelled(kind string, duels []bench.Duel) (found []bench.Contestant) {
	known := all()
	add := func(name string) {
		c := bench.Contestant{Name: name, Label: known[name].label}
		if name == bench.Loader {
			c.Label = "spool." + bench.LoaderOf(kind)
		}
		if !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	for _, d := range duels {
		add(d.Own)
	}
	for _, d := range duels {
		add(d.Other)
	}
	return found
}

// runTimeout is far more than a run takes on any machine.
const runTimeout = 15 * time.Minute

// measure runs a contestant once. If another loader fails, the run has an error. The error of measure is that of ctx,
// or a failure of spool itself.
func (s *settings) measure(ctx context.Context, name string, t task) (bench.Run, error) {
	bounded, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	c := all()[name]
	var run bench.Run
	load, command := bench.Load(), c.command(s, t)
	err := outputJSON(bounded, &run, command[0], command[1:]...)
	run.Load, run.Peer = load, name // peers.py has other names
	switch {
	case ctx.Err() != nil:
		return run, context.Cause(ctx)
	case err != nil && !c.peer:
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

// output runs a command. The error has the last line of the command's stderr.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output() //nolint:gosec // the commands are the point
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, fmt.Errorf("%s: %w: %s", name, err, lines[len(lines)-1])
	}
	return out, err
}
