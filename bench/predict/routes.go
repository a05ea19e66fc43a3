package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/pipe/costs"
	"github.com/spoolmedia/spool/resize"
)

// routes is a mixture of two sources, with a path for small files and one for large ones. It runs in a process of its
// own.
func (m machine) routes(media string) pipeline {
	tries := workers()[:3]
	tries = append(tries, change{name: "2 workers for small files", flags: []string{"2", "2"},
		predict: costs.Settings{Stages: map[string]int{"size/0/decode": 2, "size/1/decode": 2}}})
	return pipeline{name: "routes and merge", tries: tries, run: func(ctx context.Context, c change, file string) error {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		small, large := "1", "2"
		switch {
		case c.predict.Workers > 0:
			small, large = strconv.Itoa(c.predict.Workers), strconv.Itoa(c.predict.Workers)
		case len(c.flags) == 2:
			small, large = c.flags[0], c.flags[1]
		}
		out, err := m.command(ctx, self, routed, media, file, small, large).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}}
}

// routed is the argument with which this program runs the pipeline.
const routed = "routed"

// runRoutes runs the pipeline, and writes its costs.
func runRoutes(ctx context.Context, arguments []string) (err error) {
	const epochs, batch = 6, 16
	media, file := arguments[0], arguments[1]
	small, err := strconv.Atoi(arguments[2])
	if err != nil {
		return err
	}
	large, err := strconv.Atoi(arguments[3])
	if err != nil {
		return err
	}
	set, err := decoders.New(decoders.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if e := set.Close(); err == nil {
			err = e
		}
	}()
	recorder := &costs.Recorder{Memory: func() int64 { _, n, _ := proc.Memory(); return n }}
	p := pipe.New(pipe.Options{Observer: recorder, OnFailure: pipe.Skip})
	source := func(folder string, epochs int) *pipe.Flow[[]byte] {
		names, _ := filepath.Glob(filepath.Join(media, folder, "*.jpg")) // the pattern is valid
		list := pipe.FromSeq(p, folder, func(yield func(string) bool) {
			for range epochs {
				for _, name := range names {
					if !yield(name) {
						return
					}
				}
			}
		})
		return pipe.Map(list, folder+"/fetch", pipe.Stage{}, func(_ context.Context, name string) ([]byte, error) {
			return os.ReadFile(name)
		})
	}
	photos, others := source("photos", epochs), source("large", 40*epochs)
	mixed := pipe.Merge("mix", pipe.Stage{}, pipe.MergeOptions{Weights: []float64{9, 1}, StopAtFirst: true},
		photos, others)
	decode := func(workers int) func(*pipe.Flow[[]byte]) *pipe.Flow[*spool.Buffer] {
		return func(in *pipe.Flow[[]byte]) *pipe.Flow[*spool.Buffer] {
			return pipe.Map(in, "decode", pipe.Stage{Workers: workers}, func(ctx context.Context, data []byte) (*spool.Buffer,
				error) {
				b, _, err := set.Images.Decode(ctx, spool.Bytes{Data: data}, image.Spec{
					Resize: resize.Spec{Width: 224, Height: 224}})
				return b, err
			})
		}
	}
	const most = 200 << 10 // bytes of a small file
	decoded := pipe.Route(mixed, "size", pipe.Stage{}, func(_ context.Context, data []byte) (int, error) {
		if len(data) > most {
			return 1, nil
		}
		return 0, nil
	}, decode(small), decode(large))
	for buffers, err := range pipe.Batch(decoded, "batch", pipe.Stage{}, batch).All(ctx) {
		if err != nil {
			return err
		}
		bytes := 0
		for _, b := range buffers {
			bytes += len(b.Bytes())
			b.Release()
		}
		recorder.Batch(len(buffers), bytes)
	}
	return recorder.Costs(p.Report()).Write(file)
}
