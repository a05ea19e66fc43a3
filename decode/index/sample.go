package index

import (
	"fmt"

	"github.com/spoolmedia/spool"
)

// Even returns k of n frames, evenly spaced: frame i is min(n-1, floor((i+0.5)*n/k)), the middle of the i-th of k equal
// parts. If k exceeds n, frames are repeated. The result is empty if n or k is not positive.
func Even(n, k int) []int {
	if n <= 0 || k <= 0 {
		return nil
	}
	frames := make([]int, k)
	for i := range frames {
		frames[i] = min(n-1, int((2*int64(i)+1)*int64(n)/(2*int64(k))))
	}
	return frames
}

// Range returns the frames from, from+step, ... below to, of n.
//
//	Errors: spool.ErrOptions for a negative bound or a step below 1; spool.ErrNoSuchFrame if to exceeds n.
func Range(n, from, to, step int) ([]int, error) {
	if from < 0 || to < 0 || step < 1 {
		return nil, fmt.Errorf("%w: index: frames %d:%d:%d", spool.ErrOptions, from, to, step)
	}
	if to > n {
		return nil, noSuchFrame(fmt.Sprintf("there are no frames up to %d: the video's frame count is %d", to, n))
	}
	frames := []int{}
	for i := from; i < to; i += step {
		frames = append(frames, i)
	}
	return frames, nil
}

// Past is the policy for frames of a clip beyond the video's end. The rules are those of torchcodec
// (samplers/video_clip_sampler.py).
type Past uint8

const (
	RepeatLast Past = iota // repeat the clip's last frame within the video
	Wrap                   // repeat the clip's frames from its first one
	Refuse                 // return an error
)

// Clips describes the choice of clips from a video. The zero value is one clip of one frame.
type Clips struct {
	Clips  int // number of clips; 0 is 1
	Frames int // in each clip; 0 is 1
	Stride int // from one frame to the next, in frames; 0 is 1
	Past   Past

	// Clips begin in [From, To). Negative values count from the end of the video. A To of 0 includes the last position at
	// which a clip fits into the video, and at least From.
	From, To int
}

// Random chooses clips at positions drawn from rng, uniformly and independently. With an order.Rand as rng, the same
// sample gets the same clips.
//
//	Result: Clips x Frames frame numbers, one clip after another.
//	Errors: spool.ErrOptions for negative numbers, or a range that is empty or outside of the n frames;
//	        spool.ErrNoSuchFrame from the policy Refuse.
func (c Clips) Random(n int, rng interface{ IntN(n int) int }) ([]int, error) {
	return c.choose(n, func(_, from, to int) int { return from + rng.IntN(to-from) })
}

// Regular chooses clips at evenly spaced positions, the first at From and the last at To - 1. Result and errors are
// those of Random.
func (c Clips) Regular(n int) ([]int, error) {
	return c.choose(n, func(i, from, to int) int {
		if c.Clips < 2 {
			return from
		}
		return from + int(int64(i)*int64(to-1-from)/int64(c.Clips-1))
	})
}

func (c *Clips) setDefaults() {
	for _, field := range [...]*int{&c.Clips, &c.Frames, &c.Stride} {
		if *field == 0 {
			*field = 1
		}
	}
}

// maxSampled bounds the number of frames of all clips.
const maxSampled = 1 << 24

func (c Clips) choose(n int, place func(i, from, to int) int) ([]int, error) {
	c.setDefaults()
	if c.Clips < 0 || c.Frames < 0 || c.Stride < 0 || c.Past > Refuse || c.Clips > maxSampled/c.Frames ||
		c.Stride > maxSampled {
		return nil, fmt.Errorf("%w: index: %+v", spool.ErrOptions, c)
	}
	from, to := c.From, c.To
	if from < 0 {
		from += n
	}
	switch {
	case to < 0:
		to += n
	case to == 0:
		to = max(n-(c.Frames-1)*c.Stride, from+1)
	}
	if from < 0 || from >= n || from >= to {
		return nil, fmt.Errorf("%w: index: clips that begin in [%d, %d) of %d frames", spool.ErrOptions, from, to, n)
	}
	frames := make([]int, 0, c.Clips*c.Frames)
	for i := range c.Clips {
		first := place(i, from, min(to, n))
		there := min(c.Frames, (n-1-first)/c.Stride+1) // frames within the video
		if there < c.Frames && c.Past == Refuse {
			return nil, noSuchFrame(fmt.Sprintf("the clip from frame %d on needs frame %d: the video's frame count is %d",
				first, first+(c.Frames-1)*c.Stride, n))
		}
		for k := range c.Frames {
			if k >= there && c.Past == Wrap {
				k %= there
			}
			frames = append(frames, first+min(k, there-1)*c.Stride)
		}
	}
	return frames, nil
}
