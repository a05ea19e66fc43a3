package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/probed"
	"github.com/spoolmedia/spool/source/object"
)

// probe is one call of probe.
type probe struct {
	limits decode.Limits
	stores object.Options
	json   bool
	stdout io.Writer
	stderr io.Writer
}

func probeCommand(args []string) *cobra.Command {
	var p probe
	c := &cobra.Command{Use: "probe FILE...", Short: "Say what files are, without decoding them"}
	f := newFlags(c, args)
	f.Boolean("json", &p.json, false, "one JSON object a line")
	f.Limits(&p.limits)
	f.Stores(&p.stores)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, len(args), "the files to probe")
		if err := f.err(); err != nil {
			return err
		}
		p.stdout, p.stderr = c.OutOrStdout(), c.ErrOrStderr()
		return p.run(c.Context(), args)
	}
	return c
}

func (p *probe) run(ctx context.Context, files []string) (err error) {
	from, err := newStores(p.stores)
	if err != nil {
		return err
	}
	defer closing(&err, from.Close)
	var failed error
	for _, name := range files {
		switch err := p.file(ctx, from, name); {
		case errors.Is(err, errReported):
			failed = err
		case err != nil:
			return err
		}
	}
	return failed
}

// file probes one file. A bad one is told here and does not keep the others from being probed.
func (p *probe) file(ctx context.Context, from stores, name string) error {
	media, failed := from.probe(ctx, name, p.limits)
	name = spool.Shown(name)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed != nil {
		if spool.ClassOf(failed) == "" {
			return failed
		}
		report(p.stderr, failed)
		if p.json {
			if err := writeJSON(p.stdout, probed.Bad(name, failed)); err != nil {
				return err
			}
		}
		return errReported
	}
	if p.json {
		return writeJSON(p.stdout, probed.Good(name, media))
	}
	_, err := fmt.Fprintf(p.stdout, "%s: %s\n", printable(name), probed.InWords(media))
	return err
}

func (s stores) probe(ctx context.Context, name string, limits decode.Limits) (decode.Media, error) {
	return decode.Probe(ctx, s.object(name), limits)
}
