// Command soak checks that the memory of the built spool stays flat: its peak after very many files is within a few
// percent of that after some files, and below a limit. The arguments are the works to run: images, clips (every
// frame of each), and long-video (of two hours, made by the ffmpeg command, which has only the limit).
//
// The works steady-images, steady-clips and steady-audio run for a time, with helper processes or without, and their
// memory must not grow.
//
// The others are runs of `spool bench` over the same files, repeated as needed, each in its own process. The peak is that of
// the kernel's accounting. A short run does not always meet the peak of a long run, so there are several short runs,
// and the highest peak counts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spoolmedia/spool/bench"
)

// work is a benchmark to run, and its limit of memory.
type work struct {
	bench string // the subcommand of spool bench
	files func(ctx context.Context, dir string) (glob string, n int, err error)
	few   int     // least files of a short run; 0 if there is none
	many  int     // least files of the long run
	limit float64 // MB
}

var works = map[string]work{
	"images":     {bench: "images", files: photos, few: 1_000, many: 100_000, limit: 150},
	"clips":      {bench: "videofull", files: clips, few: 100, many: 10_000, limit: 250},
	"long-video": {bench: "videofull", files: longVideo, many: 1, limit: 200},
}

type settings struct {
	spool  string
	short  int
	growth float64
	scale  float64

	time    time.Duration // of steady works
	isolate string
	steady  float64
	csv     string
}

func main() {
	var s settings
	flag.StringVar(&s.spool, "spool", "bin/spool", "the `command` to measure")
	flag.IntVar(&s.short, "short", 5, "the number of short runs")
	flag.Float64Var(&s.growth, "growth", 0.05, "the share by which the peak of the long run may be higher")
	flag.Float64Var(&s.scale, "scale", 1, "the share of the long run to do")
	flag.DurationVar(&s.time, "for", 20*time.Minute, "how long each steady work runs")
	flag.StringVar(&s.isolate, "isolate", "all", "--isolate of steady works")
	flag.Float64Var(&s.steady, "steady", 0.02, "the share by which the memory of a steady work may grow")
	flag.StringVar(&s.csv, "csv", "", "a `folder` for the memory of steady works, second by second")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var err error
	for _, name := range flag.Args() {
		w, ok := works[name]
		if steady[name] != nil {
			if failed := s.steadyRun(ctx, name); failed != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", name, failed))
			}
			continue
		}
		if !ok {
			err = errors.Join(err, fmt.Errorf("there is no work %q", name))
			continue
		}
		if failed := s.run(ctx, name, w); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", name, failed))
		}
	}
	if flag.NArg() == 0 {
		err = errors.New("say which works to run: images, clips, long-video, steady-images, steady-clips, steady-audio")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func (s *settings) run(ctx context.Context, name string, w work) error {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	glob, files, err := w.files(ctx, dir)
	if err != nil {
		return err
	}
	var short float64
	for range s.short {
		if w.few == 0 {
			break
		}
		peak, err := s.peak(ctx, w.bench, glob, (w.few+files-1)/files)
		if err != nil {
			return err
		}
		short = max(short, peak)
	}
	many := max(w.few, int(s.scale*float64(w.many)), 1)
	long, err := s.peak(ctx, w.bench, glob, (many+files-1)/files)
	if err != nil {
		return err
	}
	var problems []error
	if max(short, long) > w.limit {
		problems = append(problems, fmt.Errorf("more than %.0f MB", w.limit))
	}
	if w.few == 0 {
		fmt.Printf("soak: %s: peak %.1f MB\n", name, long)
		return errors.Join(problems...)
	}
	growth := long/short - 1
	fmt.Printf("soak: %s: peak %.1f MB after %d files, %.1f MB after %d: %+.1f %%\n", name, short, w.few, long, many,
		100*growth)
	if growth > s.growth {
		problems = append(problems, fmt.Errorf("growth of more than %.0f %%", 100*s.growth))
	}
	return errors.Join(problems...)
}

// peak loads the files repeatedly, and returns the peak of resident memory in MB.
func (s *settings) peak(ctx context.Context, work, glob string, repeat int) (float64, error) {
	c := exec.CommandContext(ctx, s.spool, "bench", work, "--json", "--files", glob, "--repeat", strconv.Itoa(repeat)) //nolint:gosec // the command is the point
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

func photos(context.Context, string) (glob string, n int, err error) {
	sets, err := bench.Photos(".")
	if err != nil {
		return "", 0, err
	}
	fmt.Printf("soak: %d photos of %s\n", len(sets[0].Files), sets[0].Glob)
	return sets[0].Glob, len(sets[0].Files), nil
}

// clips returns the clips that make bench-media generates, or one small clip of testdata.
func clips(context.Context, string) (glob string, n int, err error) {
	for _, glob := range []string{bench.Media + "/video/clip*.mp4", "testdata/video/bframes.mp4"} {
		found, err := filepath.Glob(glob)
		if err != nil || len(found) > 0 {
			fmt.Printf("soak: %d clips of %s\n", len(found), glob)
			return glob, len(found), err
		}
	}
	return "", 0, errors.New("no clips")
}

// longVideo makes a video of two hours.
func longVideo(ctx context.Context, dir string) (glob string, n int, err error) {
	glob = filepath.Join(dir, "long.mp4")
	//nolint:gosec // of our own making
	c := exec.CommandContext(ctx, "ffmpeg", "-v", "error", "-f", "lavfi", "-i",
		"testsrc2=size=320x240:rate=25:duration=7200",
		"-c:v", "mpeg4", "-q:v", "20", "-g", "250", glob)
	c.Stderr = os.Stderr
	return glob, 1, c.Run()
}
