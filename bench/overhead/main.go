// Command overhead is the part in Go of bench/python/overhead.py, which compares calls of Python with those of Go. Its
// arguments are an image and a folder of images. Each line of its input is a kind and a number. It makes that many
// calls of the kind, and prints the microseconds of one: by the clock, and of its thread's processor time; first their
// medians, then their tenth percentiles, which other processes disturb least. There are two kinds.
//
//   - image: the image is decoded to its own size, and its pixels are released.
//   - batch: the next batch of a loader is taken, which is ready, and released. Only taking it is measured.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// work is how long the consumer computes between batches, so that the next one is ready.
const work = 2 * time.Millisecond

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: overhead IMAGE FOLDER")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "overhead:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name, folder string, in io.Reader, out io.Writer) (err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	d, err := decoders.New(decoders.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if e := d.Close(); err == nil {
			err = e
		}
	}()
	runtime.LockOSThread() // for the processor time of the thread
	defer runtime.UnlockOSThread()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var kind string
		var n int
		if _, err := fmt.Sscan(lines.Text(), &kind, &n); err != nil {
			return err
		}
		var took []cost
		if kind == "image" {
			took, err = images(ctx, d, data, n)
		} else {
			took, err = batches(ctx, folder, n)
		}
		if err != nil {
			return err
		}
		all, quiet := quantile(took, 0.5), quantile(took, 0.1)
		if _, err := fmt.Fprintf(out, "%.3f %.3f %.3f %.3f\n",
			micros(all.clock), micros(all.cpu), micros(quiet.clock), micros(quiet.cpu)); err != nil {
			return err
		}
	}
	return lines.Err()
}

// cost is what a call took, by the clock and of the processor.
type cost struct{ clock, cpu time.Duration }

// now returns the time of the clock, and the processor time of this thread.
func now() cost {
	var cpu unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &cpu); err != nil {
		panic(err) // all kernels have this clock
	}
	return cost{time.Since(start), time.Duration(cpu.Nano())}
}

var start = time.Now()

func (c cost) since(begin cost) cost { return cost{c.clock - begin.clock, c.cpu - begin.cpu} }

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// images returns what each of n decodes took.
func images(ctx context.Context, d *decoders.Set, data []byte, n int) ([]cost, error) {
	took := make([]cost, n)
	for i := range took {
		begin := now()
		pixels, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, image.Spec{})
		if err != nil {
			return nil, err
		}
		pixels.Release()
		took[i] = now().since(begin)
	}
	return took, nil
}

// batches returns what it took to take each of n batches that were ready.
func batches(ctx context.Context, folder string, n int) (took []cost, err error) {
	src, err := source.Folder(ctx, folder, source.Options{})
	if err != nil {
		return nil, err
	}
	ld, err := loader.Images(src, loader.ImageOptions{
		Spec:    image.Spec{Resize: resize.Spec{Width: 64, Height: 64}},
		Options: loader.Options{Batch: 8},
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := ld.Close(); err == nil {
			err = e
		}
	}()
	for _, epoch := range ld.Headspace(ctx) {
		if took, err = take(epoch, took, n); err != nil || len(took) >= n {
			break
		}
	}
	return took, err
}

// quantile returns a quantile of the clock's times, and that of the processor's.
func quantile(all []cost, q float64) cost {
	clocks, cpus := make([]time.Duration, len(all)), make([]time.Duration, len(all))
	for i, c := range all {
		clocks[i], cpus[i] = c.clock, c.cpu
	}
	slices.Sort(clocks)
	slices.Sort(cpus)
	at := int(q * float64(len(all)))
	return cost{clocks[at], cpus[at]}
}

// take takes the batches of an epoch, up to n in all, and appends what each took.
func take(epoch iter.Seq2[*batch.Batch, error], took []cost, n int) ([]cost, error) {
	next, stop := iter.Pull2(epoch)
	defer stop()
	for len(took) < n {
		begin := now()
		for until := begin.clock + work; begin.clock < until; {
			begin = now()
		}
		b, err, more := next()
		if !more {
			return took, nil
		}
		if err != nil {
			return took, err
		}
		took = append(took, now().since(begin))
		b.Release()
	}
	return took, nil
}
