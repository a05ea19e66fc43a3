package audio

import (
	"math"
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Spec describes the requested audio. The zero value requests all of it as float32, planar, at its own sample rate
// and with its own channels.
type Spec struct {
	Rate     int // audio samples a second; 0: that of the file
	Channels int // 0: those of the file. Other numbers are mixed as libswresample mixes them

	// DType is Float32, Int16 or Int32; 0 means Float32. Full scale of floats is 1, which samples may exceed.
	DType  spool.DType
	Layout spool.Layout // CT or TC; Flat means CT

	// Start and End are a window [Start, End), in seconds from the first sample of the audio. End 0 means the end of the
	// audio. Sample i at the result's rate is at i/rate seconds. The window equals the same range of the whole result, to
	// the last bit. After the end of the audio it has no samples.
	Start, End float64
	// Clock makes Start and End times of the container's clock, like those of the frames of a video in the same file.
	// Before the audio begins (see Info.Start) the result is silent.
	Clock bool
	// Length is the number of samples of each channel in the result: longer audio is cut, shorter audio is padded with
	// silence. 0: as many as the window has.
	Length int

	Quality Quality // of a sample rate conversion

	// OnDamage is the policy for damaged packets: FailOnDamage, or MarkDamage, which replaces them by silence if it is
	// known how much is lost. The missing end of a truncated file is not damage.
	OnDamage decode.Damage
}

// Quality is the quality of a sample rate conversion. docs/audio.md has figures.
type Quality uint8

const (
	DefaultQuality Quality = iota // libswresample's default filter
	FastQuality
	BestQuality
)

// String is the name of the quality.
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
	maxRate    = container.MaxRate
	maxSeconds = 1e9
)

// Validate reports every invalid field, each as a *spool.OptionError.
func (s Spec) Validate() error {
	var bad invalid.Options
	for _, x := range []struct {
		name        string
		value, most int
	}{{"Rate", s.Rate, maxRate}, {"Channels", s.Channels, resample.MaxChannels}, {"Length", s.Length, math.MaxInt32}} {
		if x.value < 0 || x.value > x.most {
			bad.Value(x.name, x.value, "must be from 0 to %d", x.most)
		}
	}
	switch s.DType {
	case 0, spool.Float32, spool.Int16, spool.Int32:
	default:
		bad.Value("DType", s.DType, "must be float32, int16 or int32")
	}
	if s.Layout != spool.Flat && s.Layout != spool.CT && s.Layout != spool.TC {
		bad.Value("Layout", s.Layout, "must be CT or TC, of audio")
	}
	inside := func(t float64) bool { return t >= 0 && t <= maxSeconds } // no NaN
	const seconds = "must be from 0 to 1e9, in seconds"
	if !inside(s.Start) {
		bad.Value("Start", s.Start, seconds)
	}
	switch {
	case !inside(s.End):
		bad.Value("End", s.End, seconds)
	case s.End != 0 && s.End < s.Start:
		bad.Values([]spool.Option{{Name: "Start", Value: s.Start}, {Name: "End", Value: s.End}},
			"the end must not be before the start")
	}
	if s.Quality > BestQuality {
		bad.Value("Quality", uint8(s.Quality), "no such quality")
	}
	if s.OnDamage > decode.MarkDamage {
		bad.Value("OnDamage", uint8(s.OnDamage), "no such policy for audio")
	}
	return bad.Err()
}

// Placed returns the spec of Length samples within the window of audio, at a place from 0, its beginning, to 1, its
// end. Length and Rate must be set. Samples that do not fit begin with the window.
func (s Spec) Placed(at float64, i Info) Spec {
	end := i.Duration()
	if s.Clock && end != 0 {
		end += i.Start
	}
	if s.End != 0 && (end == 0 || s.End < end) {
		end = s.End
	}
	s.Start += at * max(0, end-s.Start-float64(s.Length)/float64(s.Rate))
	return s
}

// Sample describes the result if the spec alone decides its size, as a batch needs it: if Length and Channels are set.
func (s Spec) Sample() (spool.Desc, bool) {
	if s.Length == 0 || s.Channels == 0 {
		return spool.Desc{}, false
	}
	return s.desc(s.Channels, s.Length), true
}

// desc describes a result of n samples.
func (s Spec) desc(channels, n int) spool.Desc {
	if s.Layout == spool.TC {
		return spool.Desc{Shape: spool.Shape{n, channels}, DType: s.dtype(), Layout: spool.TC}
	}
	return spool.Desc{Shape: spool.Shape{channels, n}, DType: s.dtype(), Layout: spool.CT}
}

func (s Spec) dtype() spool.DType {
	if s.DType == 0 {
		return spool.Float32
	}
	return s.DType
}

// unbounded is the end of a window without an end.
const unbounded = math.MaxInt64

// window is the requested samples [first, last) at a rate. Before the audio begins, first is negative.
func (s Spec) window(rate int, begin float64) (first, last int64) {
	if !s.Clock {
		begin = 0
	}
	first, last = sampleAt(s.Start-begin, rate), unbounded
	if s.End > 0 {
		last = sampleAt(s.End-begin, rate)
	}
	return first, last
}

// sampleAt is the first sample at or after a time. Times are decimal fractions, which are rounded. So a time that is
// later than a sample by at most a rounding error counts as the time of that sample.
func sampleAt(seconds float64, rate int) int64 {
	const rounding = 1e-4 // of a sample
	return int64(math.Ceil(seconds*float64(rate) - rounding))
}
