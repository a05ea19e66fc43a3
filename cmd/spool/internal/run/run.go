package run

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/internal/contactsheet"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/simulate"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/loader"
)

// run is one call of run images, run video, run audio or run records.
type run struct {
	*settings.Load
	sources []string

	do        action
	arguments []string // of the command line
	progress  checkpoint
	device    destination
	serving   serving

	pictures bool // batches have pictures

	sheet  string // file for a contact sheet of the first batch
	ledger string // file for the failures
	page   string // file for a page about the run
	trace  tracing

	costs    string // file for the costs of samples
	receipts string // file for the receipts of batches
	digests  bool   // of their samples
	digest   bool
	json     bool
	stdout   io.Writer
	stderr   io.Writer
}

// define adds the flags for the output of a run.
func (r *run) define(f *cli.Flags) {
	f.Text("ledger", &r.ledger, "FILE", "a JSON line for each bad sample, instead of a line on stderr")
	f.Add("report", "FILE.html", "", "a page about the run: rates and stages over time, service times, failures",
		func(s string) error {
			if ending := strings.ToLower(filepath.Ext(s)); ending != ".html" && ending != ".htm" {
				return errors.New("must be a name that ends in .html")
			}
			r.page = s
			return nil
		})
	r.serving.define(f)
	r.trace.define(f)
	f.Text("costs", &r.costs, "FILE.json", "what the samples cost at each stage, for spool simulate")
	f.Text("receipts", &r.receipts, "FILE", "what was in each batch, for spool replay --receipt: Parquet, an Arrow "+
		"file or JSON lines, by the ending .parquet, .arrow or any other")
	f.Boolean("receipt-digests", &r.digests, false, "the SHA-256 of each sample in --receipts")
	r.progress.define(f)
	f.Boolean("digest", &r.digest, false, "print EPOCH BATCH SHA256 for each batch")
	f.Boolean("json", &r.json, false, "print one JSON object at the end")
}

// start runs with the command's arguments, unless the flags are invalid.
func (r *run) start(f *cli.Flags, c *cobra.Command, args []string) error {
	f.Arguments(args, 1, len(args), "files, folders, globs, @lists, tables or tar shards to load")
	r.Judge(f.Set, args)
	r.progress.judge(f, r.Load)
	r.trace.judge(f)
	if r.sheet != "" && !contactsheet.Takes(r.Frame) {
		f.Refuse("--save-first needs --dtype=uint8, --color=rgb and --layout=nhwc: it draws such images")
	}
	if r.receipts != "" && (r.Options().Order == batch.Any || r.Headspace) {
		f.Refuse("--receipts needs --order=exact, and excludes --headspace: only such batches can be made again")
	}
	if r.digests && r.receipts == "" {
		f.Refuse("--receipt-digests needs --receipts")
	}
	if err := f.Problem(); err != nil {
		return err
	}
	r.sources, r.arguments, r.stdout, r.stderr = args, f.Args, c.OutOrStdout(), c.ErrOrStderr()
	return r.do(c.Context(), r)
}

// run drives the loader and prints what it did, also after an interrupt. A run that fails before its first batch prints
// only its error.
func (r *run) run(ctx context.Context) (err error) {
	s := newSummary()
	var h resources
	defer cli.Closing(&err, h.close)
	ld, err := h.load(ctx, r)
	if err != nil {
		return err
	}
	defer cores.Spare(r.Options().Workers)()
	if err := r.serving.begin(r, &h, ld); err != nil {
		return errors.Join(err, ld.Close())
	}
	watched := h.about.Watch(ld, h.remote)
	defer showState(h.bad.Console, ld.Report)()
	failed := r.consume(ctx, ld, &progress{failures: h.bad, summary: s, total: ld.Len(), stores: h.remote}, &h)
	cli.Closing(&failed, r.device.end)
	watched()
	s.Take(ld)
	s.LeftOut = tally.LeftOut(h.source)
	s.Remote, s.Cache = tally.RemoteOf(h.remote.Stats()), tally.CacheOf(h.disk)
	if r.Headspace {
		s.Verdict = "headspace: the first batches were delivered repeatedly, which no loader can exceed."
	}
	if h.costs != nil && failed == nil {
		cli.Closing(&failed, func() error { return simulate.Write(r.costs, h.costs, ld, h.remote.Stats()) })
	}
	cli.Closing(&failed, ld.Close)
	return r.finish(ctx, &h, s, failed)
}

// finish prints the result of a run that ended with failed, and returns the error of the command.
func (r *run) finish(ctx context.Context, h *resources, s *summary, failed error) error {
	stopped := failed != nil && ctx.Err() != nil
	switch {
	case stopped:
		failed = ctx.Err()
	case s.nothing(failed) && !r.progress.goesOn():
		failed = h.bad.All()
	}
	if failed != nil && !stopped && s.Batches == 0 {
		return failed
	}
	h.bad.Flow()
	if err := s.print(r.stdout, r.json, stopped); err != nil {
		return err
	}
	if s.Batches > 0 {
		cli.Closing(&failed, func() error { return h.about.Write(ctx, h.source, &s.Tally, h.bad.First()) })
	}
	return failed
}

// consume processes every batch.
func (r *run) consume(ctx context.Context, ld *loader.Loader, p *progress, h *resources) error {
	defer p.end()
	if err := h.receipts.Next(ld); err != nil {
		return err
	}
	epochs := ld.Epochs
	if r.Headspace {
		epochs = ld.Headspace
	}
	for _, batches := range epochs(ctx) {
		for b, err := range batches {
			if err != nil {
				return settings.Split(err)[0] // the ledger has the failures of other stages
			}
			p.add(b)
			h.first.add(b)
			r.serving.viewers.Add(b)
			if h.costs != nil {
				h.costs.Batch(b.Len(), len(b.Memory()))
			}
			if err := h.receipts.Add(b); err != nil {
				b.Release()
				return err
			}
			if err := h.receipts.Next(ld); err != nil {
				b.Release()
				return err
			}
			if err := r.process(ctx, b); err != nil {
				return err
			}
			if err := r.progress.delivered(ld); err != nil {
				return err
			}
		}
	}
	return r.progress.end(ld)
}

// process prints the digest of a batch, and passes the batch to its destination.
func (r *run) process(ctx context.Context, b *batch.Batch) error {
	if r.digest {
		if _, err := fmt.Fprintf(r.stdout, "%d %d %s\n", b.Epoch, b.Index, digest(b)); err != nil {
			b.Release()
			return err
		}
	}
	return r.device.copyBatch(ctx, b)
}

// digest returns the SHA-256 of a batch: pixels, then labels as 64-bit little-endian integers. Of records, it covers
// all fields in the order of their names. A value of any length has its length before it, or -1 if it is absent. An
// array whose samples differ in size is followed by the shape of each.
func digest(b *batch.Batch) string {
	h := sha256.New()
	var word [8]byte
	number := func(n int64) {
		binary.LittleEndian.PutUint64(word[:], uint64(n))
		h.Write(word[:])
	}
	fields := map[string]func(){}
	for f, field := range b.Fields() {
		fields[field.Name] = func() {
			h.Write(b.FieldBytes(f))
			for i := 0; i < b.Len() && b.Varies(f); i++ {
				for _, side := range b.SampleDesc(f, i).Shape {
					number(int64(side))
				}
			}
		}
	}
	for v, value := range b.Samples[0].Values {
		fields[value.Field] = func() {
			for _, s := range b.Samples {
				if x := s.Values[v]; x.Desc.Shape == nil {
					number(-1)
				} else {
					number(int64(len(x.Data)))
					h.Write(x.Data)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fields[name]()
	}
	for _, label := range b.Labels() {
		number(label)
	}
	return hex.EncodeToString(h.Sum(nil))
}
