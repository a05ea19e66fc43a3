package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/floor/media"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/proc"
)

// floors are bare libraries that decode a file's bytes to RGB in the given memory, or discard the pixels themselves.
var floors = map[string]func(data, rgb []byte) error{
	"jpeg-rgb":    floor.JPEG,
	"png-rgb":     floor.PNG,
	"webp-planes": floor.WebPYUV,
}

// runFloor decodes the files with a bare library and discards the pixels. A loader that uses the library cannot be
// faster.
func runFloor(ctx context.Context, out io.Writer, name string, files []string, repeat, workers int) error {
	if name == video {
		return race(out, name, len(files)*repeat, workers, func() func(i int) (int64, error) {
			return func(i int) (int64, error) { return media.Video(files[i%len(files)], false) }
		})
	}
	floor, ok := floors[name]
	if !ok {
		return fmt.Errorf("there is no floor %q", name)
	}
	return runImages(ctx, out, name, floor, files, repeat, workers)
}

// runImages is runFloor for images. They are read before the clock starts.
func runImages(ctx context.Context, out io.Writer, name string, floor func(data, rgb []byte) error, files []string,
	repeat, workers int) error {
	data, sizes := make([][]byte, len(files)), make([]int, len(files))
	largest := 0
	for i, file := range files {
		var err error
		if data[i], err = os.ReadFile(file); err != nil {
			return err
		}
		info, err := image.Probe(ctx, spool.Bytes{Data: data[i]}, decode.Limits{})
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		sizes[i] = 3 * info.Width * info.Height
		largest = max(largest, sizes[i])
	}
	return race(out, name, len(files)*repeat, workers, func() func(i int) (int64, error) {
		dst := make([]byte, largest)
		return func(i int) (int64, error) {
			k := i % len(data)
			return 1, floor(data[k], dst[:sizes[k]])
		}
	})
}

// race runs tasks in workers, each with its own function, which returns a number of items, and prints the run.
func race(out io.Writer, name string, tasks, workers int, worker func() func(i int) (int64, error)) error {
	var (
		group sync.WaitGroup
		next  atomic.Int64
		items atomic.Int64
		errs  = make([]error, workers)
		began = time.Now()
		cpu   = bench.CPUTime()
		moved = proc.Moved()
	)
	for g := range workers {
		group.Go(func() {
			do := worker()
			for i := int(next.Add(1)) - 1; i < tasks; i = int(next.Add(1)) - 1 {
				n, err := do(i)
				if err != nil {
					errs[g] = err
					return
				}
				items.Add(n)
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	wall, n, now := time.Since(began), float64(items.Load()), proc.Moved()
	return json.NewEncoder(out).Encode(bench.Run{Peer: name, Items: n, Rate: n / wall.Seconds(),
		CPU: (bench.CPUTime() - cpu).Seconds() * 1e3 / n, Wall: wall.Seconds(), Moved: bench.Moved{
			Read: float64(now.Read-moved.Read) / 1024 / n, Faults: float64(now.Faults-moved.Faults) / n}})
}
