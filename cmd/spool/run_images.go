package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// imageRun is one call of run images.
type imageRun struct {
	sources []string
	options loader.ImageOptions
	sheet   string // file for a contact sheet of the first batch
	ledger  string // file for the failures
	digest  bool
	json    bool
	stdout  io.Writer
	stderr  io.Writer
}

func runImagesCommand(args []string) *cobra.Command {
	var (
		r       imageRun
		allowed budget
		train   bool
	)
	c := &cobra.Command{Use: "images SRC...", Short: "Load pictures from files, folders, globs and @lists"}
	f := newFlags(c, args)
	o := &r.options
	f.number("batch", &o.Batch, "32", 1, "samples a batch")
	f.size("size", "N|WxH", "224", "size of every sample, as --mode says", &o.Spec.Resize.Width, &o.Spec.Resize.Height, parseSquare)
	choice(f, "mode", &o.Spec.Resize.Mode, "stretch", "how --size is meant: fit pads, cover crops", modes)
	f.number("resize-shorter", &o.Spec.Resize.Shorter, "", 1, "instead of --size: the shorter side is N; needs --crop")
	f.size("crop", "WxH", "", "then cut this size out of the centre", &o.Spec.Resize.CropWidth, &o.Spec.Resize.CropHeight, parseSquare)
	f.number("frame", &o.Spec.Frame, "0", 0, "which frame of animated pictures, or page; the failure of those that have fewer")
	p := f.picture(&o.Spec)
	f.add("workers", "N|auto", "auto", "pictures decoded at a time", func(s string) (err error) { o.Workers, err = parseWorkers(s); return err })
	f.number("epochs", &o.Epochs, "1", 1, "how often to go through the samples")
	f.boolean("shuffle", &o.Shuffle, false, "take each epoch's samples in an order of its own")
	f.boolean("train", &train, false, "a random part of each picture, resized to --size, and mirrored half of the time")
	f.add("seed", "N", "0", "what the order and the crops are drawn from", func(s string) (err error) {
		if o.Seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			err = errors.New("a whole number from 0 up")
		}
		return err
	})
	choice(f, "order", &o.Order, "exact", "exact: input order; any: as they are decoded", map[string]batch.Order{"exact": batch.Exact, "any": batch.Any})
	choice(f, "last", &o.Last, "keep", "what becomes of a short last batch", map[string]batch.Last{"keep": batch.Keep, "drop": batch.Drop, "pad": batch.Pad})
	choice(f, "on-error", &o.OnError, "skip", "what a bad sample means", map[string]loader.Policy{"skip": loader.Skip, "fail": loader.Fail, "placeholder": loader.Placeholder})
	f.add("max-failures", "N|P%", "100%", "end the run when more samples fail", func(s string) (err error) { allowed, err = parseBudget(s); return err })
	f.number("limit", &o.Limit, "0", 0, "samples an epoch, 0 for all")
	f.jpeg(&o.JPEG)
	f.limits(&o.Limits)
	f.text("save-first", &r.sheet, "FILE.png", "contact sheet of the first batch, with its ids")
	f.text("ledger", &r.ledger, "FILE", "a JSON line for each bad sample, instead of a line on stderr")
	f.boolean("digest", &r.digest, false, "print EPOCH BATCH SHA256 for each batch")
	f.boolean("json", &r.json, false, "print one JSON object at the end")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, len(args), "files, folders, globs or @lists to load")
		if o.Spec.Resize.Shorter > 0 && !c.Flags().Changed("size") {
			o.Spec.Resize.Width, o.Spec.Resize.Height = 0, 0
		}
		if train {
			o.Augment = training()
			if c.Flags().Changed("resize-shorter") || c.Flags().Changed("crop") {
				f.refuse("--train takes a crop of its own: not with --resize-shorter or --crop")
			}
		}
		p.apply(f, &o.Spec)
		if r.sheet != "" && !sheetable(o.Spec) {
			f.refuse("--save-first draws uint8 pixels with --color rgb and --layout nhwc")
		}
		f.fits(o.Batch, o.Spec)
		allowed.apply(o)
		f.check(o.Validate())
		if err := f.err(); err != nil {
			return err
		}
		r.sources, r.stdout, r.stderr = args, c.OutOrStdout(), c.ErrOrStderr()
		return r.run(c.Context())
	}
	return c
}

// apply sets what a loader understands: it has no budget of nothing, and none of everything.
func (b budget) apply(o *loader.ImageOptions) {
	if b == (budget{}) {
		o.OnError = loader.Fail
	}
	if b != noLimit {
		o.MaxFailures, o.MaxFailureRate = b.count, b.fraction
	}
}

// run drives the loader and prints what it did, also when it was interrupted. A run that fails before its
// first batch leaves nothing but the line for what it failed with.
func (r *imageRun) run(ctx context.Context) (err error) {
	s := newSummary(r.options.Workers)
	src, err := source.Open(ctx, r.sources, source.Options{AllowEmpty: true})
	if err != nil {
		return err
	}
	bad, err := newFailures(newConsole(r.stderr), r.ledger)
	if err != nil {
		return err
	}
	defer closing(&err, bad.close)
	bad.silent = r.options.OnError == loader.Fail
	if skipped := src.Skipped().String(); skipped != "" {
		bad.note("spool: skipped in folders: " + skipped)
	}
	first, err := newSheet(r.sheet)
	if err != nil {
		return err
	}
	defer closing(&err, first.close)
	r.options.Ledger = bad
	ld, err := loader.Images(src, r.options)
	if err != nil {
		return err
	}

	defer spareProcessors(r.options.Workers)()
	total := r.options.Epochs * min(src.Len(), cmp.Or(r.options.Limit, src.Len()))
	failed := r.consume(ctx, ld, &progress{failures: bad, summary: s, total: total}, first)
	s.finish(ld)
	closing(&failed, ld.Close)
	stopped := failed != nil && ctx.Err() != nil
	switch {
	case stopped:
		failed = ctx.Err()
	case s.nothing(failed):
		failed = bad.all()
	}
	if failed != nil && !stopped && s.Batches == 0 {
		return failed
	}
	bad.flow()
	if err := s.print(r.stdout, r.json, stopped); err != nil {
		return err
	}
	return failed
}

// consume takes every batch and looks at it.
func (r *imageRun) consume(ctx context.Context, ld *loader.Loader, p *progress, first *sheet) error {
	defer p.end()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			return err
		}
		p.add(b)
		first.add(b)
		if r.digest {
			_, err = fmt.Fprintf(r.stdout, "%d %d %s\n", b.Epoch, b.Index, digest(b))
		}
		b.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// digest is the SHA-256 of a batch: pixels, then labels as 64-bit little-endian integers.
func digest(b *batch.Batch) string {
	h := sha256.New()
	h.Write(b.Bytes())
	var word [8]byte
	for _, label := range b.Labels() {
		binary.LittleEndian.PutUint64(word[:], uint64(label))
		h.Write(word[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
