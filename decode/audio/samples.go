package audio

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
)

// Samples is decoded audio. The caller that received it owns it and releases it once.
type Samples struct {
	*spool.Buffer // CT or TC, [c t] or [t c]
	Report
}

// Desc describes the samples.
func (s *Samples) Desc() spool.Desc { return s.Buffer.Desc() }

// Report describes a result.
type Report struct {
	Desc    spool.Desc
	Rate    int   // samples a second
	First   int64 // the result's first sample, counted from the stream's first at that rate; negative: preceded by silence
	Samples int   // per channel in the window; padding for Spec.Length comes after them
	Cut     bool  // Spec.Length cut samples off
	Damage  []decode.DamagedPacket
}

// Start is the time of the first sample, in seconds from the stream's first sample.
func (r *Report) Start() float64 { return float64(r.First) / float64(r.Rate) }

// Trace describes what decodes an audio stream, for diagnostics.
type Trace struct {
	Engine string // "own" for this module's decoders: WAV, and FLAC without irregularities; else "ffmpeg"
	// why our engine left a FLAC file to FFmpeg, as one word (flac.Reason); empty where it did not, or was not asked
	Reason string
}

// Info is the container's description of an audio stream.
type Info struct {
	Format   string // FFmpeg's names of the container
	Codec    string // FFmpeg's name
	Stream   int    // index in the file
	Rate     int    // samples a second
	Channels int
	Speakers string // FFmpeg's name of the channel layout, such as "stereo"; empty where the file does not specify it
	Bits     int    // of a sample; 0 for codecs without a fixed depth
	Stored   string // FFmpeg's name of the format that samples have in its decoder, such as "s16" or "fltp"
	Language string

	// Samples is the number of samples per channel, -1 where the file does not specify it. It is exact where Exact is set,
	// and else an estimate that reading corrects.
	Samples int64
	Exact   bool

	// Start is the time of the first sample by the container's clock, in seconds. It aligns audio with the video of the
	// same file. Times in a Spec are counted from the first sample.
	Start float64
}

// Duration is the length in seconds; 0 when the file does not specify it.
func (i *Info) Duration() float64 { return float64(max(i.Samples, 0)) / float64(i.Rate) }
