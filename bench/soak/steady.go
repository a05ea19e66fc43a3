package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spoolmedia/spool/internal/proc"
)

// steady are the works that run for a time, -for, with -isolate: their memory is that of the command and of its
// helpers, once a second.
var steady = map[string][]string{
	"steady-images": {"run", "images", "../shared/media/photos", "--size=224", "--train"},
	"steady-clips":  {"run", "video", "../shared/media/video", "--size=112", "--frames=16", "--train"},
	"steady-audio":  {"run", "audio", "../shared/media/audio", "--duration=2", "--train"},
}

// steadyRun runs a work for a time. It compares the medians of the first quarter after the warm-up, which is the first
// fifth of the time, and of the last quarter.
func (s *settings) steadyRun(ctx context.Context, name string) error {
	args := append(slices.Clone(steady[name]), "--epochs=1000000", "--workers=2", "--max-failures=100%", "--shuffle",
		"--isolate="+s.isolate)
	c := exec.Command(s.spool, args...) //nolint:gosec,noctx // the command is the point; it is interrupted below
	var out, failed strings.Builder
	c.Stdout, c.Stderr = &out, &failed
	if err := c.Start(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	var list []float64
	for tick := time.NewTicker(time.Second); limited.Err() == nil; {
		select {
		case <-tick.C:
			mb, err := resident(c.Process.Pid)
			if err != nil {
				return errors.Join(err, c.Wait(), errors.New(failed.String()))
			}
			list = append(list, mb)
		case <-limited.Done():
			tick.Stop()
		}
	}
	_ = c.Process.Signal(os.Interrupt) // it may have ended
	ended := c.Wait()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	fmt.Printf("soak: %s: %v, %s\n", name, ended, lines[len(lines)-1])
	if s.csv != "" {
		if err := writeCSV(filepath.Join(s.csv, name+"-"+s.isolate+".csv"), list); err != nil {
			return err
		}
	}
	rest := list[len(list)/5:]
	if len(rest) < 4 {
		return errors.New("too short")
	}
	first, last := median(rest[:len(rest)/4]), median(rest[len(rest)-len(rest)/4:])
	fmt.Printf("soak: %s, isolate %s, %v: %.1f MB in the first quarter after the warm-up, %.1f MB in the last: %+.1f %%\n",
		name, s.isolate, s.time, first, last, 100*(last/first-1))
	if last > first*(1+s.steady) {
		return fmt.Errorf("growth of more than %.0f %%", 100*s.steady)
	}
	return nil
}

// resident is the memory of a process and of its children in MB.
func resident(pid int) (mb float64, err error) {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(tasks) == 0 {
		return 0, fmt.Errorf("process %d has ended, %w", pid, err)
	}
	all := []string{fmt.Sprint(pid)}
	for _, task := range tasks {
		text, _ := os.ReadFile(task) // a thread may have ended
		all = append(all, strings.Fields(string(text))...)
	}
	for _, p := range all {
		_, resident, err := proc.MemoryOf(p)
		if err == nil { // a helper may have ended
			mb += float64(resident) / 1e6
		}
	}
	if mb == 0 {
		return 0, fmt.Errorf("process %d has ended", pid)
	}
	return mb, nil
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// writeCSV writes the memory for each second.
func writeCSV(path string, list []float64) error {
	var text strings.Builder
	text.WriteString("second,mb\n")
	for i, mb := range list {
		fmt.Fprintf(&text, "%d,%.1f\n", i+1, mb)
	}
	return os.WriteFile(path, []byte(text.String()), 0o600)
}
