package settings

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
)

// Frames selects frames of a video.
type Frames struct {
	frames       []int
	from, to, by int // of --range; by is 0 without it
	times        []float64
	start, end   float64 // of --start and --end, if window is true
	window       bool
	sample       int
}

// Frames defines the settings that choose frames.
func (s *Set) Frames(c *Frames) {
	c.start, c.end = math.Inf(-1), math.Inf(1)
	s.Add("frames", "I,I,...", "", "these frames, counted from 0, in any order", func(text string) (err error) {
		c.frames, err = parseFrames(text)
		return err
	})
	s.Add("range", "A:B[:STEP]", "", "frames A, A+STEP, ... below B",
		func(text string) error { return c.parseRange(text) })
	s.Add("times", "T,T,...", "", "the frames shown at these seconds", func(text string) (err error) {
		c.times, err = parseSeconds(text)
		return err
	})
	s.Seconds("start", "frames that begin at or after this time, in seconds", &c.start)
	s.Seconds("end", "and before this time, in seconds", &c.end)
	s.Number("sample", &c.sample, "", 1, "N frames, evenly spread")
}

func parseFrames(s string) ([]int, error) {
	var frames []int
	for word := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 0 {
			return nil, errors.New("must be frame numbers like 0,10,7, which count from 0")
		}
		frames = append(frames, n)
	}
	return frames, nil
}

func parseSeconds(s string) ([]float64, error) {
	var times []float64
	for word := range strings.SplitSeq(s, ",") {
		t, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil || math.IsNaN(t) || math.IsInf(t, 0) {
			return nil, errors.New("must be seconds like 0.5,1.0")
		}
		times = append(times, t)
	}
	return times, nil
}

func (c *Frames) parseRange(s string) error {
	parts := strings.Split(s, ":")
	numbers := [3]int{0, 0, 1}
	err := error(nil)
	for i, part := range parts[:min(len(parts), 3)] {
		n, failed := strconv.Atoi(part)
		numbers[i] = n
		err = cmp.Or(err, failed)
	}
	if err != nil || len(parts) < 2 || len(parts) > 3 || numbers[0] < 0 || numbers[1] < numbers[0] || numbers[2] < 1 {
		return errors.New("must be a range like 0:100 or 0:100:5, first:end:step")
	}
	c.from, c.to, c.by = numbers[0], numbers[1], numbers[2]
	return nil
}

// Judge refuses more than one way of selecting.
func (c *Frames) Judge(s *Set) {
	var given []string
	for _, names := range [][]string{{"frames"}, {"range"}, {"times"}, {"start", "end"}, {"sample"}} {
		for _, name := range names {
			if s.Given(name) {
				given = append(given, "--"+name)
				break
			}
		}
	}
	c.window = slices.Contains(given, "--start") || slices.Contains(given, "--end")
	if len(given) > 1 {
		s.Refuse("%s exclude each other: each selects frames; give one", AllOf(given))
	}
	if c.window && !(c.start <= c.end) {
		s.Refuse("--start=%v is after --end=%v", c.start, c.end)
	}
}

// Of returns the selected frames of a video, in the requested order. all reports that these are all frames, in their
// order.
func (c *Frames) Of(v *video.Video) (frames []int, all bool, err error) {
	x := v.Index()
	switch {
	case c.frames != nil:
		return c.frames, false, nil
	case c.by > 0:
		frames, err = index.Range(v.Len(), c.from, c.to, c.by)
	case c.times != nil:
		for _, t := range c.times {
			n, err := x.At(t)
			if err != nil {
				return nil, false, err
			}
			frames = append(frames, n)
		}
	case c.window:
		first, n := x.Window(c.start, c.end)
		frames, err = index.Range(v.Len(), first, first+n, 1)
	case c.sample > 0:
		frames = index.Even(v.Len(), c.sample)
	default:
		return nil, true, nil
	}
	return frames, false, err
}
