package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// run is one call of run images, run video or run audio.
type run struct {
	*settings.Load
	sources []string

	arguments []string // of the command line
	progress  checkpoint
	device    destination

	sheet  string // file for a contact sheet of the first batch
	ledger string // file for the failures
	page   string // file for a page about the run
	digest bool
	json   bool
	stdout io.Writer
	stderr io.Writer
}

// output defines the flags for what a run leaves behind.
func (f *flags) output(r *run) {
	f.Text("ledger", &r.ledger, "FILE", "a JSON line for each bad sample, instead of a line on stderr")
	f.Add("report", "FILE.html", "", "a page about the run: rates and stages over time, service times, failures", func(s string) error {
		if ending := strings.ToLower(filepath.Ext(s)); ending != ".html" && ending != ".htm" {
			return errors.New("a name that ends in .html")
		}
		r.page = s
		return nil
	})
	f.checkpoint(&r.progress)
	f.Boolean("digest", &r.digest, false, "print EPOCH BATCH SHA256 for each batch")
	f.Boolean("json", &r.json, false, "print one JSON object at the end")
}

// start runs with the command's arguments, if nothing was wrong with them.
func (r *run) start(f *flags, c *cobra.Command, args []string) error {
	f.arguments(args, 1, len(args), "files, folders, globs, @lists, tables or tar shards to load")
	r.Judge(f.Set, args)
	r.progress.judge(f, r.Options())
	if r.sheet != "" && !sheetable(r.Frame) {
		f.Refuse("--save-first draws uint8 pixels with --color rgb and --layout nhwc")
	}
	if err := f.err(); err != nil {
		return err
	}
	r.sources, r.arguments, r.stdout, r.stderr = args, f.args, c.OutOrStdout(), c.ErrOrStderr()
	return r.run(c.Context())
}

// run drives the loader and prints what it did, also when it was interrupted. A run that fails before its
// first batch leaves nothing but the line for what it failed with.
func (r *run) run(ctx context.Context) (err error) {
	s := newSummary()
	remote, err := newStores(r.Stores)
	if err != nil {
		return err
	}
	defer closing(&err, remote.Close)
	console := newConsole(r.stderr)
	disk, err := r.Disk.Open(func(err error) { console.line("spool: " + oneLine(err.Error())) })
	if err != nil {
		return err
	}
	if disk != nil {
		defer closing(&err, disk.Close)
	}
	src, err := r.List(ctx, r.sources, r.Disk.Remote(remote, disk))
	if err != nil {
		return err
	}
	bad, err := newFailures(console, r.ledger)
	if err != nil {
		return err
	}
	defer closing(&err, bad.close)
	options := r.Options()
	options.Ledger = bad
	bad.silent = options.OnError == loader.Fail
	for _, notice := range settings.Notices(src) {
		bad.note("spool: " + notice)
	}
	if listing, ok := src.(*source.Listing); ok {
		if skipped := listing.Skipped().String(); skipped != "" {
			bad.note("spool: skipped in folders: " + skipped)
		}
	}
	first, err := newSheet(ctx, r.sheet)
	if err != nil {
		return err
	}
	defer closing(&err, first.close)
	about, err := newPage(r.page, r.arguments)
	if err != nil {
		return err
	}
	defer closing(&err, about.close)
	if err := r.progress.begin(); err != nil {
		return err
	}
	if options.Resume, err = r.progress.read(); err != nil {
		return err
	}
	if options.Allocator, err = r.device.open(r.Device); err != nil {
		return err
	}
	defer closing(&err, r.device.close)
	r.Disk.Keep(&options, disk)
	ld, err := r.Open(src, options)
	if err != nil {
		return err
	}
	warning, err := r.device.begin()
	if err != nil {
		return errors.Join(err, ld.Close())
	}
	if warning != "" {
		bad.note(warning)
	}

	defer proc.SpareProcessors(options.Workers)()
	watched := about.watch(ld, remote)
	failed := r.consume(ctx, ld, &progress{failures: bad, summary: s, total: ld.Len(), stores: remote}, first)
	closing(&failed, r.device.end)
	watched()
	s.Take(ld)
	s.Remote, s.Cache = tally.RemoteOf(remote.Stats()), tally.CacheOf(disk)
	if options.Headspace {
		s.Verdict = "headspace: batches of the beginning came again and again, and no loader gives more."
	}
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
	if s.Batches > 0 && !stopped { // who interrupts a run does not wait for drawing
		closing(&failed, func() error { return about.write(ctx, src, s, bad.firstOnes()) })
	}
	return failed
}

// consume takes every batch and looks at it.
func (r *run) consume(ctx context.Context, ld *loader.Loader, p *progress, first *sheet) error {
	defer p.end()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			return problems(err)[0] // what other stages have failed with meanwhile is in the ledger
		}
		p.add(b)
		first.add(b)
		if r.digest {
			_, err = fmt.Fprintf(r.stdout, "%d %d %s\n", b.Epoch, b.Index, digest(b))
		}
		if err == nil {
			err = r.device.take(ctx, b)
		} else {
			b.Release()
		}
		if err == nil {
			err = r.progress.delivered(ld)
		}
		if err != nil {
			return err
		}
	}
	return r.progress.end(ld)
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
