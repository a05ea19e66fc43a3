// Command cancel measures how long the decoding of an image continues after its context was canceled. Each file is
// decoded completely, then again with a cancel after a tenth of that time.
//
//	go run ./bench/cancel [-n 15] [-resize] [-profile fast] [-isolate] FILE...
//
// A line has the CPU time of a complete decode, the median CPU time from the cancel to the return, and this as a share
// of the complete decode. The goroutine that cancels is included, which matters for images that take less than some
// milliseconds.
//
// With -isolate the images are decoded in a helper process, and the times are those of the clock: the helper is killed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/isolate"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
)

type settings struct {
	runs   int
	at     float64
	spec   image.Spec
	frames int
	now    func() time.Duration
}

func main() {
	isolate.Main()
	s := settings{now: cpuTime}
	var side int
	var profile string
	flag.IntVar(&s.runs, "n", 15, "how often each file is decoded")
	flag.Float64Var(&s.at, "at", 0.1, "the `share` of the decode after which it is canceled")
	flag.IntVar(&side, "side", 0, "resize to a square of this `side`; 0 keeps the size")
	flag.StringVar(&profile, "profile", "exact", "exact, pillow or fast")
	flag.IntVar(&s.frames, "frames", 0, "decode this `number` of frames of animations; 0 decodes one image")
	flag.BoolVar(&s.spec.ICC, "srgb", false, "convert to sRGB by the embedded color profile")
	isolated := flag.Bool("isolate", false, "decode in a helper process")
	turbo := flag.Bool("turbo", false, "decode JPEG with libjpeg-turbo alone")
	flag.Parse()

	if side > 0 {
		s.spec.Resize = resize.Spec{Width: side, Height: side}
	}
	switch profile {
	case "fast":
		s.spec.Resize.Profile = resize.Fast
	case "pillow":
		s.spec.Resize.Profile = resize.Pillow
	}
	o := decoders.Options{}
	if *turbo {
		o.JPEG = image.JPEGTurbo
	}
	if *isolated {
		self, err := os.Executable()
		if err != nil {
			fail(err)
		}
		o.Isolate = decode.Isolation{Which: decode.IsolateAll, Helper: self}
		begin := time.Now()
		s.now = func() time.Duration { return time.Since(begin) }
	}
	d, err := decoders.New(o)
	if err != nil {
		fail(err)
	}
	fmt.Printf("%-24s %9s %9s %6s\n", "file", "whole", "after", "share")
	for _, name := range flag.Args() {
		if failed := s.measure(d, name); failed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", name, failed))
		}
	}
	if err = errors.Join(err, d.Close()); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "cancel:", err)
	os.Exit(1)
}

func (s *settings) measure(d *decoders.Set, name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var whole, after []time.Duration
	for range s.runs {
		start := s.now()
		if err := s.decode(context.Background(), d, data); err != nil {
			return err
		}
		whole = append(whole, s.now()-start)
	}
	for range s.runs {
		t, err := s.cancelled(d, data, time.Duration(s.at*float64(median(whole))))
		if err != nil {
			return err
		}
		after = append(after, t)
	}
	share := float64(median(after)) / float64(median(whole))
	fmt.Printf("%-24s %9v %9v %5.1f%%\n", filepath.Base(name), median(whole).Round(10*time.Microsecond),
		median(after).Round(10*time.Microsecond), 100*share)
	return nil
}

// cancelled returns the CPU time from the cancel to the return. The context is canceled as soon as the process has used
// the CPU time wait.
func (s *settings) cancelled(d *decoders.Set, data []byte, wait time.Duration) (time.Duration, error) {
	const look = 20 * time.Microsecond
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	start := s.now()
	ended := make(chan time.Duration, 1)
	go func() {
		for ctx.Err() == nil && s.now()-start < wait {
			time.Sleep(look) //nolint:forbidigo // a processor clock has no event to wait for
		}
		ended <- s.now()
		cancel()
	}()
	err := s.decode(ctx, d, data)
	now := s.now()
	cancel()
	if err != nil && !errors.Is(err, context.Canceled) {
		return 0, err
	}
	return max(0, now-<-ended), nil
}

// cpuTime returns the CPU time of the process.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		fail(err)
	}
	return time.Duration(t.Nano())
}

func (s *settings) decode(ctx context.Context, d *decoders.Set, data []byte) error {
	if s.frames > 0 {
		b, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: data}, s.spec, s.frames)
		if err == nil {
			b.Release()
		}
		return err
	}
	b, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, s.spec)
	if err == nil {
		b.Release()
	}
	return err
}

func median(t []time.Duration) time.Duration {
	t = slices.Sorted(slices.Values(t))
	return t[len(t)/2]
}
