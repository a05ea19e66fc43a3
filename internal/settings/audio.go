package settings

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/audio"
)

// AudioSamples defines the settings for the samples of audio, without the sample rate and the channels.
func (s *Set) AudioSamples(spec *audio.Spec) {
	Choice(s, "dtype", &spec.DType, "float32", "full scale is 1 in floats",
		map[string]spool.DType{"float32": spool.Float32, "s16": spool.Int16, "s32": spool.Int32})
	Choice(s, "layout", &spec.Layout, "ct", "order of the dimensions: channels, then time, or time, then channels",
		map[string]spool.Layout{"ct": spool.CT, "tc": spool.TC})
	Choice(s, "quality", &spec.Quality, "default", "quality of resampling",
		map[string]audio.Quality{"fast": audio.FastQuality, "default": audio.DefaultQuality, "best": audio.BestQuality})
}

// Audio defines the settings for opening audio.
func (s *Set) Audio(o *audio.OpenOptions) {
	s.Stream(&o.Stream)
	s.Text("language", &o.Language, "LANG", "the best stream of this language, like eng")
	s.codec(&o.Codec, &o.CodecOptions)
}
