package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source"
)

// imageDecode is one call of decode image.
type imageDecode struct {
	file   string
	out    string
	spec   decode.ImageSpec
	limits decode.Limits
	stdout io.Writer
}

func decodeImageCommand(args []string) *cobra.Command {
	var (
		d       imageDecode
		keep    bool // the alpha channel
		orient  bool
		frame   string
		profile string
	)
	c := &cobra.Command{Use: "image FILE --out OUT.npy", Short: "Decode a picture to (H,W,C), or to (C,H,W) with --layout nchw"}
	f := newFlags(c, args)
	s := &d.spec
	f.text("out", &d.out, "OUT.npy", "where the array goes; - is stdout")
	f.size("size", "WxH", "", "resize to this size, as --mode says", &s.Resize.Width, &s.Resize.Height, parseSize)
	choice(f, "mode", &s.Resize.Mode, "stretch", "how --size is meant: fit pads, cover crops", modes)
	f.number("resize-shorter", &s.Resize.Shorter, "", 1, "resize so that the shorter side is N")
	f.size("crop", "WxH", "", "then cut this size out of the centre", &s.Resize.CropWidth, &s.Resize.CropHeight, parseSize)
	choice(f, "filter", &s.Resize.Filter, "bilinear", "what is resized with; antialiased when shrinking", filters)
	f.profile(&profile)
	choice(f, "color", &s.Color, "rgb", "channels and their order",
		map[string]decode.Color{"rgb": decode.RGB, "bgr": decode.BGR, "gray": decode.Gray, "rgba": decode.RGBA})
	f.alpha(s, &keep)
	choice(f, "dtype", &s.DType, "uint8", "floats are x/255, then --mean and --std",
		map[string]spool.DType{"uint8": spool.Uint8, "float16": spool.Float16, "float32": spool.Float32})
	choice(f, "layout", &s.Layout, "nhwc", "order of the dimensions", map[string]spool.Layout{"nhwc": spool.HWC, "nchw": spool.CHW})
	f.add("mean", "A,B,C", "", "subtracted from floats; one value, or one a channel", func(s string) (err error) {
		d.spec.Mean, err = parseFloats(s)
		return err
	})
	f.add("std", "A,B,C", "", "divides floats; one value, or one a channel", func(s string) (err error) {
		d.spec.Std, err = parseFloats(s)
		return err
	})
	f.boolean("orient", &orient, true, "turn the picture upright, as its EXIF data ask for")
	choice(f, "frame", &frame, "0", "which frame of an animated picture", map[string]string{"0": "0"})
	f.accept(s)
	f.color("pad-color", "#000000", "what --mode fit pads with", func(c decode.RGB8) { s.Resize.PadColor = [3]uint8{c.R, c.G, c.B} })
	f.limits(&d.limits)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, 1, "the file to decode")
		if d.out == "" {
			f.refuse("missing --out: where the array goes, - for stdout")
		}
		if keep && c.Flags().Changed("color") && s.Color != decode.RGBA {
			f.refuse("--alpha keep needs --color rgba")
		}
		if keep {
			s.Color = decode.RGBA
		}
		s.Stored = !orient
		f.check(s.Validate())
		if err := f.err(); err != nil {
			return err
		}
		d.file, d.stdout = args[0], c.OutOrStdout()
		return d.run(c.Context())
	}
	return c
}

// run decodes the file into an array, which exists only if all went well.
func (d *imageDecode) run(ctx context.Context) (err error) {
	data, err := read(ctx, d.file, d.limits)
	if err != nil {
		return spool.InFile(err, d.file)
	}
	decoder, err := decode.New(decode.Options{Limits: d.limits})
	if err != nil {
		return err
	}
	defer closing(&err, decoder.Close)
	picture, _, err := decoder.Image(ctx, data, d.spec)
	if err != nil {
		return spool.InFile(err, d.file)
	}
	defer picture.Release()
	if d.out == "-" {
		return writeNPY(d.stdout, picture.Desc(), picture.Bytes())
	}
	file, err := create(d.out)
	if err != nil {
		return err
	}
	return file.finish(writeNPY(file, picture.Desc(), picture.Bytes()))
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
