package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// videoDecode is one call of decode video.
type videoDecode struct {
	file    string
	out     string
	pts     string // file for the times
	spec    decode.VideoSpec
	choice  frameChoice
	skip    bool // what is missing is left out
	explain bool
	open    decode.VideoOptions
	limits  decode.Limits
	stdout  io.Writer
	stderr  io.Writer
}

func decodeVideoCommand(args []string) *cobra.Command {
	var (
		d videoDecode
		s decode.ImageSpec // of a frame

		damage decode.Damage
		planes decode.Planes
	)
	c := &cobra.Command{Use: "video FILE --out OUT.npy", Short: "Decode frames of a video to (N,H,W,C), or to (N,C,H,W) with --layout nchw"}
	f := newFlags(c, args)
	f.text("out", &d.out, "OUT.npy", "where the array goes; - is stdout")
	f.frameChoice(&d.choice)
	f.text("pts-out", &d.pts, "FILE", "JSON with the number, time and duration of each frame that was written")
	f.size("size", "WxH", "", "resize to this size, as --mode says", &s.Resize.Width, &s.Resize.Height, parseSize)
	choice(f, "mode", &s.Resize.Mode, "stretch", "how --size is meant: fit pads, cover crops", modes)
	f.number("resize-shorter", &s.Resize.Shorter, "", 1, "resize so that the shorter side is N")
	f.size("crop", "WxH", "", "then cut this size out of the centre", &s.Resize.CropWidth, &s.Resize.CropHeight, parseSize)
	choice(f, "planes", &planes, "converted", "frames as they are stored, luma and chroma apart: planar, as yuv420p; pairs, as nv12",
		map[string]decode.Planes{"converted": decode.Converted, "planar": decode.Planar, "pairs": decode.SemiPlanar})
	p := f.pixels(&s)
	choice(f, "on-damage", &damage, "fail", "fail: an error; skip: what does not come is left out; repeat: the last good frame again",
		map[string]decode.Damage{"fail": decode.FailOnDamage, "skip": decode.MarkDamage, "repeat": decode.RepeatOnDamage})
	f.video(&d.open)
	f.limits(&d.limits)
	f.boolean("explain", &d.explain, false, "say on stderr how it was decoded")
	c.RunE = func(c *cobra.Command, args []string) error {
		f.arguments(args, 1, 1, "the file to decode")
		if d.out == "" {
			f.refuse("missing --out: where the array goes, - for stdout")
		}
		d.choice.check(f)
		p.apply(f, &s)
		d.spec, d.skip = videoSpec(s, damage), damage == decode.MarkDamage
		if d.spec.Planes = planes; planes != decode.Converted && !c.Flags().Changed("fill") {
			d.spec.Fill = nil
		}
		f.check(d.spec.Validate())
		f.check(d.open.Validate())
		if err := f.err(); err != nil {
			return err
		}
		d.file, d.stdout, d.stderr = args[0], c.OutOrStdout(), c.ErrOrStderr()
		return d.run(c.Context())
	}
	return c
}

// videoSpec is what is wanted of each frame, in the words of pictures.
func videoSpec(s decode.ImageSpec, onDamage decode.Damage) decode.VideoSpec {
	return decode.VideoSpec{Resize: s.Resize, Color: s.Color, DType: s.DType, Mean: s.Mean, Std: s.Std, Layout: s.Layout,
		Stored: s.Stored, Fill: s.Fill, OnDamage: onDamage}
}

// run decodes the frames into an array, which exists only if all went well.
func (d *videoDecode) run(ctx context.Context) (err error) {
	decoder, err := decode.New(decode.Options{Limits: d.limits})
	if err != nil {
		return err
	}
	defer closing(&err, decoder.Close)
	v, err := decoder.OpenVideo(ctx, decode.Input{Path: d.file}, d.open)
	if err != nil {
		return err
	}
	defer closing(&err, v.Close)
	frames, all, err := d.choice.of(v)
	if err != nil {
		return spool.InFile(err, d.file)
	}
	n := len(frames)
	if all {
		n = v.Len()
	}
	shape, err := v.Sample(n, d.spec)
	if err != nil {
		return err
	}
	w, err := newStack(d.out, d.stdout, d.skip)
	if err != nil {
		return err
	}
	t := taken{skip: d.skip, w: w}
	if err := w.finish(t.take(shape, d.clips(ctx, v, frames, all, shape))); err != nil {
		return spool.InFile(err, d.file)
	}
	if info := v.Info(); info.Cut {
		fmt.Fprintf(d.stderr, "spool: %s: note: the file breaks off: its %d frames end at %.6g s\n", printable(d.file), info.Frames, info.End)
	}
	if d.explain {
		fmt.Fprintln(d.stderr, explainVideo(v, &t, d.spec))
	}
	return t.writeTimes(d.pts)
}

// clipBytes is about how many bytes of frames are decoded at a time where they can be written as they come.
const clipBytes = 16 << 20

// clips gives the frames wanted, in groups where that costs nothing.
func (d *videoDecode) clips(ctx context.Context, v *decode.Video, frames []int, all bool, shape spool.Desc) func(func(*decode.Clip, error) bool) {
	bytes, _ := shape.Bytes()
	most := max(1, clipBytes/max(1, bytes/max(1, shape.Shape[0])))
	if all {
		return v.Chunks(ctx, most, d.spec)
	}
	if !slices.IsSorted(frames) { // in one plan, so that nothing is decoded twice
		most = max(1, len(frames))
	}
	return func(yield func(*decode.Clip, error) bool) {
		for part := range slices.Chunk(frames, most) {
			clip, err := v.Frames(ctx, part, d.spec)
			if !yield(clip, err) || err != nil {
				return
			}
		}
	}
}
