package settings

import (
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/source/object"
)

// DecodeAudio is the parameters of decoding audio.
type DecodeAudio struct {
	Spec   audio.Spec
	Open   audio.OpenOptions
	Limits decode.Limits
	Stores object.Options // for a file at a URL
}

// DecodeAudio defines the settings of decode audio. Once all values are given, judge completes d and adds the problems.
func (s *Set) DecodeAudio(d *DecodeAudio) (judge func()) {
	damage := false
	spec := &d.Spec
	s.Number("rate", &spec.Rate, "", 1, "samples a second; the file's own if not given")
	s.Number("channels", &spec.Channels, "", 1, "mix to this number of channels; the file's own if not given")
	s.Seconds("start", "start of the window, in seconds", &spec.Start)
	s.Seconds("end", "end of the window, in seconds", &spec.End)
	s.AudioSamples(spec)
	Choice(s, "on-damage", &damage, "fail", "damaged packets: fail: an error; fill: silence in their place",
		map[string]bool{"fail": false, "fill": true})
	s.Audio(&d.Open)
	s.Limits(&d.Limits)
	s.Stores(&d.Stores)
	return func() {
		if s.Given("end") && (spec.End == spec.Start || spec.End == 0) { // the options read these as no end
			s.Refuse("--end=%v is not after --start=%v: the window is empty", spec.End, spec.Start)
		}
		if damage {
			spec.OnDamage = decode.MarkDamage
		}
		s.Check(spec.Validate())
		s.Check(d.Open.Validate())
	}
}
