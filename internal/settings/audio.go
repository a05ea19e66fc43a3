package settings

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/source/object"
)

// AudioSamples defines the settings for the samples of audio, without the sample rate and the channels.
func (s *Set) AudioSamples(spec *audio.Spec) {
	s.AudioArray(&spec.DType, &spec.Layout)
	Choice(s, "quality", &spec.Quality, "default", "quality of resampling",
		map[string]audio.Quality{"fast": audio.FastQuality, "default": audio.DefaultQuality, "best": audio.BestQuality})
}

// AudioArray defines the settings for the type and the layout of an array of audio samples.
func (s *Set) AudioArray(dtype *spool.DType, layout *spool.Layout) {
	Choice(s, "dtype", dtype, "float32", "full scale is 1 in floats",
		map[string]spool.DType{"float32": spool.Float32, "s16": spool.Int16, "s32": spool.Int32})
	Choice(s, "layout", layout, "ct", "order of the dimensions: channels, then time, or time, then channels",
		map[string]spool.Layout{"ct": spool.CT, "tc": spool.TC})
}

// Audio defines the settings for opening audio.
func (s *Set) Audio(o *audio.OpenOptions) {
	s.Stream(&o.Stream)
	s.audioOpening(o)
}

// audioOpening defines the settings for opening audio, except for the stream's number.
func (s *Set) audioOpening(o *audio.OpenOptions) {
	s.Text("language", &o.Language, "LANG", "the best stream of this language, like eng")
	s.codec(&o.Codec, &o.CodecOptions)
}

// DecodeAudio is the parameters of decoding audio.
type DecodeAudio struct {
	Spec    audio.Spec
	Open    audio.OpenOptions
	Isolate decode.Isolation
	Limits  decode.Limits
	Stores  object.Options // for a file at a URL
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
	s.Isolate(&d.Isolate)
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
