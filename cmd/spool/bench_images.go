package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// benched is a line of bench --json: the keys and definitions of the peers' benchmark.
type benched struct {
	Work    string  `json:"work"`
	Peer    string  `json:"peer"`
	Items   int     `json:"items"`
	Rate    float64 `json:"rate"`   // items a second between the first batch and the last
	TTFB    float64 `json:"ttfb_s"` // from the start of loading to the first batch
	CPU     float64 `json:"cpu_ms"` // an item
	RSS     int64   `json:"rss_mb"` // peak
	Wall    float64 `json:"wall_s"` // from the start of loading to the last batch
	Profile string  `json:"profile"`
}

func benchImagesCommand(args []string) *cobra.Command {
	return benchPictures(args, "images", "Pictures to batches, as fast as they come", resize.Augment{})
}

// benchPictures is a command that loads pictures, augmented as said.
func benchPictures(args []string, work, short string, augment resize.Augment) *cobra.Command {
	var (
		files  []string
		repeat int
		asJSON bool
		o      = loader.ImageOptions{OnError: loader.Fail, Augment: augment}
	)
	c := &cobra.Command{Use: work + " --files GLOB...", Short: short}
	f := newFlags(c, args)
	f.add("files", "GLOB", "", "files to load; a second one adds", func(s string) error { files = append(files, s); return nil })
	f.number("batch", &o.Batch, "32", 1, "samples a batch")
	f.size("size", "N|WxH", "224", "size of every sample, stretched", &o.Spec.Resize.Width, &o.Spec.Resize.Height, parseSquare)
	f.workers(&o.Workers, "2", "pictures")
	f.number("repeat", &repeat, "1", 1, "go over the files this many times")
	f.profile(&o.Spec.Resize.Profile)
	f.jpeg(&o.JPEG)
	f.limits(&o.Limits)
	f.boolean("json", &asJSON, false, "print one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(files) == 0 {
			f.refuse("missing --files: what to load")
		}
		files = append(files, args...) // of a pattern that the shell has taken apart
		f.fits(o.Batch, 1, o.Spec)
		f.check(o.Validate())
		if err := f.err(); err != nil {
			return err
		}
		b, err := measure(c.Context(), files, repeat, o)
		if err != nil {
			return err
		}
		b.Work, b.Profile = work, o.Spec.Resize.Profile.String()
		if asJSON {
			return writeJSON(c.OutOrStdout(), b)
		}
		return b.print(c.OutOrStdout())
	}
	return c
}

// measure loads the files in the order of their names, repeat times over as one list.
func measure(ctx context.Context, globs []string, repeat int, o loader.ImageOptions) (benched, error) {
	found, err := source.Open(ctx, globs, source.Options{})
	if err != nil {
		return benched{}, err
	}
	names := make([]string, found.Len())
	for i := range names {
		names[i] = found.Item(i).Name
	}
	slices.Sort(names)
	src := repeated{source.Files(names...), repeat}

	s := newSummary(o.Workers)
	ld, err := loader.Images(src, o)
	if err != nil {
		return benched{}, err
	}
	defer spareProcessors(o.Workers)()
	for b, failed := range ld.Batches(ctx) {
		if err = failed; err != nil {
			break
		}
		s.add(b)
		b.Release()
	}
	s.finish(ld)
	closing(&err, ld.Close)
	return benched{Peer: "spool", Items: s.Samples, Rate: s.steadyRate(), TTFB: s.TTFB, CPU: s.CPU, RSS: s.RSS,
		Wall: s.elapsed().Seconds()}, err
}

func (b benched) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d items, %.1f/s, first batch after %.3f s, %.3f ms CPU an item, %d MB, %.2f s\n",
		b.Work, b.Items, b.Rate, b.TTFB, b.CPU, b.RSS, b.Wall)
	return err
}
