package main

import (
	"encoding/json"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cbridge/jpeg"
)

// runFloor decodes the files with bare libjpeg-turbo to RGB and throws the pixels away: what a loader on
// top of it could reach if all else were free. Files are read before the clock starts.
func runFloor(out io.Writer, files []string, repeat, workers int) error {
	data := make([][]byte, len(files))
	largest := 0
	for i, file := range files {
		var err error
		if data[i], err = os.ReadFile(file); err != nil {
			return err
		}
		header, err := jpeg.ReadHeader(data[i])
		if err != nil {
			return err
		}
		largest = max(largest, 3*header.Width*header.Height)
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
				if err := jpeg.FloorRGB(data[i%len(data)], dst); err != nil {
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
	return json.NewEncoder(out).Encode(bench.Run{Peer: "floor", Items: float64(items), Rate: float64(items) / wall.Seconds(),
		CPU: (bench.CPUTime() - cpu).Seconds() * 1e3 / float64(items), Wall: wall.Seconds()})
}
