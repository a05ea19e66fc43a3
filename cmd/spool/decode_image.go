package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source"
)

func decodeImageCommand() *cobra.Command {
	var (
		spec    decode.ImageSpec
		limits  decode.Limits
		out     string
		keep    bool
		profile string
	)
	c := &cobra.Command{Use: "image FILE --out OUT.npy", Short: "Decode a picture: (H,W,C), or (C,H,W) with --layout nchw"}
	f := flagsOf(c)
	f.text("out", &out, "FILE", "where the NPY array goes; - is stdout")
	f.add("size", "WxH", "", "resize to this size; see --mode", func(s string) error { return setSize(&spec.Resize, s, parseSize) })
	choice(f, "mode", &spec.Resize.Mode, "stretch", "how --size is meant: fit pads, cover crops", modes)
	f.number("resize-shorter", &spec.Resize.Shorter, 0, 0, "resize so that the shorter side is N; 0 does not")
	f.add("crop", "WxH", "", "then cut this size out of the centre", func(s string) error {
		w, h, err := parseSize(s)
		if err == nil {
			spec.Resize.CropWidth, spec.Resize.CropHeight = w, h
		}
		return err
	})
	choice(f, "filter", &spec.Resize.Filter, "bilinear", "antialiased when shrinking", filters)
	f.profile(&profile)
	choice(f, "color", &spec.Color, "rgb", "channels and their order", map[string]decode.Color{"rgb": decode.RGB, "bgr": decode.BGR, "gray": decode.Gray, "rgba": decode.RGBA})
	f.alpha(&spec, &keep)
	choice(f, "dtype", &spec.DType, "uint8", "floats are x/255, and --mean and --std if given", map[string]spool.DType{"uint8": spool.Uint8, "float16": spool.Float16, "float32": spool.Float32})
	choice(f, "layout", &spec.Layout, "nhwc", "order of the dimensions", map[string]spool.Layout{"nhwc": spool.HWC, "nchw": spool.CHW})
	f.add("mean", "A,B,C", "", "subtracted from floats", func(s string) (err error) { spec.Mean, err = parseFloats(s); return err })
	f.add("std", "A,B,C", "", "divides floats", func(s string) (err error) { spec.Std, err = parseFloats(s); return err })
	orient := true
	f.boolean("orient", &orient, true, "apply the orientation that the file asks for")
	f.accept(&spec)
	f.color("pad-color", "#000000", "what --mode fit pads with", func(c decode.RGB8) { spec.Resize.PadColor = [3]uint8{c.R, c.G, c.B} })
	f.limits(&limits)
	c.RunE = func(c *cobra.Command, args []string) error {
		arguments(c, f, args, 1, 1, "the file to decode")
		if out == "" {
			f.refuse("missing --out: where the array goes, - for stdout")
		}
		if keep && c.Flags().Changed("color") && spec.Color != decode.RGBA {
			f.refuse("--alpha keep needs --color rgba")
		}
		if keep {
			spec.Color = decode.RGBA
		}
		if spec.Resize.Width == 0 && c.Flags().Changed("mode") {
			f.refuse("--mode needs --size")
		}
		spec.Stored = !orient
		f.check(spec.Validate())
		if err := f.err(); err != nil {
			return err
		}
		return decodeImage(c.Context(), args[0], out, spec, limits, c.OutOrStdout())
	}
	return c
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

// decodeImage decodes one file into an NPY file, which exists only if all went well.
func decodeImage(ctx context.Context, name, out string, spec decode.ImageSpec, limits decode.Limits, stdout io.Writer) (err error) {
	data, err := read(ctx, name, limits)
	if err != nil {
		return spool.InFile(err, name)
	}
	decoder, err := decode.New(decode.Options{Limits: limits})
	if err != nil {
		return err
	}
	defer decoder.Close()
	picture, _, err := decoder.Image(ctx, data, spec)
	if err != nil {
		return spool.InFile(err, name)
	}
	defer picture.Release()
	if out == "-" {
		return writeNPY(stdout, picture.Desc(), picture.Bytes())
	}
	file, err := os.Create(out)
	if err != nil {
		return spool.InFile(err, out)
	}
	err = writeNPY(file, picture.Desc(), picture.Bytes())
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(out)
		return spool.InFile(err, out)
	}
	return nil
}
