package record

import (
	"fmt"
	"math"
	"sort"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/order"
)

// span is a range of time, [start, end), in seconds of a file's clock.
type span struct{ start, end float64 }

// clip is the frames of a clip.
type clip struct {
	frames []int  // by their numbers in the file
	valid  []bool // false for frames that pad
	span   span   // what the valid frames show
}

// window is the part of a file from which clips are taken.
type window struct {
	*index.Index
	span
	asked    span    // before it was cut to the file
	slack    float64 // how far apart times may be that are equal
	origin   float64 // what Video.At is relative to
	first, n int     // the frames that begin in it
}

var errNoClips = &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: "a stream has no clips"}

// choose chooses the frames of a clip. times are those of the field.
func (k Video) choose(x *index.Index, times []float64, view int, draws *order.Rand) (clip, error) {
	if x == nil {
		return clip{}, errNoClips
	}
	w, err := k.window(x, times[0], times[1])
	if err != nil {
		return clip{}, err
	}
	var c clip
	switch {
	case len(k.Times) > 0:
		c, err = k.at(w, times[2])
	case k.FPS > 0:
		c, err = k.resampled(w, view, draws)
	case k.Stride > 0 || k.Random:
		c, err = k.strided(w, view, draws)
	default:
		c = k.even(w, view)
	}
	if err != nil {
		return clip{}, err
	}
	if c.valid == nil {
		c.valid = make([]bool, len(c.frames))
		for i := range c.valid {
			c.valid[i] = true
		}
	}
	return c, nil
}

// window returns the window of a file. An end of 0 is the end of the file.
func (k Video) window(x *index.Index, start, end float64) (window, error) {
	n := x.Len()
	if n == 0 {
		return window{}, &spool.Error{Op: "decode", Class: spool.ErrEmpty, Text: "has no frame"}
	}
	first := x.Time(0)
	if k.Start == (Time{}) { // from the first frame on, whatever its time
		start = first
	}
	w := window{Index: x, origin: start, span: span{start: max(start, first), end: x.End(n - 1)}, first: 0, n: n}
	w.asked = span{start, w.end}
	// Ends of windows may be as inexact as times are, as long as no other frame is nearer.
	w.slack = max(index.Slack, min(k.Tolerance, (w.end-first)/float64(2*n)))
	if end != 0 {
		w.asked.end, w.end = end, min(end, w.end)
	}
	var err error
	if w.start > first || end != 0 {
		w.first, w.n, err = x.Segment(w.asked.start, w.asked.end, w.slack)
	}
	return w, err
}

// even spreads all clips over the window.
func (k Video) even(w window, view int) clip {
	n := k.frames()
	all := index.Even(w.n, n*max(1, k.Clips))
	frames := all[view*n : (view+1)*n]
	for i := range frames {
		frames[i] += w.first
	}
	part := (w.end - w.start) / float64(max(1, k.Clips))
	return clip{frames: frames, span: span{w.start + float64(view)*part, w.start + float64(view+1)*part}}
}

// strided takes frames at a distance in frames.
func (k Video) strided(w window, view int, draws *order.Rand) (clip, error) {
	n, stride := k.frames(), max(1, k.Stride)
	rule := index.Clips{Frames: n, Stride: stride, Past: k.Pad.past()}
	var (
		frames []int
		err    error
	)
	if k.Random {
		frames, err = rule.Random(w.n, draws)
	} else if rule.Clips = max(1, k.Clips); err == nil {
		frames, err = rule.Regular(w.n)
		if err == nil {
			frames = frames[view*n : (view+1)*n]
		}
	}
	if err != nil {
		return clip{}, err
	}
	c := clip{frames: frames, valid: make([]bool, n)}
	begin, last := frames[0], frames[0]
	for i := range frames {
		if c.valid[i] = begin+i*stride < w.n; c.valid[i] {
			last = frames[i]
		}
		frames[i] += w.first
	}
	c.span = span{w.Time(w.first + begin), w.End(w.first + last)}
	return c, nil
}

// past is the policy of package index that puts frames where the clip is padded.
func (p Pad) past() index.Past {
	switch p {
	case PadLoop:
		return index.Wrap
	case PadRefuse:
		return index.Refuse
	}
	return index.RepeatLast
}

// resampled takes the frames that are shown at a rate.
func (k Video) resampled(w window, view int, draws *order.Rand) (clip, error) {
	n := k.frames()
	length := float64(n) / k.FPS
	room := max(0, w.end-w.start-length)
	begin := w.start
	switch {
	case k.Random:
		begin += draws.Float64() * room
	case k.Clips > 1:
		begin += float64(view) * room / float64(k.Clips-1)
	}
	c := clip{frames: make([]int, n), valid: make([]bool, n), span: span{begin, min(begin+length, w.end)}}
	inside := 0
	for i := range n {
		t := begin + float64(i)/k.FPS
		if t > w.end-index.Slack {
			break
		}
		c.frames[i], c.valid[i] = w.shown(t), true
		inside = i + 1
	}
	if inside < n && k.Pad == PadRefuse {
		return clip{}, &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame,
			Text: fmt.Sprintf("%d frames at %v a second from %v on end after %v", n, k.FPS, begin, w.end)}
	}
	for i := inside; i < n; i++ {
		from := inside - 1
		if k.Pad == PadLoop {
			from = i % inside
		}
		c.frames[i] = c.frames[from]
	}
	return c, nil
}

// shown returns the frame of the window that is shown at a time: the last one that begins at or before it.
func (w *window) shown(t float64) int {
	i := sort.Search(w.n, func(i int) bool { return w.Time(w.first+i) > t+index.Slack })
	return w.first + max(i-1, 0)
}

// at takes the frames that are nearest to the times of the field, from an origin on.
func (k Video) at(w window, at float64) (clip, error) {
	n := len(k.Times)
	c := clip{frames: make([]int, n), valid: make([]bool, n), span: span{math.Inf(1), math.Inf(-1)}}
	within := w.span
	if k.Tolerance > 0 { // what the file should have and does not have is an error, and no padding
		within = w.asked
	}
	for i, offset := range k.Times {
		t := w.origin + at + offset
		frame := w.nearest(t)
		c.frames[i], c.valid[i] = frame, t > within.start-w.slack && t < within.end-w.slack
		if !c.valid[i] {
			if k.Pad == PadRefuse {
				return clip{}, &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame,
					Text: fmt.Sprintf("no frame at %v: the window is [%v, %v)", t, within.start, within.end)}
			}
			continue
		}
		if distance := math.Abs(w.Time(frame) - t); k.Tolerance > 0 && distance > k.Tolerance+index.Slack {
			return clip{}, &spool.Error{Op: "decode", Class: spool.ErrNoSuchFrame,
				Text: fmt.Sprintf("no frame within %v s of %v: the nearest is at %v", k.Tolerance, t, w.Time(frame))}
		}
		c.span = span{min(c.span.start, w.Time(frame)), max(c.span.end, w.End(frame))}
	}
	return c, nil
}

// nearest returns the frame of the window that begins nearest to a time.
func (w *window) nearest(t float64) int {
	frame := w.shown(t)
	if next := frame + 1; next < w.first+w.n && w.Time(next)-t < t-w.Time(frame) {
		return next
	}
	return frame
}
