package decoding

import (
	"context"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/inputs"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source/object"
)

// videoLane decodes frames of a video.
type videoLane struct {
	settings.DecodeVideo
	pts string // file for the times
}

func (l *videoLane) define(f *cli.Flags) (judge func()) {
	f.Text("pts-out", &l.pts, "FILE", "JSON with the number, time and duration of each frame that was written")
	return f.DecodeVideo(&l.DecodeVideo)
}

func (l *videoLane) options() (object.Options, decoders.Options) {
	return l.Stores, decoders.Options{Limits: l.Limits}
}

func (l *videoLane) decode(ctx context.Context, d *decoding, from inputs.Stores, decoder *decoders.Set) (err error) {
	in := from.Object(d.file)
	v, err := decoder.Videos.Open(ctx, in, l.Open)
	if err != nil {
		return err
	}
	defer cli.Closing(&err, v.Close)
	t, err := l.write(ctx, d, v)
	if err != nil {
		return err
	}
	if info := v.Info(); info.Cut {
		fmt.Fprintf(d.stderr, "spool: %s: note: the file breaks off: its %d frames end at %.6g s\n",
			output.Printable(d.name()), info.Frames, info.End)
	}
	d.say(explainVideo(v, t, l.Spec))
	return t.writeTimes(l.pts)
}

// write writes the requested frames into the array. A file exists only after success.
func (l *videoLane) write(ctx context.Context, d *decoding, v *video.Video) (*frameWriter, error) {
	frames, all, err := l.Frames.Of(v)
	if err != nil {
		return nil, spool.InFile(err, d.name())
	}
	n := len(frames)
	if all {
		n = v.Len()
	}
	if err := v.Expect(ctx, frames); err != nil { // several requests decode them
		return nil, err
	}
	shape, err := v.Sample(n, l.Spec)
	if err != nil {
		return nil, err
	}
	w, err := newStack(d.out, d.stdout, l.Skip)
	if err != nil {
		return nil, err
	}
	t := &frameWriter{skip: l.Skip, crops: l.Spec.Crops.Len(), w: w}
	return t, spool.InFile(w.finish(t.write(shape, l.clips(ctx, v, frames, all, shape))), d.name())
}

// crops yields the crops of all requested frames.
func (l *videoLane) crops(ctx context.Context, v *video.Video, frames []int,
	all bool) func(func(*video.Clip, error) bool) {
	return func(yield func(*video.Clip, error) bool) {
		if all {
			frames, _ = index.Range(v.Len(), 0, v.Len(), 1) // these exist
		}
		yield(v.Frames(ctx, frames, l.Spec))
	}
}

// clipBytes is about how many bytes of frames are decoded at a time, if they can be written as they are decoded.
const clipBytes = 16 << 20

// clips yields the requested frames, in groups if that costs nothing.
func (l *videoLane) clips(ctx context.Context, v *video.Video, frames []int, all bool,
	shape spool.Desc) func(func(*video.Clip, error) bool) {
	if l.Spec.Crops != resize.OneCrop {
		return l.crops(ctx, v, frames, all)
	}
	bytes, _ := shape.Bytes()
	most := max(1, clipBytes/max(1, bytes/max(1, shape.Shape[0])))
	if all {
		return v.Chunks(ctx, most, l.Spec)
	}
	if !slices.IsSorted(frames) { // in one plan, so that no frame is decoded twice
		most = max(1, len(frames))
	}
	return func(yield func(*video.Clip, error) bool) {
		for part := range slices.Chunk(frames, most) {
			clip, err := v.Frames(ctx, part, l.Spec)
			if !yield(clip, err) || err != nil {
				return
			}
		}
	}
}
