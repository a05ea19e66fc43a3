// Package replay has the command replay, which decodes the failed samples of a run again.
package replay

import (
	"context"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/failures"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/probe"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/cores"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// replay is one call of replay.
type replay struct {
	workers int
	ledger  string
	receipt string // a file of receipts, instead of a ledger
	batch   int
	json    bool
	limits  decode.Limits
	stores  object.Options
	stdout  io.Writer
	stderr  io.Writer

	decoder *decoders.Set
	source  source.Source // the ledger, as a table of files
	remote  inputs.Stores
}

// replayed is the result of a replay, with the keys of --json.
type replayed struct {
	Files  int `json:"files"` // different ones in the ledger
	Good   int `json:"good"`
	Failed int `json:"failed"`
}

// Again makes a batch again from a file of receipts: run.Again.
type Again func(ctx context.Context, file string, number int, stdout, stderr io.Writer) error

// Command returns the command replay.
func Command(again Again) cli.Command {
	return cli.Command{Use: "replay LEDGER | replay --receipt FILE --batch N",
		Short:  "Decode the failed samples of a run's ledger again, or make one batch of its receipts again",
		Define: func(c *cobra.Command, args []string) { define(c, args, again) }}
}

func define(c *cobra.Command, args []string, again Again) {
	r := replay{workers: cores.Count()}
	f := cli.NewFlags(c, args)
	f.Text("receipt", &r.receipt, "FILE", "receipts of a run, as run --receipts writes them, of which a batch is made "+
		"again")
	f.Number("batch", &r.batch, "0", 0, "with --receipt: the batch, from 0")
	f.Workers(&r.workers, "auto", "files")
	f.Text("ledger", &r.ledger, "FILE", "a JSON line for each file that is still bad, instead of a line on stderr")
	f.Boolean("json", &r.json, false, "print one JSON object at the end")
	f.Limits(&r.limits)
	f.Stores(&r.stores)
	c.RunE = func(c *cobra.Command, args []string) error {
		if r.receipt != "" {
			f.Arguments(args, 0, 0, "")
		} else {
			f.Arguments(args, 1, 1, "the ledger, as run --ledger writes it")
		}
		if err := f.Problem(); err != nil {
			return err
		}
		r.stdout, r.stderr = c.OutOrStdout(), c.ErrOrStderr()
		if r.receipt != "" {
			return again(c.Context(), r.receipt, r.batch, r.stdout, r.stderr)
		}
		return r.run(c.Context(), args[0])
	}
}

// run decodes each file of the ledger once. Files that are still bad make it fail.
func (r *replay) run(ctx context.Context, ledger string) (err error) {
	if r.remote, err = inputs.New(r.stores); err != nil {
		return err
	}
	defer cli.Closing(&err, r.remote.Close)
	o := source.Options{Formats: settings.Manifests(), Sets: settings.Sets(), Remote: r.remote}
	switch r.source, err = source.Manifest(ctx, ledger, o); {
	case spool.ClassOf(err) == spool.ErrEmpty: // nothing failed
		r.source = source.Files()
	case err != nil:
		return err
	}
	bad, err := failures.New(output.NewConsole(r.stderr), r.ledger)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, bad.Close)
	bad.Flow()
	if r.decoder, err = decoders.New(decoders.Options{Limits: r.limits}); err != nil {
		return err
	}
	defer cli.Closing(&err, r.decoder.Close)
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: bad, Describe: loader.Describe})
	again := pipe.Map(pipe.FromSeq(p, "ledger", r.files()), "decode", pipe.Stage{Workers: r.workers},
		func(ctx context.Context, f failedFile) (failedFile, error) {
			return f, spool.InFile(r.decode(ctx, f), f.Name)
		})
	var done replayed
	for _, err := range again.All(ctx) {
		if err != nil {
			return err
		}
		done.Good++
	}
	done.Failed = bad.Count()
	done.Files = done.Good + done.Failed
	if r.json {
		err = output.JSON(r.stdout, done)
	} else {
		_, err = fmt.Fprintf(r.stdout, "%d files: %d are good now, %d still fail\n", done.Files, done.Good, done.Failed)
	}
	if err == nil && done.Failed > 0 {
		err = cli.ErrReported
	}
	return err
}

// failedFile is a sample that a ledger names.
type failedFile struct{ source.Item }

// File returns its name, by which failures are reported.
func (f failedFile) File() string { return f.Name }

// files yields the files of the ledger, each once, in order.
func (r *replay) files() iter.Seq[failedFile] {
	return func(yield func(failedFile) bool) {
		seen := map[string]bool{}
		for i := range r.source.Len() {
			f := failedFile{r.source.Item(i)}
			if seen[f.Name] {
				continue
			}
			seen[f.Name] = true
			if !yield(f) {
				return
			}
		}
	}
}

// decode decodes everything in a file, and drops it.
func (r *replay) decode(ctx context.Context, f failedFile) error {
	if source.IsShard(f.Name) {
		return r.archive(ctx, f.Name)
	}
	o, err := r.source.Open(ctx, int(f.ID))
	if err != nil {
		return err
	}
	defer o.Close()
	if o.Info().Size == 0 {
		return &spool.Error{Op: "open", Class: spool.ErrEmpty, Text: "zero bytes"}
	}
	m, err := probe.Probe(ctx, o, r.limits)
	if err != nil {
		return err
	}
	switch m.Medium {
	case decode.Video:
		return r.video(ctx, o)
	case decode.Audio:
		return r.audio(ctx, o)
	}
	b, _, err := r.decoder.Images.Decode(ctx, o, image.Spec{})
	if err != nil {
		return err
	}
	b.Release()
	return nil
}

func (r *replay) video(ctx context.Context, o spool.Object) (err error) {
	const frames = 16 // at a time
	v, err := r.decoder.Videos.Open(ctx, o, video.OpenOptions{NoIndex: true})
	if err != nil {
		return err
	}
	defer cli.Closing(&err, v.Close)
	for clip, err := range v.Chunks(ctx, frames, video.Spec{}) {
		if err != nil {
			return err
		}
		clip.Release()
	}
	return nil
}

func (r *replay) audio(ctx context.Context, o spool.Object) (err error) {
	const samples = 1 << 16 // at a time
	a, err := r.decoder.Audios.Open(ctx, o, audio.OpenOptions{})
	if err != nil {
		return err
	}
	defer cli.Closing(&err, a.Close)
	for audio, err := range a.Chunks(ctx, samples, audio.Spec{}) {
		if err != nil {
			return err
		}
		audio.Release()
	}
	return nil
}

// archive returns the error of a tar file itself. A ledger names it like a sample, and a listing has it last.
func (r *replay) archive(ctx context.Context, name string) error {
	l, err := source.Shards(ctx, []string{name}, source.Options{Extensions: anyMedia(), Remote: r.remote})
	if err != nil {
		return err
	}
	last := l.Len() - 1
	if l.Item(last).Name != name {
		return nil
	}
	o, err := l.Open(ctx, last)
	if err != nil {
		return err
	}
	return o.Close()
}

// anyMedia returns the extensions of all media that can be loaded.
func anyMedia() (endings []string) {
	for _, kind := range []source.Medium{source.Images, source.Videos, source.Audio} {
		endings = append(endings, kind.Extensions()...)
	}
	return endings
}
