// Command overhead is the part in Go of bench/python/overhead.py, which compares calls of Python with those of Go. Its
// arguments are an image and a folder of images. Each line of its input is a kind and a number. It makes that many
// calls of the kind, and prints the microseconds of one. There are two kinds.
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
	"slices"
	"time"

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
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var kind string
		var n int
		if _, err := fmt.Sscan(lines.Text(), &kind, &n); err != nil {
			return err
		}
		var each time.Duration
		if kind == "image" {
			each, err = images(ctx, d, data, n)
		} else {
			each, err = batches(ctx, folder, n)
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%.3f\n", float64(each.Nanoseconds())/1e3); err != nil {
			return err
		}
	}
	return lines.Err()
}

// images returns the mean time of a decode.
func images(ctx context.Context, d *decoders.Set, data []byte, n int) (time.Duration, error) {
	begin := time.Now()
	for range n {
		pixels, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, image.Spec{})
		if err != nil {
			return 0, err
		}
		pixels.Release()
	}
	return time.Since(begin) / time.Duration(n), nil
}

// batches returns the median time to take a batch that is ready.
func batches(ctx context.Context, folder string, n int) (_ time.Duration, err error) {
	src, err := source.Folder(ctx, folder, source.Options{})
	if err != nil {
		return 0, err
	}
	ld, err := loader.Images(src, loader.ImageOptions{
		Spec:    image.Spec{Resize: resize.Spec{Width: 64, Height: 64}},
		Options: loader.Options{Batch: 8},
	})
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := ld.Close(); err == nil {
			err = e
		}
	}()
	var took []time.Duration
	for _, epoch := range ld.Headspace(ctx) {
		if took, err = take(epoch, took, n); err != nil || len(took) >= n {
			break
		}
	}
	if err != nil {
		return 0, err
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// take takes the batches of an epoch, up to n in all, and appends how long each took.
func take(epoch iter.Seq2[*batch.Batch, error], took []time.Duration, n int) ([]time.Duration, error) {
	next, stop := iter.Pull2(epoch)
	defer stop()
	for len(took) < n {
		begin := time.Now()
		for until := begin.Add(work); begin.Before(until); {
			begin = time.Now()
		}
		b, err, more := next()
		if !more {
			return took, nil
		}
		if err != nil {
			return took, err
		}
		took = append(took, time.Since(begin))
		b.Release()
	}
	return took, nil
}
