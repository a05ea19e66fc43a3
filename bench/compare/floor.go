package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/decode"
)

// floors are libraries that decode a file's bytes with nothing around them, into memory for its RGB. Where they throw
// pixels away they do it themselves.
var floors = map[string]func(data, rgb []byte) error{
	"jpeg-rgb":    jpeg.FloorRGB,
	"png-rgb":     png.FloorLibpng,
	"webp-planes": webp.FloorYUV,
}

// runFloor decodes the files with a bare library and throws the pixels away: what a loader on top of it
// could reach if all else were free. Files are read before the clock starts.
func runFloor(ctx context.Context, out io.Writer, name string, files []string, repeat, workers int) error {
	floor, ok := floors[name]
	if !ok {
		return fmt.Errorf("there is no floor %q", name)
	}
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
	var (
		group   sync.WaitGroup
		next    atomic.Int64
		items   = len(files) * repeat
		errs    = make([]error, workers)
		began   = time.Now()
		cpu     = bench.CPUTime()
		forEach = func(g int) {
			dst := make([]byte, largest)
			for i := int(next.Add(1)) - 1; i < items; i = int(next.Add(1)) - 1 {
				k := i % len(data)
				if err := floor(data[k], dst[:sizes[k]]); err != nil {
					errs[g] = err
					return
				}
			}
		}
	)
	for g := range workers {
		group.Go(func() { forEach(g) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	wall := time.Since(began)
	return json.NewEncoder(out).Encode(bench.Run{Peer: name, Items: float64(items), Rate: float64(items) / wall.Seconds(),
		CPU: (bench.CPUTime() - cpu).Seconds() * 1e3 / float64(items), Wall: wall.Seconds()})
}
