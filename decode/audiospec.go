package decode

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// AudioSpec says what is wanted of a sound. The zero value is all of it as float32, planar, with its own rate and
// channels.
type AudioSpec struct {
	Rate     int // samples a second; 0: the sound's own
	Channels int // 0: the sound's own. Others are mixed as libswresample mixes them

	// DType is Float32, Int16 or Int32; 0 means Float32. Full scale is 1 in floats, which may exceed it.
	DType  spool.DType
	Layout spool.Layout // CT or TC; Flat means CT

	// Start and End are a window in seconds from the sound's first sample: what lies in [Start, End). End 0 means the
	// sound's end. Sample i of the result's rate is at i/rate seconds. The window is the same as that part of
	// the whole result, to the last bit; behind the sound's end there is nothing.
	Start, End float64
	// Clock says that Start and End are times of the container's clock, as those of the frames of a video beside the sound
	// are. Where the sound has not begun (see AudioInfo.Start) there is silence.
	Clock bool
	// Length is how many samples a channel the result has: longer sound is cut, shorter is followed by silence. 0: as
	// many as there are.
	Length int

	Quality Quality // of a change of rate

	// OnDamage is what becomes of damaged packets: FailOnDamage, or MarkDamage, which has silence in their place
	// where it is known how much is lost. The cut of a truncated file is not damage.
	OnDamage Damage
}

// Quality is that of a change of rate. docs/audio.md has figures.
type Quality uint8

const (
	DefaultQuality Quality = iota // libswresample's default filter
	FastQuality
	BestQuality
)

// String is the quality's name.
func (q Quality) String() string {
	if q > BestQuality {
		return "Quality(" + strconv.Itoa(int(q)) + ")"
	}
	return q.filter().String()
}

func (q Quality) filter() resample.Quality {
	return [...]resample.Quality{resample.Default, resample.Fast, resample.Best}[q]
}

// Bounds of a spec.
const (
	maxRate    = 1 << 24
	maxSeconds = 1e9
)

// Validate reports all that is wrong with the spec, as ErrOptions.
func (s AudioSpec) Validate() error {
	var problems []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf("%w: "+format, append([]any{spool.ErrOptions}, args...)...))
		}
	}
	require(s.Rate >= 0 && s.Rate <= maxRate, "a rate of %d", s.Rate)
	require(s.Channels >= 0 && s.Channels <= resample.MaxChannels, "%d channels", s.Channels)
	switch s.DType {
	case 0, spool.Float32, spool.Int16, spool.Int32:
	default:
		require(false, "samples of type %v", s.DType)
	}
	require(s.Layout == spool.Flat || s.Layout == spool.CT || s.Layout == spool.TC, "layout %v of one sound", s.Layout)
	inside := func(t float64) bool { return t >= 0 && t <= maxSeconds } // no NaN
	require(inside(s.Start), "a start of %v s", s.Start)
	require(inside(s.End) && (s.End == 0 || s.End >= s.Start), "an end of %v s with a start of %v s", s.End, s.Start)
	require(s.Length >= 0 && s.Length <= math.MaxInt32, "a length of %d", s.Length)
	require(s.Quality <= BestQuality, "no %v", s.Quality)
	require(s.OnDamage <= MarkDamage, "no such policy for damage of sound: %d", s.OnDamage)
	return errors.Join(problems...)
}

// Sample describes the result where the spec alone decides its size, as a batch needs it: with Length and Channels.
func (s AudioSpec) Sample() (spool.Desc, bool) {
	if s.Length == 0 || s.Channels == 0 {
		return spool.Desc{}, false
	}
	return s.desc(s.Channels, s.Length), true
}

// desc describes n samples.
func (s AudioSpec) desc(channels, n int) spool.Desc {
	if s.Layout == spool.TC {
		return spool.Desc{Shape: spool.Shape{n, channels}, DType: s.dtype(), Layout: spool.TC}
	}
	return spool.Desc{Shape: spool.Shape{channels, n}, DType: s.dtype(), Layout: spool.CT}
}

func (s AudioSpec) dtype() spool.DType {
	if s.DType == 0 {
		return spool.Float32
	}
	return s.DType
}

// unbounded is the end of a window that has none.
const unbounded = math.MaxInt64

// window is which samples of a sound are wanted, [first, last) at a rate; first is negative where the sound has not begun.
func (s AudioSpec) window(rate int, begin float64) (first, last int64) {
	if !s.Clock {
		begin = 0
	}
	first, last = sampleAt(s.Start-begin, rate), unbounded
	if s.End > 0 {
		last = sampleAt(s.End-begin, rate)
	}
	return first, last
}

// sampleAt is the first sample that is not before a time. A time that is a sample's but for the rounding of decimal
// fractions is that sample's.
func sampleAt(seconds float64, rate int) int64 {
	const rounding = 1e-4 // of a sample
	return int64(math.Ceil(seconds*float64(rate) - rounding))
}
