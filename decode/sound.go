package decode

import "github.com/spoolmedia/spool"

// Sound is decoded sound. It is owned by who received it, and released once.
type Sound struct {
	*spool.Buffer // CT or TC, [c t] or [t c]
	SoundReport
}

// Desc describes the samples.
func (s *Sound) Desc() spool.Desc { return s.Buffer.Desc() }

// SoundReport says what a result holds.
type SoundReport struct {
	Desc    spool.Desc
	Rate    int   // samples a second
	First   int64 // the result's first sample, counted from the sound's first at that rate; negative: silence before it
	Samples int   // of each channel in the window; what AudioSpec.Length adds is behind them
	Cut     bool  // there was more, which AudioSpec.Length has cut off
	Damage  []DamagedPacket
}

// Start is the time of the first sample, in seconds from the sound's first.
func (r *SoundReport) Start() float64 { return float64(r.First) / float64(r.Rate) }

// AudioRoad is what decodes a sound, for people who want to know.
type AudioRoad struct {
	Engine string // "own" is this module's: WAV, and FLAC that is as it should be; "ffmpeg"
	Reason string // why our engine has left a FLAC file to FFmpeg, in a word (flac.Reason); empty where it has not, or was not to be asked
}

// AudioInfo is what the container says of a sound.
type AudioInfo struct {
	Format   string // of the container, by FFmpeg's names
	Codec    string // FFmpeg's name
	Stream   int    // its number in the file
	Rate     int    // samples a second
	Channels int
	Speakers string // FFmpeg's name of the channels' places, "stereo"; empty where the file does not say
	Bits     int    // of a sample; 0 for codecs without such a number
	Language string

	// Samples is how many there are of each channel, -1 when the file does not say. It is exact where Exact is set; else
	// an estimate, and reading tells.
	Samples int64
	Exact   bool

	// Start is the time of the first sample by the container's clock, in seconds: what tells where a sound lies beside
	// the pictures of the same file. Times of an AudioSpec are counted from the first sample.
	Start float64
}

// Duration is how long the sound is, in seconds; 0 when the file does not say.
func (i *AudioInfo) Duration() float64 { return float64(max(i.Samples, 0)) / float64(i.Rate) }
