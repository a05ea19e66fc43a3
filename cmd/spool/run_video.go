package main

import (
	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

func runVideoCommand(args []string) *cobra.Command {
	var (
		r      = run{kind: source.Videos}
		o      loader.VideoOptions
		s      decode.ImageSpec // of a frame
		damage decode.Damage
		train  bool
	)
	c := &cobra.Command{Use: "video SRC...", Short: "Load clips of video from files, folders, globs, lists, tables and tar shards"}
	f := newFlags(c, args)
	f.number("frames", &o.Frames, "16", 1, "frames of a clip, evenly spread over its file")
	f.sample(&s)
	p := f.pixels(&s)
	f.boolean("train", &train, false, "frames beside each other, from a random place; a random part of each, resized to --size, mirrored half of the time")
	f.number("stride", &o.Stride, "", 1, "with --train: frames from one to the next")
	choice(f, "on-damage", &damage, "fail", "damaged frames: the clip fails, they are kept or filled, or the last good one comes again",
		map[string]decode.Damage{"fail": decode.FailOnDamage, "mark": decode.MarkDamage, "repeat": decode.RepeatOnDamage})
	f.video(&o.Open)
	f.road(&r.road, "files")
	f.text("save-first", &r.sheet, "FILE", "the first batch: a contact sheet with a clip a row (.png), or its clips one after the other (.mp4)")
	f.output(&r)
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, len(args), "files, folders, globs, @lists, tables or tar shards to load")
		if o.Random = train; train {
			o.Augment = training()
		}
		f.sampled(&s, train, r.sheet != "")
		p.apply(f, &s)
		f.fits(r.road.Batch, o.Frames, s)
		o.Spec = videoSpec(s, damage)
		r.progress.judge(f, &r.road)
		r.mix.judge(f, args)
		o.Options = r.road.options()
		f.check(o.Validate())
		r.load = func(src source.Source, with loader.Options) (*loader.Loader, error) {
			o.Options = with
			return loader.Videos(src, o)
		}
		return r.start(f, c, args)
	}
	return c
}
