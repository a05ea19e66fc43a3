package settings

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// LoadAudio defines the settings of a loader of audio.
func (s *Set) LoadAudio() *Load {
	var (
		l        = &Load{kind: source.Audio}
		o        loader.AudioOptions
		spec     = &o.Spec
		duration float64
	)
	s.Number("rate", &spec.Rate, "16000", 1, "samples a second")
	s.Number("channels", &spec.Channels, "1", 1, "mix to this number of channels")
	s.Add("duration", "S", "", "seconds of a sample: longer audio is cut, and shorter audio is padded with silence. "+
		"Without it, each file is a separate batch", func(text string) (err error) {
		if duration, err = strconv.ParseFloat(text, 64); err != nil || !(duration > 0 && duration < 1e9) {
			duration, err = 0, errors.New("must be a length in seconds above 0, like 10 or 0.5")
		}
		return err
	})
	s.Boolean("train", &o.Random, false, "take --duration from a random position of each file")
	s.AudioSamples(spec)
	s.Audio(&o.Open)
	s.Isolate(&l.common.Isolate)
	s.IndexDir(&l.indexes)
	l.define(s, "files")
	l.complete = func() {
		spec.Length = s.samples(duration, spec.Rate)
		if o.Random && duration == 0 {
			s.Refuse("--train needs --duration: a random window needs a length")
			o.Random = false // report it once
		}
		if l.Headspace && duration == 0 {
			s.Refuse("--headspace needs --duration: repeated batches have samples of one size")
		}
		s.checkMemory(l.common.Batch, float64(spec.Length)*float64(spec.Channels)*4, fmt.Sprintf("--duration=%v", duration))
	}
	l.makes(&o.Options, func() error {
		if o.OnError == loader.Placeholder && duration == 0 {
			s.Refuse("--on-error=placeholder needs --duration: a placeholder needs a length")
			o.OnError = loader.Skip // report it once
		}
		return o.Validate()
	}, func(src source.Source) (*loader.Loader, error) { return loader.Audio(src, o) })
	return l
}

// samples is the number of audio samples of a duration in seconds. It refuses numbers that are too large.
func (s *Set) samples(duration float64, rate int) int {
	n := math.Ceil(duration * float64(rate))
	if n > math.MaxInt32 {
		s.Refuse("--duration=%v --rate=%d: a window has more than %d samples", duration, rate, math.MaxInt32)
		return 0
	}
	return int(n)
}
