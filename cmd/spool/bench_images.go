package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// benched is a line of bench --json: the keys and definitions of the peers' benchmark.
type benched struct {
	Work    string  `json:"work"`
	Peer    string  `json:"peer"`
	Items   int     `json:"items"`
	Rate    float64 `json:"rate"`   // items a second after the first batch has arrived
	TTFB    float64 `json:"ttfb_s"` // from the start of loading to the first batch
	CPU     float64 `json:"cpu_ms"` // an item
	RSS     int64   `json:"rss_mb"` // peak
	Wall    float64 `json:"wall_s"`
	Profile string  `json:"profile"`
}

func benchImagesCommand() *cobra.Command {
	var (
		globs   []string
		repeat  int
		asJSON  bool
		profile string
		o       loader.ImageOptions
	)
	c := &cobra.Command{Use: "images --files GLOB", Short: "Pictures to batches, as fast as they come"}
	f := flagsOf(c)
	f.add("files", "GLOB", "", "files to load; may be given again, a later one adds", func(s string) error {
		globs = append(globs, s)
		return nil
	})
	f.number("batch", &o.Batch, 32, 1, "samples a batch")
	f.add("size", "N|WxH", "224", "size of every sample, stretched", func(s string) error { return setSize(&o.Spec.Resize, s, parseSquare) })
	f.add("workers", "N|auto", "2", "pictures decoded at a time", func(s string) (err error) { o.Workers, err = parseWorkers(s); return err })
	f.number("repeat", &repeat, 1, 1, "go over the files this many times")
	f.profile(&profile)
	f.boolean("json", &asJSON, false, "print one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		arguments(c, f, args, 0, 0, "")
		if len(args) > 0 {
			f.refuse("%s: files are given by --files: %v", c.CommandPath(), args)
		}
		if len(globs) == 0 {
			f.refuse("missing --files: what to load")
		}
		f.check(o.Validate())
		if err := f.err(); err != nil {
			return err
		}
		b, err := benchImages(c.Context(), globs, repeat, o)
		if err != nil {
			return err
		}
		b.Profile = profile
		if asJSON {
			return json.NewEncoder(c.OutOrStdout()).Encode(b)
		}
		return b.print(c.OutOrStdout())
	}
	return c
}

// benchImages loads the files, in the order of their names, repeat times over as one list.
func benchImages(ctx context.Context, globs []string, repeat int, o loader.ImageOptions) (benched, error) {
	var names []string
	for _, glob := range globs {
		found, err := filepath.Glob(glob)
		if err != nil {
			return benched{}, usagef("--files %s: %v", glob, err)
		}
		if len(found) == 0 {
			return benched{}, &spool.Error{Op: "bench", File: glob, Class: spool.ErrNotFound, Text: "no file matches"}
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	begin := time.Now()
	src := source.Files(slices.Repeat(names, repeat)...)
	o.OnError = loader.Fail
	ld, err := loader.Images(src, o)
	if err != nil {
		return benched{}, err
	}
	s := newSummary(begin, o)
	for batch, err := range ld.Batches(ctx) {
		if err != nil {
			ld.Close()
			return benched{}, err
		}
		s.add(batch)
		batch.Release()
	}
	s.finish(ld.Report())
	return benched{Work: "images", Peer: "spool", Items: s.Samples, Rate: s.Rate, TTFB: s.TTFB, CPU: s.CPU, RSS: s.RSS, Wall: s.Wall}, ld.Close()
}

func (b benched) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d items, %.1f/s, first batch after %.3f s, %.3f ms CPU an item, %d MB, %.2f s\n",
		b.Work, b.Items, b.Rate, b.TTFB, b.CPU, b.RSS, b.Wall)
	return err
}
