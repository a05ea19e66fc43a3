package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spoolmedia/spool/bench"
)

// outcome is a part of the record.
type outcome struct {
	Part    string        `json:"part"`
	Command []string      `json:"command"`
	Machine bench.Machine `json:"machine"` // with the load when the part began
	LoadEnd float64       `json:"load_end"`
	Share   float64       `json:"share"` // of the samples
	Samples int           `json:"samples"`
	Failed  int           `json:"failed"` // samples that are damaged
	Wall    float64       `json:"wall_s"`
	CPU     float64       `json:"cpu_s"`   // of the command and its helpers
	Peak    float64       `json:"peak_mb"` // of the command, by the kernel
	judgment
	Problem string `json:"problem,omitempty"`

	// Each second's memory, as medians of at most 240 successive stretches of the run.
	Seconds  []float64 `json:"seconds"`
	Resident []float64 `json:"resident_mb"`
	Private  []float64 `json:"private_mb"`
}

func (o outcome) String() string {
	text := fmt.Sprintf("%s: %d samples in %.0f s, peak %.1f MB; ", o.Part, o.Samples, o.Wall, o.Peak) +
		o.judgment.String()
	if o.Problem != "" {
		text += ": " + o.Problem
	}
	return text
}

// part runs a part to its end.
func (s *soak) part(ctx context.Context, p part) (o outcome, err error) {
	folder, err := os.MkdirTemp("", "soak")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(folder)
	files, err := p.files(ctx, folder, s.share)
	if err != nil {
		return o, err
	}
	args := append([]string{}, p.args...)
	source := files[0]
	if p.name != longVideo {
		source = filepath.Join(folder, "list")
		n, err := list(source, files)
		if err != nil {
			return o, err
		}
		args = append(args, fmt.Sprintf("--epochs=%.0f", math.Ceil(s.share*float64(p.samples)/float64(n))))
	}
	args = append(args, "--json")
	o = outcome{Part: p.name, Command: append([]string{"spool"}, args...), Machine: bench.ThisMachine(), Share: s.share}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "LIST", source)
	}
	looks, err := s.watch(ctx, args, &o)
	if err != nil {
		return o, err
	}
	o.LoadEnd = bench.Load()
	o.judgment = judge(looks)
	o.Seconds, o.Resident, o.Private = condense(looks)
	var problems []string
	if p.limit > 0 && o.Peak > p.limit {
		problems = append(problems, fmt.Sprintf("a peak of more than %.0f MB", p.limit))
	}
	if s.share >= 1 && o.Growth > tolerance {
		problems = append(problems, fmt.Sprintf("growth of more than %.0f %%", 100*tolerance))
	}
	o.Problem = strings.Join(problems, ", ")
	return o, nil
}

// watch runs the command, and looks at its memory until it ends.
func (s *soak) watch(ctx context.Context, args []string, o *outcome) (looks []look, err error) {
	c := exec.CommandContext(ctx, s.spool, args...) //nolint:gosec // the command is the point
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	var out, failed strings.Builder
	c.Stdout, c.Stderr = &out, &failed
	begin := time.Now()
	if err := c.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error)
	go func() { ended <- c.Wait() }()
	ticks := time.NewTicker(s.interval)
	defer ticks.Stop()
	for running := true; running; {
		select {
		case <-ticks.C:
			if m, ok := memoryOf(c.Process.Pid); ok { // not if it has just ended
				looks = append(looks, look{time.Since(begin).Seconds(), m})
			}
		case err = <-ended:
			running = false
		}
	}
	if err = errors.Join(err, ctx.Err()); err != nil {
		text := failed.String()
		return nil, fmt.Errorf("%w: %s", err, text[max(0, len(text)-2000):])
	}
	o.Wall = time.Since(begin).Seconds()
	o.CPU = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.Peak = float64(u.Maxrss) * 1024 / 1e6 // Linux counts in KiB
	}
	var summary struct {
		Samples int `json:"samples"`
		Failed  int `json:"failed"`
		Items   int `json:"items"` // of spool bench
	}
	if err := json.Unmarshal([]byte(out.String()), &summary); err != nil {
		return nil, fmt.Errorf("%s: %w", out.String(), err)
	}
	o.Samples, o.Failed = summary.Samples+summary.Items, summary.Failed
	return looks, nil
}
