package record

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// Video decodes clips of a video to frames of a fixed size. Each clip has four arrays: NAME with the frames, NAME.pts
// float64 [frames] with their times in the file in seconds, NAME.index int64 [frames] with their numbers in the file,
// and NAME.valid uint8 [frames], which is 0 for frames that pad the clip. If there are several clips, NAME is NAME.0
// and so on.
//
// A clip is taken from the window [Start, End) of the file. By default its frames are spread evenly over the window, as
// index.Even does. Stride, FPS and Times choose frames by other rules. Times within a microsecond are equal.
type Video struct {
	// Spec is the result. It must fix the size of frames.
	Spec video.Spec
	// Open chooses the stream of a file and how it is decoded.
	Open video.OpenOptions
	// Stream is the input that has the stream's index in the file, in place of Open.Stream: a column. Empty: none.
	Stream string
	// Augment draws a crop and flips for each record and clip.
	Augment resize.Augment
	// Ops change the pixels of each record and clip.
	Ops augment.Ops

	// Frames is the number of frames of a clip. 0 means 16, or as many as Times has. AllFrames is as many as the window
	// has: see NewSizedPlan.
	Frames int
	// Clips is how many clips there are, each with its own random numbers: NAME.0, NAME.1 and so on. 0 means one, which
	// is called NAME. They are spread evenly over the window if they are not Random.
	Clips int

	// Start and End are the window, in seconds of the file's clock. An End of 0 means the end of the file. If they come
	// from inputs, open files are kept for other records: see OpenFiles.
	Start, End Time

	// Random draws where a clip begins within the window. Its frames are Stride frames, or 1/FPS seconds apart.
	Random bool
	// Stride takes frames this many frames apart, the first at the beginning of the window.
	Stride int
	// FPS takes the frames that are shown 1/FPS seconds apart, the first at the beginning of the window.
	FPS float64
	// Times takes the frames that are nearest to Start + At + Times[i], and within the window. A time outside of the
	// window gives its first or last frame, which is not valid: LeRobot's delta_timestamps.
	Times []float64
	At    Time
	// Tolerance is the largest distance in seconds between a frame and its time; 0 accepts any. With a Tolerance, a time
	// that is within the window, and beyond the file, is an error and not padding.
	Tolerance float64

	// Pad is what comes after the end of the window.
	Pad Pad
}

// AllFrames is a value of Video.Frames: all frames of the window, Stride frames or 1/FPS seconds apart.
const AllFrames = -1

// Pad is what a clip has in place of frames outside of its window.
type Pad uint8

const (
	PadRepeat Pad = iota // the last frame, or the first before the window
	PadLoop              // the clip's frames from the first one on
	PadFill              // Spec.Fill
	PadRefuse            // nothing: the sample is bad
)

func (Video) value() bool { return false }

func (k Video) times() []Time { return withStream(k.Stream, k.Start, k.End, k.At) }

// fixedFrames is Frames, and 0 for AllFrames.
func (k Video) fixedFrames() int {
	if k.Frames == AllFrames {
		return 0
	}
	return k.Frames
}

// frames returns the number of frames of a clip; 0 if it varies.
func (k Video) frames() int {
	if k.Frames == AllFrames {
		return 0
	}
	if len(k.Times) > 0 {
		return len(k.Times)
	}
	return cmp.Or(k.Frames, 16)
}

func (k Video) validate(_ Schema, bad *invalid.Options) {
	spec := k.Spec
	if len(k.Ops) > 0 {
		spec.Adjust = k.Ops.Steps(order.Draw{}) // the spec has what steps exclude
	}
	if err := spec.Validate(); err != nil {
		bad.Add(err)
	} else if _, fixed := k.Spec.Sample(1); !fixed {
		bad.Values(invalid.Named("Spec.Resize"), "must give all frames of a batch one size")
	}
	bad.Add(k.Open.Validate())
	oneStream(bad, k.Stream, k.Open.Stream != nil || k.Open.Language != "")
	bad.Add(k.Augment.Validate(k.Spec.Resize))
	bad.Add(k.Ops.Validate())
	if k.Spec.Draw != nil {
		bad.Values(invalid.Named("Spec.Draw"), "must be nil: Augment draws")
	}
	if k.Spec.Crops != resize.OneCrop {
		bad.Value("Spec.Crops", k.Spec.Crops, "records have Views in place of crops")
	}
	if k.Spec.Adjust != nil {
		bad.Values(invalid.Named("Spec.Adjust"), "must be nil: Ops change pixels")
	}
	if k.Frames == AllFrames {
		all := invalid.With("Frames", "AllFrames")
		if k.Random || k.Clips > 0 || len(k.Times) > 0 {
			bad.Excludes(all, invalid.Named("Random", "Clips", "Times"), "it is one clip of the whole window")
		}
	}
	for name, n := range map[string]int{"Frames": k.fixedFrames(), "Clips": k.Clips, "Stride": k.Stride} {
		if n < 0 {
			bad.Value(name, n, "must not be negative")
		}
	}
	k.Start.validate("Start", bad)
	k.End.validate("End", bad)
	k.At.validate("At", bad)
	if !(k.FPS >= 0) || math.IsInf(k.FPS, 1) {
		bad.Value("FPS", k.FPS, "must be a finite rate that is not negative")
	}
	if !(k.Tolerance >= 0) {
		bad.Value("Tolerance", k.Tolerance, "must not be negative")
	}
	if k.Pad > PadRefuse {
		bad.Value("Pad", uint8(k.Pad), "no such policy")
	}
	k.validateRule(bad)
}

// validateRule adds rules for frames that exclude each other.
func (k Video) validateRule(bad *invalid.Options) {
	times := invalid.Named("Times")
	switch {
	case len(k.Times) > 0:
		if k.Random || k.Stride > 0 || k.FPS > 0 || k.Clips > 0 {
			bad.Excludes(times, invalid.Named("Random", "Stride", "FPS", "Clips"), "it names each frame")
		}
		if k.Frames > 0 && k.Frames != len(k.Times) {
			bad.Value("Frames", k.Frames, "Times has %d", len(k.Times))
		}
	case k.At != (Time{}) || k.Tolerance > 0:
		bad.Needs(invalid.Named("At", "Tolerance"), times, "other rules have no times")
	}
	for _, t := range k.Times {
		if math.IsNaN(t) || math.IsInf(t, 0) {
			bad.Value("Times", t, "must be finite")
		}
	}
	if k.Stride > 0 && k.FPS > 0 {
		bad.Excludes(invalid.Named("Stride"), invalid.Named("FPS"), "one of them is the distance of frames")
	}
	if end := k.End.Seconds; k.Start.Input == "" && end != 0 && end <= k.Start.Seconds {
		bad.Value("End.Seconds", end, "must be after Start")
	}
}

func (k Video) parts(Schema) []part { return k.clip(k.frames()) }

// clip returns the parts of a clip of some frames.
func (k Video) clip(count int) []part {
	frames, _ := k.Spec.Sample(max(count, 1))
	n := spool.Shape{count}
	frames.Shape[0] = count
	return []part{{array: true, sample: frames},
		{suffix: ".pts", array: true, sample: spool.Desc{Shape: n, DType: spool.Float64}},
		{suffix: ".index", array: true, sample: spool.Desc{Shape: n, DType: spool.Int64}},
		{suffix: ".valid", array: true, sample: spool.Desc{Shape: n, DType: spool.Uint8}}}
}

// Positions of a clip's arrays.
const (
	clipFrames = iota
	clipPTS
	clipIndex
	clipValid
)

// chosen is an open video with the frames of its clips.
type chosen struct {
	*OpenVideo
	kind  Video
	clips []clip // by view
}

// choose opens the video of a field, and chooses the frames of its clips. It returns nil if an optional one is absent.
// The caller owns the video, also on an error after it was opened.
func (r *run) choose(f *field, open func(o video.OpenOptions) (*OpenVideo, error)) (*chosen, error) {
	k := f.Kind.(Video)
	times, err := r.seconds(f)
	if err != nil || times == nil {
		return nil, err
	}
	if k.Open.Stream, err = r.stream(f, times[3:], k.Open.Stream); err != nil {
		return nil, err
	}
	k = r.segment(k, times)
	v, err := open(k.Open)
	if err != nil {
		return nil, err
	}
	c := &chosen{OpenVideo: v}
	if k.Frames == AllFrames {
		if k.Frames, err = r.allFrames(f, k, v.Index(), times); err != nil {
			return c, err
		}
		if k.FPS == 0 {
			k.Stride = max(k.Stride, 1)
		}
	}
	for view := range f.views {
		by := r.draw
		by.View = f.view + view
		draws := by.Rand(order.OpClip)
		x, err := k.choose(v.Index(), times, view, &draws)
		if err != nil {
			return c, spool.InFile(err, r.inputs[f.input].Info().Name)
		}
		c.clips = append(c.clips, x)
	}
	c.kind = k
	return c, nil
}

// video decodes the clips of a video, and the audio that follows it.
func (r *run) video(i int) (err error) {
	f := &r.fields[i]
	c := r.decoders.Ahead.take(f.Name)
	if c != nil {
		r.opened = append(r.opened, c.OpenVideo)
	} else {
		c, err = r.choose(f, func(o video.OpenOptions) (*OpenVideo, error) { return r.openVideo(f, o) })
		if err != nil {
			return err
		}
		if c == nil {
			return r.absent(i)
		}
	}
	windows, requests := make([]span, f.views), make([]video.Request, f.views)
	for view := range f.views {
		windows[view] = c.clips[view].span
		by := r.draw
		by.View = f.view + view
		k, spec := c.kind, c.kind.Spec
		if k.Augment != (resize.Augment{}) {
			spec.Draw = k.Augment.Drawing(k.Spec.Resize, by)
		}
		spec.Adjust = k.Ops.Steps(by)
		requests[view] = video.Request{Video: c.Video, Dst: r.part(f, view, clipFrames), Frames: c.clips[view].frames,
			Spec: spec}
	}
	for view, answer := range video.Gather(r.ctx, requests) { // one plan: a GOP of several clips is decoded once
		if answer.Err != nil {
			c.failed = true
			return answer.Err
		}
		if err := r.clip(f, view, c.clips[view], answer.Report); err != nil {
			return err
		}
	}
	return r.followed(f, windows)
}

// segment returns a field with the segment of the record as its window, if it has none of its own, and sets its times.
func (r *run) segment(k Video, times []float64) Video {
	if s := r.decoders.Segment; s != nil && k.Start == (Time{}) && k.End == (Time{}) {
		times[0], times[1] = s.Start, s.End
		k.Start = Time{Input: "segment"} // as if an input had it
	}
	return k
}

// allFrames returns how many frames a clip of all frames has: those of its array, or of its window before there is one.
func (r *run) allFrames(f *field, k Video, x *index.Index, times []float64) (int, error) {
	if r.dst != nil {
		return len(r.part(f, 0, clipValid)), nil
	}
	n, err := k.length(x, times)
	return n, spool.InFile(err, r.inputs[f.input].Info().Name)
}

// videoLength returns the number of frames in the window of a record.
func (r *run) videoLength(f *field) (n int, err error) {
	k := f.Kind.(Video)
	if c := r.decoders.Ahead.of(f.Name); c != nil && k.Frames == AllFrames {
		return len(c.clips[0].frames), nil
	}
	times, err := r.seconds(f)
	if err != nil || times == nil {
		return 0, err
	}
	k = r.segment(k, times)
	if k.Open.Stream, err = r.stream(f, times[3:], k.Open.Stream); err != nil {
		return 0, err
	}
	k.Open.Workers = 1
	v, err := r.decoders.Videos.Open(r.ctx, r.inputs[f.input], k.Open)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, v.Close()) }()
	n, err = k.length(v.Index(), times)
	return n, spool.InFile(err, r.inputs[f.input].Info().Name)
}

// length returns the number of frames in the window of a file.
func (k Video) length(x *index.Index, times []float64) (int, error) {
	if x == nil {
		return 0, errNoClips
	}
	w, err := k.window(x, times[0], times[1])
	switch {
	case err != nil:
		return 0, err
	case k.FPS > 0:
		return max(1, int(math.Ceil((w.end-w.start-index.Slack)*k.FPS))), nil
	}
	stride := max(k.Stride, 1)
	return (w.n + stride - 1) / stride, nil
}

// clip writes the arrays beside the frames of a clip, and notes what the decoder reported.
func (r *run) clip(f *field, view int, c clip, report video.Report) error {
	frames, pts := r.part(f, view, clipFrames), r.part(f, view, clipPTS)
	numbers, valid := r.part(f, view, clipIndex), r.part(f, view, clipValid)
	filled, blank := false, 0
	for j, frame := range report.Frames {
		binary.NativeEndian.PutUint64(pts[8*j:], math.Float64bits(frame.PTS))
		binary.NativeEndian.PutUint64(numbers[8*j:], uint64(frame.Index))
		valid[j] = 1
		if !c.valid[j] {
			valid[j], filled = 0, true
			blank++
		}
		r.result.Damaged = r.result.Damaged || frame.State != video.Whole
	}
	if k := f.Kind.(Video); k.Pad == PadFill && filled {
		size := len(frames) / len(valid)
		for j, v := range valid {
			if v != 0 {
				continue
			}
			if err := decoders.Blank(r.ctx, r.decoders.Images, frames[j*size:(j+1)*size], 1, k.Spec); err != nil {
				return err
			}
		}
	}
	if blank > 0 {
		one, _ := decoders.FrameSpec(f.Kind.(Video).Spec).Sample()
		height, width := sides(one)
		r.result.Blank += blank * height * width
	}
	if n := len(report.Damage); n > 0 {
		r.warn(n, report.Damage[0].Text)
	}
	r.show(report.Region, report.FlipX, report.FlipY)
	return nil
}

// blank fills the arrays of a field as if it were absent.
func (k Video) blank(ctx context.Context, d *image.Decoder, f *field, dst func(int) []byte) error {
	for view := range f.views {
		first := f.array + view*len(f.parts)
		frames := dst(first + clipFrames)
		if len(frames) == 0 {
			continue
		}
		if err := decoders.Blank(ctx, d, frames, len(dst(first+clipValid)), k.Spec); err != nil {
			return err
		}
		for _, part := range []int{clipPTS, clipIndex, clipValid} {
			clear(dst(first + part))
		}
	}
	return nil
}
