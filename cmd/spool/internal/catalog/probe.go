// Package catalog has the commands that describe files without decoding them: probe, index and list.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/probe"
	"github.com/spoolmedia/spool/internal/probed"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/lerobot"
	"github.com/spoolmedia/spool/source/object"
)

// probe is one call of probe.
type probing struct {
	limits decode.Limits
	stores object.Options
	json   bool
	record bool
	stdout io.Writer
	stderr io.Writer
}

// Probe returns the command probe.
func Probe() cli.Command {
	return cli.Command{Use: "probe FILE...", Short: "Describe files, without decoding them",
		Define: defineProbe}
}

func defineProbe(c *cobra.Command, args []string) {
	var p probing
	f := cli.NewFlags(c, args)
	f.Boolean("json", &p.json, false, "one JSON object a line")
	f.Boolean("record", &p.record, false, "the arguments are folders, tables or shards of records: print a schema for "+
		"run records --schema, as far as the first samples show it")
	f.Limits(&p.limits)
	f.Stores(&p.stores)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, len(args), "the files to probe")
		if p.record && p.json {
			f.Refuse("--record excludes --json: it prints a schema")
		}
		if err := f.Problem(); err != nil {
			return err
		}
		p.stdout, p.stderr = c.OutOrStdout(), c.ErrOrStderr()
		if p.record {
			return p.schema(c.Context(), args)
		}
		return p.run(c.Context(), args)
	}
}

func (p *probing) run(ctx context.Context, files []string) (err error) {
	from, err := inputs.New(p.stores)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, from.Close)
	var failed error
	for _, name := range files {
		switch err := p.file(ctx, from, name); {
		case errors.Is(err, cli.ErrReported):
			failed = err
		case err != nil:
			return err
		}
	}
	return failed
}

// schema prints a schema of the records that the arguments name.
func (p *probing) schema(ctx context.Context, args []string) (err error) {
	remote, err := object.New(p.stores)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, remote.Close)
	if len(args) == 1 {
		o := lerobot.Options{Remote: remote}
		if is, err := lerobot.Is(ctx, args[0], o); err == nil && is {
			return p.robot(ctx, args[0], o)
		}
	}
	found, err := source.InferInputs(ctx, args,
		source.Options{Formats: settings.Manifests(), Sets: settings.Sets(), Remote: remote})
	if err != nil {
		return err
	}
	_, err = io.WriteString(p.stdout, settings.InferredSchema(found))
	return err
}

// robot prints the schema of a LeRobot data set.
func (p *probing) robot(ctx context.Context, root string, o lerobot.Options) error {
	set, err := lerobot.Open(ctx, root, o)
	if err != nil {
		return err
	}
	_, err = io.WriteString(p.stdout, settings.RobotSchema(set))
	return err
}

// file probes one file. It reports a bad one, and the others are still probed.
func (p *probing) file(ctx context.Context, from inputs.Stores, name string) error {
	media, failed := probeFile(ctx, from, name, p.limits)
	name = spool.Redacted(name)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if failed != nil {
		if spool.ClassOf(failed) == "" {
			return failed
		}
		cli.Report(p.stderr, failed)
		if p.json {
			if err := output.JSON(p.stdout, probed.Bad(name, failed)); err != nil {
				return err
			}
		}
		return cli.ErrReported
	}
	if p.json {
		return output.JSON(p.stdout, probed.Good(name, media))
	}
	_, err := fmt.Fprintf(p.stdout, "%s: %s\n", output.Printable(name), probed.InWords(media))
	return err
}

func probeFile(ctx context.Context, s inputs.Stores, name string, limits decode.Limits) (probe.Media, error) {
	return probe.Probe(ctx, s.Object(name), limits)
}
