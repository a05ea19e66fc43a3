package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/settings"
)

// imageDecode is one call of decode image.
type imageDecode struct {
	settings.DecodeImage

	file    string
	out     string
	explain bool
	stdout  io.Writer
	stderr  io.Writer
}

func decodeImageCommand(args []string) *cobra.Command {
	var d imageDecode
	c := &cobra.Command{Use: "image FILE --out OUT.npy", Short: "Decode a picture to (H,W,C), or to (C,H,W) with --layout nchw"}
	f := newFlags(c, args)
	f.Text("out", &d.out, "OUT.npy", "where the array goes; - is stdout")
	judge := f.DecodeImage(&d.DecodeImage)
	f.Boolean("explain", &d.explain, false, "say on stderr how it was decoded")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, 1, "the file to decode")
		if d.out == "" {
			f.Refuse("missing --out: where the array goes, - for stdout")
		}
		judge()
		if err := f.err(); err != nil {
			return err
		}
		d.file, d.stdout, d.stderr = args[0], c.OutOrStdout(), c.ErrOrStderr()
		return d.run(c.Context())
	}
	return c
}

// run decodes the file into an array, which exists only if all went well.
func (d *imageDecode) run(ctx context.Context) (err error) {
	from, err := newStores(d.Stores)
	if err != nil {
		return err
	}
	defer closing(&err, from.Close)
	name := spool.Shown(d.file)
	data, err := from.read(ctx, d.file, d.Options.Limits)
	if err != nil {
		return spool.InFile(err, name)
	}
	decoder, err := decode.New(d.Options)
	if err != nil {
		return err
	}
	defer closing(&err, decoder.Close)
	pixels, report, err := d.decode(ctx, decoder, data)
	if err != nil {
		return spool.InFile(err, name)
	}
	defer pixels.Release()
	if d.explain {
		fmt.Fprintln(d.stderr, explain(report, d.Spec))
	}
	if d.out == "-" {
		return writeNPY(d.stdout, pixels.Desc(), pixels.Bytes())
	}
	file, err := create(d.out)
	if err != nil {
		return err
	}
	return file.finish(writeNPY(file, pixels.Desc(), pixels.Bytes()))
}

func (d *imageDecode) decode(ctx context.Context, decoder *decode.Decoder, data []byte) (*spool.Buffer, decode.ImageReport, error) {
	if d.All {
		return decoder.Frames(ctx, data, d.Spec, 0)
	}
	return decoder.Image(ctx, data, d.Spec)
}
