package settings

import (
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/source/object"
)

// DecodeAudio is what decoding a sound takes.
type DecodeAudio struct {
	Spec   decode.AudioSpec
	Open   decode.AudioOptions
	Limits decode.Limits
	Stores object.Options // where the file is at an address
}

// DecodeAudio defines the settings of decode audio. When all have been given, judge completes them and adds what is wrong.
func (s *Set) DecodeAudio(d *DecodeAudio) (judge func()) {
	damage := false
	spec := &d.Spec
	s.Number("rate", &spec.Rate, "", 1, "samples a second; the file's own if not given")
	s.Number("channels", &spec.Channels, "", 1, "mixed to so many; the file's own if not given")
	s.Seconds("start", "what lies from here on, in seconds", &spec.Start)
	s.Seconds("end", "and before here", &spec.End)
	s.Sound(spec)
	Choice(s, "on-damage", &damage, "fail", "damaged packets: an error, or silence in their place", map[string]bool{"fail": false, "skip": true})
	s.Audio(&d.Open)
	s.Limits(&d.Limits)
	s.Stores(&d.Stores)
	return func() {
		if s.Given("end") && (spec.End == spec.Start || spec.End == 0) { // which the options take for all the rest
			s.Refuse("--end %v does not lie behind --start %v", spec.End, spec.Start)
		}
		if damage {
			spec.OnDamage = decode.MarkDamage
		}
		s.Check(spec.Validate())
		s.Check(d.Open.Validate())
	}
}
