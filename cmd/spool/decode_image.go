package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source"
)

// imageDecode is one call of decode image.
type imageDecode struct {
	file    string
	out     string
	spec    decode.ImageSpec
	all     bool // frames
	explain bool
	options decode.Options
	stdout  io.Writer
	stderr  io.Writer
}

func decodeImageCommand(args []string) *cobra.Command {
	var d imageDecode
	c := &cobra.Command{Use: "image FILE --out OUT.npy", Short: "Decode a picture to (H,W,C), or to (C,H,W) with --layout nchw"}
	f := newFlags(c, args)
	s := &d.spec
	f.text("out", &d.out, "OUT.npy", "where the array goes; - is stdout")
	f.size("size", "WxH", "", "resize to this size, as --mode says", &s.Resize.Width, &s.Resize.Height, parseSize)
	choice(f, "mode", &s.Resize.Mode, "stretch", "how --size is meant: fit pads, cover crops", modes)
	f.number("resize-shorter", &s.Resize.Shorter, "", 1, "resize so that the shorter side is N")
	f.size("crop", "WxH", "", "then cut this size out of the centre", &s.Resize.CropWidth, &s.Resize.CropHeight, parseSize)
	f.add("frame", "N|all", "0", "which frame of an animated picture, or page; all puts their number in front of the shape", func(text string) (err error) {
		if d.all = text == "all"; d.all {
			return nil
		}
		if s.Frame, err = parseInt(text); err != nil || s.Frame < 0 {
			s.Frame, err = 0, errors.New("a number from 0 up, or all")
		}
		return err
	})
	p := f.picture(s)
	f.jpeg(&d.options.JPEG)
	f.limits(&d.options.Limits)
	f.boolean("explain", &d.explain, false, "say on stderr how it was decoded")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, 1, "the file to decode")
		if d.out == "" {
			f.refuse("missing --out: where the array goes, - for stdout")
		}
		p.apply(f, s)
		f.check(s.Validate())
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
	data, err := read(ctx, d.file, d.options.Limits)
	if err != nil {
		return spool.InFile(err, d.file)
	}
	decoder, err := decode.New(d.options)
	if err != nil {
		return err
	}
	defer closing(&err, decoder.Close)
	pixels, report, err := d.decode(ctx, decoder, data)
	if err != nil {
		return spool.InFile(err, d.file)
	}
	defer pixels.Release()
	if d.explain {
		fmt.Fprintln(d.stderr, explain(report, d.spec))
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
	if d.all {
		return decoder.Frames(ctx, data, d.spec, 0)
	}
	return decoder.Image(ctx, data, d.spec)
}

// read gives a file's bytes.
func read(ctx context.Context, name string, limits decode.Limits) ([]byte, error) {
	file, err := source.Files(name).Open(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return source.ReadAll(ctx, file, nil, limits.MaxBytes)
}
