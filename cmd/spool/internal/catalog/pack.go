package catalog

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source/pack"
)

// packing is one call of pack.
type packing struct {
	settings.Listing
	pack.Options
	out    string
	json   bool
	stdout io.Writer
	stderr io.Writer
}

// Pack returns the command pack.
func Pack() cli.Command {
	return cli.Command{Use: "pack SOURCE...", Short: "Pack samples of any source into WebDataset tar shards",
		Define: definePack}
}

func definePack(c *cobra.Command, args []string) {
	var p packing
	f := cli.NewFlags(c, args)
	f.Listing(&p.Listing)
	f.Text("out", &p.out, "DIR", "folder of the shards: a new or empty one, or one to continue in")
	f.Number("per-shard", &p.PerShard, "1000", 1, "samples of each shard")
	f.Boolean("shuffle", &p.Shuffle, false, "pack in a random order")
	f.Add("seed", "N", "0", "seed of the random order", func(text string) (err error) {
		p.Seed, err = strconv.ParseUint(text, 10, 64)
		return err
	})
	f.Number("workers", &p.Workers, "0", 0, "shards written at a time; 0: one for each CPU")
	f.Boolean("json", &p.json, false, "print the manifest as one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, len(args), "files, folders, globs, @lists, tables or tar shards to pack")
		if p.out == "" {
			f.Refuse("missing --out: the folder of the shards")
		}
		if err := f.Problem(); err != nil {
			return err
		}
		p.stdout, p.stderr = c.OutOrStdout(), c.ErrOrStderr()
		return p.run(c.Context(), args)
	}
}

func (p *packing) run(ctx context.Context, sources []string) (err error) {
	remote, err := inputs.New(p.Stores)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, remote.Close)
	found, err := p.Open(ctx, sources, remote)
	if err != nil {
		return err
	}
	console := output.NewConsole(p.stderr)
	for _, notice := range settings.AllAs(found.Notices(), settings.AsFlags) {
		console.Line("spool: " + notice)
	}
	if err := found.Damage(); err != nil {
		return err
	}
	m, err := pack.Write(ctx, found, p.out, p.Options)
	if err != nil {
		return err
	}
	return printManifest(p.stdout, m, p.json)
}

// Verify returns the command verify.
func Verify() cli.Command {
	return cli.Command{Use: "verify DIR", Short: "Compare packed shards with their manifest",
		Define: defineVerify}
}

func defineVerify(c *cobra.Command, args []string) {
	var json bool
	f := cli.NewFlags(c, args)
	f.Boolean("json", &json, false, "print the manifest as one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, 1, "the folder of the shards")
		if err := f.Problem(); err != nil {
			return err
		}
		m, err := pack.Verify(c.Context(), args[0])
		if err != nil {
			return err
		}
		return printManifest(c.OutOrStdout(), m, json)
	}
}

// printManifest prints a manifest, or a line with its totals.
func printManifest(w io.Writer, m *pack.Manifest, json bool) error {
	if json {
		return output.JSON(w, m)
	}
	size := int64(0)
	for _, s := range m.Shards {
		size += s.Bytes
	}
	_, err := fmt.Fprintf(w, "%d samples in %d shards, %d bytes\n", m.Samples, len(m.Shards), size)
	return err
}
