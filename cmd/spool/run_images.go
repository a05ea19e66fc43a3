package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
)

// run is one call of run images.
type run struct {
	sources []string
	options loader.ImageOptions
	sheet   string // contact sheet of the first batch
	ledger  string
	digest  bool
	json    bool
	stdout  io.Writer
	stderr  io.Writer
}

func runImagesCommand() *cobra.Command {
	var (
		r       run
		profile string
	)
	c := &cobra.Command{Use: "images SRC...", Short: "Load pictures from files, folders, globs and @lists"}
	f := flagsOf(c)
	o := &r.options
	f.number("batch", &o.Batch, 32, 1, "samples a batch")
	f.add("size", "N|WxH", "224", "size of every sample", func(s string) error { return setSize(&o.Spec.Resize, s, parseSquare) })
	choice(f, "mode", &o.Spec.Resize.Mode, "stretch", "how --size is meant: fit pads, cover crops", modes)
	f.profile(&profile)
	f.add("workers", "N|auto", "auto", "pictures decoded at a time", func(s string) (err error) { o.Workers, err = parseWorkers(s); return err })
	f.number("epochs", &o.Epochs, 1, 1, "how often to go through the samples")
	f.boolean("shuffle", &o.Shuffle, false, "take each epoch's samples in an order of its own")
	f.add("seed", "N", "0", "what the order is drawn from", func(s string) error {
		n, err := parseInt(s)
		o.Seed = uint64(n)
		return err
	})
	choice(f, "order", &o.Order, "exact", "exact: input order; any: as they are decoded", map[string]batch.Order{"exact": batch.Exact, "any": batch.Any})
	choice(f, "last", &o.Last, "keep", "what becomes of a short last batch", map[string]batch.Last{"keep": batch.Keep, "drop": batch.Drop, "pad": batch.Pad})
	choice(f, "on-error", &o.OnError, "skip", "what a bad sample means", map[string]loader.Policy{"skip": loader.Skip, "fail": loader.Fail, "placeholder": loader.Placeholder})
	f.add("max-failures", "N|P%", "", "end the run when more samples fail", func(s string) error {
		count, fraction, err := parseBudget(s)
		if err == nil && count == 0 && fraction == 0 && o.OnError == loader.Skip {
			o.OnError = loader.Fail // none may
		}
		if fraction == 1 {
			fraction = 0 // all may
		}
		o.MaxFailures, o.MaxFailureRate = count, fraction
		return err
	})
	f.number("limit", &o.Limit, 0, 0, "samples an epoch; 0 takes all")
	f.accept(&o.Spec)
	f.limits(&o.Limits)
	f.text("save-first", &r.sheet, "FILE.png", "contact sheet of the first batch, with ids")
	f.text("ledger", &r.ledger, "FILE", "a JSON line for each bad sample")
	f.boolean("digest", &r.digest, false, "print EPOCH BATCH SHA256 for each batch")
	f.boolean("json", &r.json, false, "print one JSON object at the end")
	c.RunE = func(c *cobra.Command, args []string) error {
		arguments(c, f, args, 1, 0, "files, folders, globs or @lists to load")
		f.check(o.Validate())
		if err := f.err(); err != nil {
			return err
		}
		r.sources, r.stdout, r.stderr = args, c.OutOrStdout(), c.ErrOrStderr()
		return r.images(c.Context())
	}
	return c
}

// images drives the loader and prints what it did, also when it was interrupted.
func (r *run) images(ctx context.Context) (err error) {
	begin := time.Now()
	src, err := source.Open(ctx, r.sources, source.Options{})
	if err != nil {
		return err
	}
	if r.ledger != "" {
		file, err := os.Create(r.ledger)
		if err != nil {
			return spool.InFile(err, r.ledger)
		}
		defer func() {
			if closing := file.Close(); err == nil {
				err = closing
			}
		}()
		r.options.Ledger = pipe.NewJSONLedger(file)
	} else {
		r.options.Ledger = told{r.stderr}
	}
	ld, err := loader.Images(src, r.options)
	if err != nil {
		return asUsage(err)
	}
	s := newSummary(begin, r.options)
	p := newProgress(r.stderr, s, min(src.Len(), limitOf(r.options.Limit))*r.options.Epochs)
	failed := r.consume(ctx, ld, s, p)
	p.end()
	s.finish(ld.Report())
	if closing := ld.Close(); failed == nil {
		failed = closing
	}
	if s.Batches == 0 && failed != nil && ctx.Err() == nil {
		return failed
	}
	if r.json {
		if err := json.NewEncoder(r.stdout).Encode(s); err != nil {
			return err
		}
	} else {
		s.print(r.stdout)
	}
	return failed
}

// consume takes every batch and looks at it.
func (r *run) consume(ctx context.Context, ld *loader.Loader, s *summary, p *progress) error {
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			return err
		}
		if s.add(b); s.Batches == 1 && r.sheet != "" {
			if err := saveSheet(r.sheet, b); err != nil {
				b.Release()
				return err
			}
		}
		if r.digest {
			fmt.Fprintf(r.stdout, "%d %d %s\n", b.Epoch, b.Index, digest(b))
		}
		b.Release()
		p.show()
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
	return fmt.Sprintf("%x", h.Sum(nil))
}

// told is the ledger of a run without a file: bad samples are told on stderr.
type told struct{ w io.Writer }

func (t told) Add(f pipe.Failure) error {
	var e *spool.Error
	if !errors.As(f.Err, &e) {
		_, err := fmt.Fprintf(t.w, "spool: sample %s: %s: %s\n", f.ID, f.Class, f.Text)
		return err
	}
	_, err := fmt.Fprintln(t.w, describe(f.Err))
	return err
}

func limitOf(n int) int {
	if n == 0 {
		return int(^uint(0) >> 1)
	}
	return n
}
