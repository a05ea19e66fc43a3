package main

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// sound defines the flags for what a sound becomes, but for its rate and channels.
func (f *flags) sound(s *decode.AudioSpec) {
	choice(f, "dtype", &s.DType, "float32", "full scale is 1 in floats",
		map[string]spool.DType{"float32": spool.Float32, "s16": spool.Int16, "s32": spool.Int32})
	choice(f, "layout", &s.Layout, "ct", "order of the dimensions: channels, then time, or the other way round", map[string]spool.Layout{"ct": spool.CT, "tc": spool.TC})
	choice(f, "quality", &s.Quality, "default", "of a change of rate",
		map[string]decode.Quality{"fast": decode.FastQuality, "default": decode.DefaultQuality, "best": decode.BestQuality})
}

// audio defines the flags for how sounds are opened.
func (f *flags) audio(o *decode.AudioOptions) {
	f.stream(&o.Stream)
	f.text("language", &o.Language, "LANG", "the best stream of this language, like eng")
	f.codec(&o.Codec, &o.CodecOptions)
}
