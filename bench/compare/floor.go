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

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/cbridge/floor/media"
	"github.com/spoolmedia/spool/decode"
)

// floors are libraries that decode a file's bytes with nothing around them, into memory for its RGB. Where they throw
// pixels away they do it themselves.
var floors = map[string]func(data, rgb []byte) error{
	"jpeg-rgb":    floor.JPEG,
	"png-rgb":     floor.PNG,
	"webp-planes": floor.WebPYUV,
}

// runFloor decodes the files with a bare library and throws the pixels away: what a loader on top of it
// could reach if all else were free.
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
	return runPictures(ctx, out, name, floor, files, repeat, workers)
}

// runPictures is runFloor for pictures. They are read before the clock starts.
func runPictures(ctx context.Context, out io.Writer, name string, floor func(data, rgb []byte) error, files []string, repeat, workers int) error {
	data, sizes := make([][]byte, len(files)), make([]int, len(files))
	largest := 0
	for i, file := range files {
		var err error
		if data[i], err = os.ReadFile(file); err != nil {
			return err
		}
		info, err := decode.ProbeImage(ctx, data[i], decode.Limits{})
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

// race has workers, each with a function of its own, do so many tasks, which give numbers of items.
func race(out io.Writer, name string, tasks, workers int, worker func() func(i int) (int64, error)) error {
	var (
		group sync.WaitGroup
		next  atomic.Int64
		items atomic.Int64
		errs  = make([]error, workers)
		began = time.Now()
		cpu   = bench.CPUTime()
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
	wall, n := time.Since(began), float64(items.Load())
	return json.NewEncoder(out).Encode(bench.Run{Peer: name, Items: n, Rate: n / wall.Seconds(),
		CPU: (bench.CPUTime() - cpu).Seconds() * 1e3 / n, Wall: wall.Seconds()})
}
