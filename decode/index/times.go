package index

import (
	"fmt"
	"math"
	"sort"

	"github.com/spoolmedia/spool"
)

// Seconds converts a time from ticks to seconds.
func (x *Index) Seconds(ticks int64) float64 {
	return float64(ticks) * float64(x.Stream.Base.Num) / float64(x.Stream.Base.Den)
}

// Time is when frame n begins, in seconds.
func (x *Index) Time(n int) float64 { return x.Seconds(x.Ticks(n)) }

// End is when frame n ends, in seconds: when the next frame begins; for the last one, after its packet's duration.
func (x *Index) End(n int) float64 { return x.Seconds(x.endTicks(n)) }

// Duration is how long frame n is shown, in seconds.
func (x *Index) Duration(n int) float64 { return x.Seconds(x.endTicks(n) - x.Ticks(n)) }

func (x *Index) endTicks(n int) int64 {
	if n+1 < x.Len() {
		return x.Ticks(n + 1)
	}
	p := &x.Packets[x.frames[n]]
	switch {
	case p.Duration > 0:
		return p.PTS + p.Duration
	case n > 0: // the duration of the frame before
		return p.PTS + p.PTS - x.Ticks(n-1)
	}
	r, base := x.Stream.Rate, x.Stream.Base
	if r.Num <= 0 || r.Den <= 0 {
		return p.PTS + 1
	}
	return p.PTS + max(1, int64(math.Round(float64(r.Den)/float64(r.Num)*float64(base.Den)/float64(base.Num))))
}

// At is the frame shown at a time: the last one that begins at or before it.
//
//	Errors: spool.ErrNoSuchFrame before the first frame begins, and from the end of the last one on.
func (x *Index) At(seconds float64) (int, error) {
	if n := x.Len(); n > 0 && seconds >= x.Time(0) && seconds < x.End(n-1) {
		return x.from(math.Nextafter(seconds, math.Inf(1))) - 1, nil
	}
	if x.Len() == 0 {
		return 0, noSuchFrame("the video has no frames")
	}
	text := fmt.Sprintf("no frame is shown at %v s: the video's %d frames are shown in [%.9g, %.9g)", seconds, x.Len(),
		x.Time(0), x.End(x.Len()-1))
	return 0, noSuchFrame(text)
}

// from is the first frame that begins at or after a time; Len if there is none.
func (x *Index) from(seconds float64) int {
	return sort.Search(x.Len(), func(n int) bool { return x.Time(n) >= seconds })
}

// Window returns the frames that begin in [start, end): n frames from first on. An empty window, or one outside of the
// video, has none. At 25 frames a second, [0.03, 0.12) contains the frames at 0.04 and 0.08. A frame that began before
// start is not included, although it is shown at start.
func (x *Index) Window(start, end float64) (first, n int) {
	if first = x.from(start); start < end {
		n = x.from(end) - first
	}
	return first, n
}

// Slack is how far apart times may be that are equal, in seconds: texts of times are rounded.
const Slack = 1e-6

// Segment is Window for times that may be rounded: a frame that begins up to slack before start is included, and one
// that begins up to slack before end is not. The error is spool.ErrNoSuchFrame if no frame begins in it.
func (x *Index) Segment(start, end, slack float64) (first, n int, err error) {
	if first, n = x.Window(start-slack, end-slack); n > 0 {
		return first, n, nil
	}
	if x.Len() == 0 {
		return 0, 0, noSuchFrame("the video has no frames")
	}
	return 0, 0, noSuchFrame(fmt.Sprintf("no frame begins in [%v, %v): the video has [%v, %v)", start, end, x.Time(0),
		x.End(x.Len()-1)))
}

// Resample returns the frames of [start, end) at another frame rate: frame k of the result is the one shown at start +
// k/fps. Frames are repeated or left out, never interpolated.
//
//	Errors: spool.ErrOptions for a rate that is not positive or gives more than MaxResampled frames;
//	        spool.ErrNoSuchFrame if start or the last time is outside of the video.
func (x *Index) Resample(start, end, fps float64) ([]int, error) {
	if !(fps > 0) || math.IsInf(fps, 0) || !(end-start < MaxResampled/fps) {
		return nil, fmt.Errorf("%w: index: [%v, %v) at %v frames a second", spool.ErrOptions, start, end, fps)
	}
	frames := []int{}
	for k := 0; ; k++ {
		t := start + float64(k)/fps
		if t >= end {
			return frames, nil
		}
		n, err := x.At(t)
		if err != nil {
			return nil, err
		}
		frames = append(frames, n)
	}
}

// MaxResampled bounds the number of frames from Resample.
const MaxResampled = 1 << 24
