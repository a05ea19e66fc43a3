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
)

// probe is one call of probe.
type probe struct {
	limits decode.Limits
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
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, len(args), "the files to probe")
		if err := f.err(); err != nil {
			return err
		}
		p.stdout, p.stderr = c.OutOrStdout(), c.ErrOrStderr()
		var failed error
		for _, name := range args {
			switch err := p.file(c.Context(), name); {
			case errors.Is(err, errReported):
				failed = err
			case err != nil:
				return err
			}
		}
		return failed
	}
	return c
}

// file probes one file. A bad one is told here and does not keep the others from being probed.
func (p *probe) file(ctx context.Context, name string) error {
	media, failed := decode.Probe(ctx, name, p.limits)
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
