package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/settings"
)

// videoDecode is one call of decode video.
type videoDecode struct {
	settings.DecodeVideo
	file    string
	out     string
	pts     string // file for the times
	explain bool
	stdout  io.Writer
	stderr  io.Writer
}

func decodeVideoCommand(args []string) *cobra.Command {
	var d videoDecode
	c := &cobra.Command{Use: "video FILE --out OUT.npy", Short: "Decode frames of a video to (N,H,W,C), or to (N,C,H,W) with --layout nchw"}
	f := newFlags(c, args)
	f.Text("out", &d.out, "OUT.npy", "where the array goes; - is stdout")
	f.Text("pts-out", &d.pts, "FILE", "JSON with the number, time and duration of each frame that was written")
	judge := f.DecodeVideo(&d.DecodeVideo)
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

// run decodes the frames into an array, which exists only if all went well.
func (d *videoDecode) run(ctx context.Context) (err error) {
	from, err := newStores(d.Stores)
	if err != nil {
		return err
	}
	defer closing(&err, from.Close)
	in := from.object(d.file)
	name := spool.Shown(d.file)
	decoder, err := decode.New(decode.Options{Limits: d.Limits})
	if err != nil {
		return err
	}
	defer closing(&err, decoder.Close)
	v, err := decoder.OpenVideo(ctx, in, d.Open)
	if err != nil {
		return err
	}
	defer closing(&err, v.Close)
	frames, all, err := d.Frames.Of(v)
	if err != nil {
		return spool.InFile(err, name)
	}
	n := len(frames)
	if all {
		n = v.Len()
	}
	if err := v.Expect(ctx, frames); err != nil { // they are decoded in several requests
		return err
	}
	shape, err := v.Sample(n, d.Spec)
	if err != nil {
		return err
	}
	w, err := newStack(d.out, d.stdout, d.Skip)
	if err != nil {
		return err
	}
	t := taken{skip: d.Skip, w: w}
	if err := w.finish(t.take(shape, d.clips(ctx, v, frames, all, shape))); err != nil {
		return spool.InFile(err, name)
	}
	if info := v.Info(); info.Cut {
		fmt.Fprintf(d.stderr, "spool: %s: note: the file breaks off: its %d frames end at %.6g s\n", printable(name), info.Frames, info.End)
	}
	if d.explain {
		fmt.Fprintln(d.stderr, explainVideo(v, &t, d.Spec))
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
		return v.Chunks(ctx, most, d.Spec)
	}
	if !slices.IsSorted(frames) { // in one plan, so that nothing is decoded twice
		most = max(1, len(frames))
	}
	return func(yield func(*decode.Clip, error) bool) {
		for part := range slices.Chunk(frames, most) {
			clip, err := v.Frames(ctx, part, d.Spec)
			if !yield(clip, err) || err != nil {
				return
			}
		}
	}
}
