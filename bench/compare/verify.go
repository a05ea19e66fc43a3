package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"

	"github.com/spoolmedia/spool/bench"
)

// verify compares the outputs of spool's profiles and of the peers with the references, before anything is timed. An
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
	return checks, nil
}
