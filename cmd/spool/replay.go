package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/pipe"
)

// replay is one call of replay.
type replay struct {
	workers int
	ledger  string
	json    bool
	limits  decode.Limits
	stdout  io.Writer
	stderr  io.Writer
}

// replayed is what a replay came to, with the keys of --json.
type replayed struct {
	Files  int `json:"files"` // different ones in the ledger
	Good   int `json:"good"`
	Failed int `json:"failed"`
}

func replayCommand(args []string) *cobra.Command {
	r := replay{workers: runtime.NumCPU()}
	c := &cobra.Command{Use: "replay LEDGER", Short: "Decode the files of a run's ledger again, whole, and say which are good now"}
	f := newFlags(c, args)
	f.workers(&r.workers, "auto", "files")
	f.text("ledger", &r.ledger, "FILE", "a JSON line for each file that is still bad, instead of a line on stderr")
	f.boolean("json", &r.json, false, "print one JSON object at the end")
	f.limits(&r.limits)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, 1, "the ledger, as run --ledger writes it")
		if err := f.err(); err != nil {
			return err
		}
		r.stdout, r.stderr = c.OutOrStdout(), c.ErrOrStderr()
		return r.run(c.Context(), args[0])
	}
	return c
}

// run decodes each file of the ledger once. Files that are still bad make it fail.
func (r *replay) run(ctx context.Context, ledger string) (err error) {
	files, err := ledgerFiles(ledger)
	if err != nil {
		return err
	}
	bad, err := newFailures(newConsole(r.stderr), r.ledger)
	if err != nil {
		return err
	}
	defer closing(&err, bad.close)
	bad.flow()
	d, err := decode.New(decode.Options{Limits: r.limits})
	if err != nil {
		return err
	}
	defer closing(&err, d.Close)
	p := pipe.New(pipe.Options{OnFailure: pipe.Skip, Ledger: bad, Describe: describeFailure})
	names := pipe.FromSlice(p, "ledger", files)
	whole := pipe.Map(names, "decode", pipe.Stage{Workers: r.workers}, func(ctx context.Context, name ledgerFile) (ledgerFile, error) {
		return name, spool.InFile(decodeWhole(ctx, d, string(name), r.limits), string(name))
	})
	done := replayed{Files: len(files)}
	for _, err := range whole.All(ctx) {
		if err != nil {
			return err
		}
		done.Good++
	}
	done.Failed = bad.number()
	if r.json {
		err = writeJSON(r.stdout, done)
	} else {
		_, err = fmt.Fprintf(r.stdout, "%d files: %d are good now, %d still fail\n", done.Files, done.Good, done.Failed)
	}
	if err == nil && done.Failed > 0 {
		err = errReported
	}
	return err
}

// ledgerFile is a file's name, which failures are told by.
type ledgerFile string

// File is the name.
func (f ledgerFile) File() string { return string(f) }

// ledgerFiles are the files that a ledger names, each once, in its order.
func ledgerFiles(name string) (files []ledgerFile, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, spool.InFile(err, name)
	}
	defer file.Close()
	seen := map[string]bool{}
	const longest = 1 << 20
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, longest)
	for n := 1; lines.Scan(); n++ {
		var failure pipe.Failure
		if err := json.Unmarshal(lines.Bytes(), &failure); err != nil {
			return nil, &spool.Error{Op: "replay", File: name, Class: spool.ErrCorrupt, Text: fmt.Sprintf("line %d is none of a ledger: %v", n, err), Err: err}
		}
		if failure.File != "" && !seen[failure.File] {
			seen[failure.File] = true
			files = append(files, ledgerFile(failure.File))
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, &spool.Error{Op: "replay", File: name, Class: spool.ErrCorrupt, Text: "no ledger: a line of more than 1 MiB", Err: err}
	} else if err != nil {
		return nil, spool.InFile(err, name)
	}
	return files, nil
}

// decodeWhole decodes all that is in a file, and drops it.
func decodeWhole(ctx context.Context, d *decode.Decoder, name string, limits decode.Limits) (err error) {
	m, err := decode.Probe(ctx, name, limits)
	if err != nil {
		return err
	}
	const frames, samples = 16, 1 << 16 // at a time
	switch m.Kind {
	case decode.KindVideo:
		v, err := d.OpenVideo(ctx, decode.Input{Path: name}, decode.VideoOptions{NoIndex: true})
		if err != nil {
			return err
		}
		defer closing(&err, v.Close)
		for clip, err := range v.Chunks(ctx, frames, decode.VideoSpec{}) {
			if err != nil {
				return err
			}
			clip.Release()
		}
		return nil
	case decode.KindAudio:
		a, err := d.OpenAudio(ctx, decode.Input{Path: name}, decode.AudioOptions{})
		if err != nil {
			return err
		}
		defer closing(&err, a.Close)
		for sound, err := range a.Chunks(ctx, samples, decode.AudioSpec{}) {
			if err != nil {
				return err
			}
			sound.Release()
		}
		return nil
	}
	data, err := os.ReadFile(name) // whose size Probe has judged
	if err != nil {
		return err
	}
	b, _, err := d.Image(ctx, data, decode.ImageSpec{})
	if err != nil {
		return err
	}
	b.Release()
	return nil
}

// describeFailure gives the ledger what the error knows.
func describeFailure(f *pipe.Failure) {
	f.Class = string(spool.ClassOf(f.Err))
	if e, ok := errors.AsType[*spool.Error](f.Err); ok {
		f.Text = e.Detail()
	}
}
