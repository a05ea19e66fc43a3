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

// client is what reading a photo whole costs a client of the store, and nothing else.
type client struct {
	Client string  `json:"client"`
	CPU    float64 `json:"us"` // of the process, a GET
	Rate   float64 `json:"rate"`
}

// get reads the objects below an address again and again, by spool's client.
func get(ctx context.Context, out io.Writer, args []string, pictures int) error {
	c, err := object.New(object.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // nothing is on its way
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
			for i := r; i < pictures; i += readers {
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
	return json.NewEncoder(out).Encode(client{"spool", float64((bench.CPUTime() - cpu).Microseconds()) / float64(pictures), float64(pictures) / took.Seconds()})
}

// read reads an object whole, into p if that is large enough.
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

// clients measures what a GET costs each client, without latency. Of one that fails there is the reason; the error is ctx's.
func (s *settings) clients(ctx context.Context, out io.Writer) (*bench.Comparison, error) {
	c := &bench.Comparison{Work: bench.Work{Name: "objectstore-get", Kind: bench.Requests, Pictures: len(s.files), Repeat: s.epochs(), Workers: readers, Rounds: 1}}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for _, name := range [...]string{bench.Spool, "boto3", "s3fs", "obstore", "s3torchconnector"} {
		command := s.other("client-"+name, 0, s.pictures/8)
		switch {
		case name == bench.Spool:
			command = []string{self, "-pictures", strconv.Itoa(s.pictures), "-get", "s3://" + bucket(0) + "/photos/"}
		case s.python == "":
			continue
		}
		m := bench.Summary{Peer: name, Label: name}
		var measured client
		if err := s.json(ctx, &measured, command...); err != nil {
			m.Error = err.Error()
		}
		m.Rate, m.CPU = measured.Rate, measured.CPU/1e3
		fmt.Fprintf(out, "objectstore: %s: %.0f us of CPU a GET %s\n", m.Label, measured.CPU, m.Error)
		c.Contestants = append(c.Contestants, m)
	}
	return c, ctx.Err()
}
