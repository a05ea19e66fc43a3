// Command soak holds the built spool to flat memory: its peak after a hundred thousand pictures is that after a
// thousand, within a few percent, and under a limit.
//
// Both are `spool bench images` on the same photos, repeated as needed, in processes of their own; the peak is what
// the kernel counted. A short run does not always meet the busiest moment that a long one meets, so there are
// several, and the highest counts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/spoolmedia/spool/bench"
)

type settings struct {
	spool  string
	few    int
	many   int
	short  int
	limit  float64
	growth float64
}

func main() {
	var s settings
	flag.StringVar(&s.spool, "spool", "bin/spool", "the `command` to measure")
	flag.IntVar(&s.few, "few", 1_000, "pictures of a short run, at least")
	flag.IntVar(&s.many, "many", 100_000, "pictures of the long run, at least")
	flag.IntVar(&s.short, "short", 5, "how many short runs")
	flag.Float64Var(&s.limit, "limit", 150, "the most memory, in MB")
	flag.Float64Var(&s.growth, "growth", 0.05, "how much more the long run may take")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := s.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func (s *settings) run(ctx context.Context) error {
	sets, err := bench.Photos(".")
	if err != nil {
		return err
	}
	var short float64
	for range s.short {
		peak, err := s.peak(ctx, sets[0], s.few)
		if err != nil {
			return err
		}
		short = max(short, peak)
	}
	long, err := s.peak(ctx, sets[0], s.many)
	if err != nil {
		return err
	}
	growth := long/short - 1
	fmt.Printf("soak: peak %.1f MB after %d pictures, %.1f MB after %d: %+.1f %%\n", short, s.few, long, s.many, 100*growth)
	var problems []error
	if max(short, long) > s.limit {
		problems = append(problems, fmt.Errorf("more than %.0f MB", s.limit))
	}
	if growth > s.growth {
		problems = append(problems, fmt.Errorf("growth of more than %.0f %%", 100*s.growth))
	}
	return errors.Join(problems...)
}

// peak loads at least n pictures and gives the most memory that was resident at a time, in MB.
func (s *settings) peak(ctx context.Context, set bench.Set, n int) (float64, error) {
	repeat := (n + len(set.Files) - 1) / len(set.Files)
	c := exec.CommandContext(ctx, s.spool, "bench", "images", "--json", "--files", set.Glob, "--repeat", strconv.Itoa(repeat)) //nolint:gosec // the command is the point
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return 0, err
	}
	u, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("no resource usage on this system")
	}
	mb := float64(u.Maxrss) / (1 << 10) // Linux counts in KiB
	fmt.Printf("soak: %.1f MB: %s", mb, out)
	return mb, nil
}
