package catalog

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/chunked"
	"github.com/spoolmedia/spool/source/object"
	"github.com/spoolmedia/spool/source/pack"
	"github.com/spoolmedia/spool/source/parquet"
)

// packing is one call of pack.
type packing struct {
	settings.Listing
	pack.Options
	inputs []source.Input // of Members
	files  transcoding
	clips  clips
	out    string
	ledger string // of samples that are left out
	unique bool
	only   [2]int   // the first shard to write, and the one after the last
	some   bool     // only is given
	parts  []string // names of folders below out; nil: all samples are in out
	shares []float64
	json   bool
	stdout io.Writer
	stderr io.Writer
}

// Pack returns the command pack.
func Pack() cli.Command {
	return cli.Command{Use: "pack SOURCE...",
		Short: "Pack samples of any source into shards: WebDataset tar files, Parquet or Arrow", Define: definePack}
}

func definePack(c *cobra.Command, args []string) {
	var p packing
	f := cli.NewFlags(c, args)
	f.Listing(&p.Listing)
	f.Text("out", &p.out, "DIR", "folder or s3:// URL of the shards: a new or empty one, or one to continue in")
	f.Number("per-shard", &p.PerShard, "", 1, "samples of each shard; 1000 without --shard-bytes")
	f.Bytes("shard-bytes", &p.ShardBytes, "most bytes of each shard, like 256MiB, in place of a number of samples")
	p.define(f, "members", "EXT=INPUT,...", "pack the files of these columns, tar members or subfolders, with these "+
		"extensions; INPUT is EXT if left out", false)
	p.define(f, "values", "EXT=COLUMN,...", "pack the values of these columns, as text", true)
	f.Add("format", "tar|parquet|arrow|mds", "tar", "format of the shards: WebDataset tar files, tables with columns of "+
		"media as Hugging Face's datasets have them, or MDS of MosaicML Streaming", p.setFormat)
	p.files.define(f)
	p.clips.define(f)
	f.Add("checksum", "crc64nvme|sha256", "crc64nvme", "checksum of the shards in the manifest", func(text string) error {
		if p.Checksum = pack.Checksum(text); p.Checksum != pack.CRC64NVME && p.Checksum != pack.SHA256 {
			return fmt.Errorf("must be crc64nvme or sha256")
		}
		return nil
	})
	f.Boolean("shuffle", &p.Shuffle, false, "pack in a random order")
	f.Add("seed", "N", "0", "seed of the random order", func(text string) (err error) {
		p.Seed, err = strconv.ParseUint(text, 10, 64)
		return err
	})
	f.Boolean("cluster", &p.Cluster, false, "pack the samples of one label side by side")
	f.Text("exclude", &p.ledger, "LEDGER", "leave out the samples that the ledger of a run names: spool run --ledger")
	f.Boolean("unique", &p.unique, false, "leave out samples whose bytes an earlier one has; reads all of them first")
	f.Add("split", "NAME=SHARE,...", "", "pack into a folder of DIR for each name, by a hash of the samples' keys or "+
		"names: train=0.9,val=0.1", p.setSplit)
	f.Add("only-shards", "K..L", "", "write the shards from K to the one before L, and no manifest, as one of several "+
		"processes: see spool.ray.pack. 0..0 writes the plan alone", p.setOnly)
	f.Number("workers", &p.Workers, "0", 0, "shards written at a time; 0: one for each CPU")
	f.Boolean("json", &p.json, false, "print the manifest as one JSON object")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.Arguments(args, 1, len(args), "files, folders, globs, @lists, tables or tar shards to pack")
		if p.out == "" {
			f.Refuse("missing --out: the folder of the shards")
		}
		if p.PerShard > 0 && p.ShardBytes > 0 {
			f.Refuse("--per-shard excludes --shard-bytes")
		}
		if p.some && p.parts != nil {
			f.Refuse("--only-shards excludes --split")
		}
		if p.some && p.Format.Index != nil {
			f.Refuse("--only-shards excludes --format mds, whose index has all shards")
		}
		p.files.judge(f, p.Members)
		p.clips.judge(f, p.ShardBytes > 0)
		if err := f.Problem(); err != nil {
			return err
		}
		p.stdout, p.stderr = c.OutOrStdout(), c.ErrOrStderr()
		return p.run(c.Context(), args)
	}
}

// setFormat sets the format of the shards.
func (p *packing) setFormat(word string) error {
	switch word {
	case "tar":
		p.Format = pack.Format{}
	case "parquet":
		p.Format = pack.Format{Name: word, Create: parquet.NewWriter}
	case "arrow":
		p.Format = pack.Format{Name: word, Create: arrow.NewWriter}
	case "mds":
		p.Format = pack.Format{Name: word, Create: chunked.NewWriter, Index: chunked.MDSIndex}
	default:
		return fmt.Errorf("must be tar, parquet, arrow or mds")
	}
	return nil
}

// setOnly sets which shards are written.
func (p *packing) setOnly(text string) (err error) {
	from, to, ok := strings.Cut(text, "..")
	for i, number := range []string{from, to} {
		if p.only[i], err = strconv.Atoi(number); err != nil || !ok || p.only[i] < 0 {
			return fmt.Errorf("must be two numbers, like 0..10")
		}
	}
	p.some = true
	return nil
}

// define defines a flag that adds members of each sample.
func (p *packing) define(f *cli.Flags, name, form, help string, values bool) {
	f.Add(name, form, "", help, func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			ext, input, named := strings.Cut(word, "=")
			if !named {
				input = ext
			}
			if ext == "" || input == "" {
				return fmt.Errorf("%q is not EXT=INPUT", word)
			}
			p.Members = append(p.Members, strings.ToLower(ext))
			if values {
				p.Values = append(p.Values, strings.ToLower(ext))
			}
			p.inputs = append(p.inputs, source.Input{Name: input, Value: values, Optional: len(p.inputs) > 0})
		}
		return nil
	})
}

// packable is a source with what its listing reports.
type packable interface {
	source.Listed
	Damage() error
}

// list lists the sources, as records if members are asked for.
func (p *packing) list(ctx context.Context, sources []string, remote source.Remote) (packable, error) {
	if len(p.inputs) > 0 {
		return p.OpenRecords(ctx, sources, p.inputs, remote)
	}
	return p.Open(ctx, sources, remote)
}

func (p *packing) run(ctx context.Context, sources []string) (err error) {
	remote, err := inputs.New(p.Stores)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, remote.Close)
	found, err := p.list(ctx, sources, remote)
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
	cut, err := p.clips.of(ctx, found, p.Members)
	if err != nil {
		return err
	}
	transform, closes, err := p.files.open()
	if err != nil {
		return err
	}
	defer cli.Closing(&err, closes)
	p.Transform, p.Options.Store = transform, remote
	src, err := p.good(cut, console)
	if err == nil {
		src, err = p.distinct(ctx, src, console)
	}
	if err != nil {
		return err
	}
	if p.some {
		part, err := pack.WriteShards(ctx, src, p.out, p.Options, p.only[0], p.only[1])
		if err != nil {
			return err
		}
		if p.json {
			return output.JSON(p.stdout, part)
		}
		_, err = fmt.Fprintf(p.stdout, "%d of %d shards\n", len(part.Shards), part.Count)
		return err
	}
	if p.parts == nil {
		m, err := pack.Write(ctx, src, p.out, p.Options)
		if err != nil {
			return err
		}
		return printManifest(p.stdout, m, p.json)
	}
	return p.split(ctx, src)
}

// Verify returns the command verify.
func Verify() cli.Command {
	return cli.Command{Use: "verify DIR", Short: "Compare packed shards with their manifest",
		Define: defineVerify}
}

func defineVerify(c *cobra.Command, args []string) {
	var json bool
	var stores object.Options
	f := cli.NewFlags(c, args)
	f.Stores(&stores)
	f.Boolean("json", &json, false, "print the manifest as one JSON object")
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		f.Arguments(args, 1, 1, "the folder of the shards, or its s3:// URL")
		if err := f.Problem(); err != nil {
			return err
		}
		remote, err := inputs.New(stores)
		if err != nil {
			return err
		}
		defer cli.Closing(&err, remote.Close)
		m, err := pack.Verify(c.Context(), args[0], remote)
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
