package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench/codec"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source"
)

func codecCommand() cli.Command {
	return cli.Command{Use: "codec NAME --files GLOB...",
		Short: "Measure one format or codec: the bare library, spool, and each step of spool", Define: defineCodec}
}

func defineCodec(c *cobra.Command, args []string) {
	var (
		files        []string
		size, repeat int
		limits       decode.Limits
		asJSON       bool
		plot         string
	)
	codecs := measures()
	c.ValidArgs = slices.Sorted(maps.Keys(codecs))
	f := cli.NewFlags(c, args)
	f.Add("files", "GLOB", "", "files to decode; a second one adds",
		func(s string) error { files = append(files, s); return nil })
	f.Number("size", &size, "224", 1, "width and height of resized images")
	f.Number("repeat", &repeat, "5", 1, "how often each step is run on each file; the fastest time counts")
	f.Plot(&plot, "a chart of the steps")
	f.Limits(&limits)
	f.Boolean("json", &asJSON, false, "print an object for each step")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, len(args), "the codec to measure")
		var chosen measure
		if len(args) > 0 {
			var ok bool
			if chosen, ok = codecs[args[0]]; !ok {
				f.Refuse("unknown codec %q: use %s", args[0], settings.AnyOf(slices.Sorted(maps.Keys(codecs))))
			}
			files = append(files, args[1:]...) // from a pattern that the shell has expanded
		}
		if len(files) == 0 {
			f.Refuse("missing --files: give what to decode")
		}
		if err := f.Problem(); err != nil {
			return err
		}
		results, failed, err := benchCodec(c.Context(), output.NewConsole(c.ErrOrStderr()), chosen, files, size, repeat,
			limits)
		if err != nil {
			return err
		}
		if asJSON {
			for _, r := range results {
				if err := output.JSON(c.OutOrStdout(), r); err != nil {
					return err
				}
			}
		} else if err := printSteps(c.OutOrStdout(), results); err != nil {
			return err
		}
		if plot != "" && len(results) > 0 {
			if err := drawSteps(plot, results); err != nil {
				return err
			}
		}
		if failed > 0 {
			return cli.ErrReported
		}
		return nil
	}
}

// measure is a codec that can be measured: its kind of files, and how to begin.
type measure struct {
	kind  source.Medium
	begin func(size, rounds int, limits decode.Limits) (measuring, error)
}

// measuring measures the files that are added to it.
type measuring interface {
	Add(ctx context.Context, name string) error
	Measure(ctx context.Context) error
	Results() []codec.Result
	Close() error
}

// imageMeasure measures images, which it reads first.
type imageMeasure struct {
	*codec.Bench
	limits decode.Limits
}

func (p imageMeasure) Add(ctx context.Context, name string) error {
	data, err := inputs.Read(ctx, source.Files(name), 0, p.limits)
	if err != nil {
		return err
	}
	return p.Bench.Add(ctx, data)
}

// measures returns all codecs, by name.
func measures() map[string]measure {
	all := map[string]measure{}
	for _, c := range codec.All() {
		all[c.Name] = measure{source.Images, func(size, rounds int, limits decode.Limits) (measuring, error) {
			b, err := codec.New(c, size, rounds)
			return imageMeasure{b, limits}, err
		}}
	}
	for _, name := range codec.MediaCodecs() {
		all[name] = measure{source.Videos,
			func(size, rounds int, _ decode.Limits) (measuring, error) { return codec.NewMedia(name, size, rounds) }}
	}
	return all
}

// benchCodec measures the files. It reports and counts those that cannot be measured.
func benchCodec(ctx context.Context, status *output.Console, c measure, patterns []string, size, repeat int,
	limits decode.Limits) (results []codec.Result, failed int, err error) {
	found, err := source.Open(ctx, patterns, source.Options{Medium: c.kind})
	if err != nil {
		return nil, 0, err
	}
	b, err := c.begin(size, repeat, limits)
	if err != nil {
		return nil, 0, err
	}
	defer cli.Closing(&err, b.Close)
	defer status.Clear()
	for i := range found.Len() {
		if status.Terminal() {
			status.Show(fmt.Sprintf("%d of %d files", i, found.Len()))
		}
		name := found.Item(i).Name
		err := b.Add(ctx, name)
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		if err != nil {
			if spool.ClassOf(err) == "" { // from a library that is compared, not from the decoder
				err = &spool.Error{Op: "bench", Class: spool.ErrUnsupported, Text: err.Error()}
			}
			line, _ := cli.Describe(spool.InFile(err, name))
			status.Line(line)
			failed++
		}
	}
	if err := b.Measure(ctx); err != nil {
		return nil, 0, err
	}
	return b.Results(), failed, nil
}

// printSteps prints the table for people.
func printSteps(w io.Writer, results []codec.Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.DiscardEmptyColumns)
	kind := ""
	for _, r := range results {
		if r.Files != kind {
			kind = r.Files
			fmt.Fprintf(t, "%s: %d files\n", kind, r.Items)
		}
		cost := fmt.Sprintf("%8.3f ns/pixel", r.NsPerPixel)
		if r.UsPerItem > 0 {
			cost = fmt.Sprintf("%8.2f us/item", r.UsPerItem)
		}
		ratio := ""
		if r.FloorRatio > 0 {
			ratio = fmt.Sprintf("%6.3f of the floor", r.FloorRatio)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.Step, cost, ratio, r.Engine)
	}
	return t.Flush()
}
