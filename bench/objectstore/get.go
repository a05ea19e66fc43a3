package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

const readers = 64

// client is the cost of reading a whole photo for a client of the store.
type client struct {
	Client string  `json:"client"`
	CPU    float64 `json:"us"` // microseconds of CPU time of the process for a GET
	Rate   float64 `json:"rate"`
}

// get reads the objects below a URL repeatedly, with spool's client.
func get(ctx context.Context, out io.Writer, args []string, images int) error {
	c, err := object.New(object.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // nothing is in flight
	var entries []source.Entry
	for e, err := range c.List(ctx, args[0]) {
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if len(entries) == 0 {
		return fmt.Errorf("nothing at %s", args[0])
	}
	cpu, began := bench.CPUTime(), time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for r := range readers {
		group.Go(func() error {
			var p []byte
			for i := r; i < images; i += readers {
				var err error
				if p, err = read(ctx, c, entries[i%len(entries)], p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	took := time.Since(began)
	return json.NewEncoder(out).Encode(client{"spool", float64((bench.CPUTime() - cpu).Microseconds()) / float64(images),
		float64(images) / took.Seconds()})
}

// read reads a whole object, into p if that is large enough.
func read(ctx context.Context, c *object.Client, e source.Entry, p []byte) ([]byte, error) {
	o, err := c.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	size := o.Info().Size
	if int64(cap(p)) < size {
		p = make([]byte, size)
	}
	p = p[:size]
	_, err = o.ReadAt(ctx, p, 0)
	return p, err
}

// gets is the work of getting photos.
func (s *settings) gets() bench.Work {
	return bench.Work{Name: "objectstore-get", Kind: bench.Requests, Set: s.set, Files: len(s.files), Repeat: s.epochs(),
		Workers: readers, Rounds: s.rounds}
}

// clients measures the cost of a GET for each client in turn, without latency. For a client that fails, the result has
// the reason. The error is that of ctx.
func (s *settings) clients(ctx context.Context, out io.Writer) (*bench.Comparison, error) {
	c := &bench.Comparison{Partial: s.partial(), Work: s.gets()}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	measure := func(name string, command []string) bench.Run {
		run := bench.Run{Load: bench.Load(), Peer: name}
		var measured client
		if err := s.json(ctx, &measured, command...); err != nil {
			run.Error = err.Error()
		}
		run.Rate, run.CPU = measured.Rate, measured.CPU/1e3
		fmt.Fprintf(out, "objectstore: %s: %.0f us of CPU a GET %s\n", name, measured.CPU, run.Error)
		return run
	}
	labels := []bench.Contestant{{Name: bench.Spool, Label: bench.Spool}}
	if s.python != "" {
		for _, name := range [...]string{"boto3", "s3fs", "obstore", "s3torchconnector"} {
			labels = append(labels, bench.Contestant{Name: name, Label: name})
		}
	}
	for range s.rounds {
		own := measure(bench.Spool, []string{self, "-images", strconv.Itoa(s.images), "-get",
			"s3://" + bucket(0) + "/photos/"})
		for _, other := range labels[1:] {
			c.Pairs = append(c.Pairs, bench.Pair{Own: own,
				Other: measure(other.Name, s.other("client-"+other.Name, 0, s.images/4))})
		}
		if len(labels) == 1 {
			c.Pairs = append(c.Pairs, bench.Pair{Own: own})
		}
	}
	c.Contestants = summarize(c.Pairs, labels, nil)
	return c, ctx.Err()
}
