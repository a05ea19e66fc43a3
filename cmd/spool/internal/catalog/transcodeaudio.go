package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/source/pack"
)

// audioTranscoding is how audio files change, and the sound of videos.
type audioTranscoding struct {
	codec    string // empty: files stay as they are, and the sound of videos becomes AAC
	rate     int
	channels int
	bitRate  int
}

// audioCodecs are the codecs of audio.
var audioCodecs = map[string]struct {
	encoder string
	ext     string // of files, and the container
	rates   []int  // the last one is for audio of any other rate; nil: any
}{
	"flac": {"flac", "flac", nil},
	"opus": {"libopus", "opus", []int{8000, 12000, 16000, 24000, 48000}},
	"aac":  {"aac", "", []int{8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 64000, 88200, 96000, 48000}},
}

func (a *audioTranscoding) define(f *cli.Flags) {
	f.Add("audio-codec", "flac|opus", "", "decode audio files and encode them by this codec; the sound of videos is AAC "+
		"without it", func(text string) error {
		a.codec = text
		if text != "flac" && text != "opus" {
			return fmt.Errorf("must be flac or opus")
		}
		return nil
	})
	f.Number("rate", &a.rate, "", 1, "samples a second of encoded audio; that of the file if not given")
	f.Number("channels", &a.channels, "", 1, "channels of encoded audio; those of the file if not given")
	f.Number("audio-bitrate", &a.bitRate, "", 1, "bits a second of Opus and AAC; 64000 for each channel if not given")
}

func (a *audioTranscoding) judge(f *cli.Flags, videos bool) {
	for _, name := range []string{"rate", "channels", "audio-bitrate"} {
		if f.Given(name) && a.codec == "" && !videos {
			f.Refuse("--%s needs --audio-codec or --video-codec", name)
		}
	}
}

func (a *audioTranscoding) name() string {
	return fmt.Sprintf("audio to %s of %d Hz, %d channels, %d bits", a.codec, a.rate, a.channels, a.bitRate)
}

// used is the codec of encoded audio.
func (a *audioTranscoding) used() string {
	return cmp.Or(a.codec, "aac")
}

// choose reports an encoder that is missing.
func (a *audioTranscoding) choose(videos bool) error {
	there := av.Encoders(av.Audio, "")
	if name := audioCodecs[a.used()].encoder; (videos || a.codec != "") && !slices.Contains(there, name) {
		return noEncoder(a.used(), av.Audio, there)
	}
	return nil
}

// stored describes encoded audio, and how it is decoded.
func (a *audioTranscoding) stored(i audio.Info) (*encode.Audio, audio.Spec) {
	codec := audioCodecs[a.used()]
	to := &encode.Audio{Rate: cmp.Or(a.rate, i.Rate), Channels: cmp.Or(a.channels, i.Channels), DType: spool.Float32,
		Codec: codec.encoder}
	if codec.rates != nil && !slices.Contains(codec.rates, to.Rate) {
		to.Rate = codec.rates[len(codec.rates)-1]
	}
	switch {
	case a.used() != "flac":
		to.CodecOptions = map[string]string{"b": fmt.Sprint(cmp.Or(a.bitRate, 64000*to.Channels))}
	case i.Bits > 16:
		to.DType = spool.Int32 // of which FLAC stores 24 bits
	default:
		to.DType = spool.Int16
	}
	return to, audio.Spec{Rate: to.Rate, Channels: to.Channels, DType: to.DType}
}

// soundWriter decodes audio, and writes it to a file step by step. The zero value writes nothing.
type soundWriter struct {
	open    *audio.Audio
	audio   *encode.Audio
	next    func() (*audio.Samples, error, bool)
	stop    func()
	written int // samples of each channel
}

// soundChunk is how many samples of each channel are decoded at a time.
const soundChunk = 1 << 14

// begin begins to decode.
func (s *soundWriter) begin(ctx context.Context, spec audio.Spec) {
	s.next, s.stop = iter.Pull2(s.open.Chunks(ctx, soundChunk, spec))
}

func (s *soundWriter) close() error {
	if s.open == nil {
		return nil
	}
	s.stop()
	return s.open.Close()
}

// until writes audio up to a time in seconds.
func (s *soundWriter) until(ctx context.Context, w *encode.Writer, end float64) error {
	for s.open != nil && float64(s.written) < end*float64(s.audio.Rate) {
		samples, err, more := s.next()
		if !more || err != nil {
			return err
		}
		d := samples.Desc()
		err = w.Samples(ctx, samples.Bytes(), d)
		s.written += d.Shape[1]
		samples.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// soundOf begins to decode the sound of a clip. A video may have none.
func (t *transcoding) soundOf(ctx context.Context, f pack.File, c clip) (*soundWriter, error) {
	open, err := t.decoders.Audios.Open(ctx, f.Object, audio.OpenOptions{})
	if errors.Is(err, spool.ErrNotMedia) {
		return &soundWriter{}, nil
	}
	if err != nil {
		return nil, err
	}
	to, spec := t.audio.stored(open.Info())
	s := &soundWriter{open: open, audio: to}
	spec.Clock, spec.Start, spec.End = true, max(c.start(), 0), max(c.end(), 0)
	s.begin(ctx, spec)
	return s, nil
}

// sound encodes an audio file, or the part that a sample is.
func (t *transcoding) sound(ctx context.Context, f pack.File) (_ []byte, _ string, err error) {
	if t.audio.codec == "" {
		return nil, "", nil
	}
	var from audio.OpenOptions
	if f.Part != nil {
		from.Stream = f.Part.Stream
	}
	open, err := t.decoders.Audios.Open(ctx, f.Object, from)
	if err != nil {
		return nil, "", err
	}
	to, spec := t.audio.stored(open.Info())
	s := soundWriter{open: open, audio: to}
	if f.Part != nil {
		spec.Start = max(f.Part.Start, 0)
		if !math.IsInf(f.Part.End, 1) {
			spec.End = f.Part.End
		}
	}
	s.begin(ctx, spec)
	defer func() { err = errors.Join(err, s.close()) }()
	codec := audioCodecs[t.audio.codec]
	data, err := written(ctx, encode.Options{Audio: to, Format: codec.ext}, func(w *encode.Writer) error {
		return s.until(ctx, w, math.Inf(1))
	})
	return data, codec.ext, err
}
