package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"

	"github.com/spoolmedia/spool/bench"
)

// verify compares the outputs of spool's profiles and of the peers with the references, before anything is timed. For
// spool's profiles verify.py uses the Python package. The command, which is timed, is compared as well for images. An
// output that exceeds its bound is an error.
func (s *settings) verify(ctx context.Context, t task) (checks []bench.Check, err error) {
	args := []string{s.verifier, t.command, "--files", t.set.Glob, "--batch", strconv.Itoa(t.batch), "--size",
		strconv.Itoa(s.size), "--workers", strconv.Itoa(s.workers)}
	command := exec.CommandContext(ctx, s.python, args...) //nolint:gosec // the commands are the point
	var said bytes.Buffer
	command.Stderr = &said
	out, failed := command.Output()
	for line := range bytes.Lines(out) {
		var c bench.Check
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, fmt.Errorf("verify.py printed %q: %w", line, err)
		}
		if c.Worst > c.Bound {
			return nil, fmt.Errorf("%s: %s differs by %.4g, %.4g is allowed", c.What, c.File, c.Worst, c.Bound)
		}
		checks = append(checks, c)
	}
	if failed != nil {
		return nil, fmt.Errorf("verify.py: %w: %s", failed, bytes.TrimSpace(said.Bytes()))
	}
	if t.kind == "" {
		c, err := s.verifyCommand(ctx, t)
		if err != nil {
			return nil, err
		}
		checks = append(checks, c)
	}
	return checks, nil
}

// verifyCommand compares the batches of the command, of profile exact, with digests of torchvision's pixels. Random
// crops are those of seed 0.
func (s *settings) verifyCommand(ctx context.Context, t task) (bench.Check, error) {
	c := bench.Check{What: "batches of the command, torchvision's bytes", Files: len(t.set.Files), File: t.set.Files[0]}
	shape := []string{"--batch", strconv.Itoa(t.batch), "--size", strconv.Itoa(s.size)}
	if t.command == "train" {
		shape = append(shape, "--train")
	}
	of := func(command ...string) []string { return slices.Concat(command, shape, t.set.Files) }
	want, err := output(ctx, s.python, of(s.reference, "batches")...)
	if err != nil {
		return c, err
	}
	got, err := output(ctx, s.spool, of("run", "images", "--json", "--digest", "--seed", "0", "--on-error", "fail",
		"--workers", strconv.Itoa(s.workers))...)
	if err == nil && (len(want) == 0 || !bytes.HasPrefix(got, want)) {
		err = errors.New("the batches of the command are not torchvision's")
	}
	return c, err
}
