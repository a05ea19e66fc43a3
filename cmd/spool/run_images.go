package main

import (
	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

func runImagesCommand(args []string) *cobra.Command {
	var (
		r     = run{kind: source.Pictures}
		o     loader.ImageOptions
		train bool
	)
	c := &cobra.Command{Use: "images SRC...", Short: "Load pictures from files, folders, globs, lists, tables and tar shards"}
	f := newFlags(c, args)
	f.sample(&o.Spec)
	f.number("frame", &o.Spec.Frame, "0", 0, "which frame of animated pictures, or page; the failure of those that have fewer")
	p := f.picture(&o.Spec)
	f.boolean("train", &train, false, "a random part of each picture, resized to --size, and mirrored half of the time")
	f.jpeg(&o.JPEG)
	f.road(&r.road, "pictures")
	f.text("save-first", &r.sheet, "FILE.png", "contact sheet of the first batch, with its ids")
	f.output(&r)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, len(args), "files, folders, globs, @lists, tables or tar shards to load")
		if train {
			o.Augment = training()
		}
		f.sampled(&o.Spec, train, r.sheet != "")
		if isReel(r.sheet) {
			f.refuse("--save-first %s: a video of pictures that do not belong together; a name like sheet.png", r.sheet)
		}
		p.apply(f, &o.Spec)
		f.fits(r.road.Batch, 1, o.Spec)
		r.progress.judge(f, &r.road)
		r.mix.judge(f, args)
		o.Options = r.road.options()
		f.check(o.Validate())
		r.load = func(src source.Source, with loader.Options) (*loader.Loader, error) {
			o.Options = with
			return loader.Images(src, o)
		}
		return r.start(f, c, args)
	}
	return c
}

// sample defines the flags for the size that all samples of a run have.
func (f *flags) sample(s *decode.ImageSpec) {
	f.size("size", "N|WxH", "224", "size of every sample, as --mode says", &s.Resize.Width, &s.Resize.Height, parseSquare)
	choice(f, "mode", &s.Resize.Mode, "stretch", "how --size is meant: fit pads, cover crops", modes)
	f.number("resize-shorter", &s.Resize.Shorter, "", 1, "instead of --size: the shorter side is N; needs --crop")
	f.size("crop", "WxH", "", "then cut this size out of the centre", &s.Resize.CropWidth, &s.Resize.CropHeight, parseSquare)
}

// sampled judges them together with what else is asked for.
func (f *flags) sampled(s *decode.ImageSpec, train, sheet bool) {
	changed := f.command.Flags().Changed
	if s.Resize.Shorter > 0 && !changed("size") {
		s.Resize.Width, s.Resize.Height = 0, 0
	}
	if train && (changed("resize-shorter") || changed("crop")) {
		f.refuse("--train takes a crop of its own: not with --resize-shorter or --crop")
	}
	if sheet && !sheetable(*s) {
		f.refuse("--save-first draws uint8 pixels with --color rgb and --layout nhwc")
	}
}
