package encode

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Audio describes the audio that is written, and how it is stored. Rate and Channels must be set.
type Audio struct {
	Rate     int // audio samples a second
	Channels int
	DType    spool.DType  // type of the arguments of Samples: Float32 in [-1, 1], Int16 or Int32; zero (Uint8): Float32
	Layout   spool.Layout // CT or TC; Flat means CT

	// Codec is FFmpeg's name for a codec ("aac", "flac", "opus", "pcm_s16le") or an encoder; empty: FFmpeg's default for
	// the container. Samples are converted to the codec's sample type; they stay the same if it has theirs. CodecOptions
	// are options of the encoder ("b": "96k").
	Codec        string
	CodecOptions map[string]string
}

// Bounds of Audio.
const (
	maxRate     = 1 << 24
	maxChannels = 64
)

func (a *Audio) validate() error {
	var bad invalid.Options
	if a.Rate <= 0 || a.Rate > maxRate {
		bad.Value("Audio.Rate", a.Rate, "must be from 1 to %d", maxRate)
	}
	if a.Channels <= 0 || a.Channels > maxChannels {
		bad.Value("Audio.Channels", a.Channels, "must be from 1 to %d", maxChannels)
	}
	if a.sampleFormat() == "" {
		bad.Value("Audio.DType", a.DType, "must be float32, int16 or int32")
	}
	if a.Layout != spool.Flat && a.Layout != spool.CT && a.Layout != spool.TC {
		bad.Value("Audio.Layout", a.Layout, "must be CT or TC")
	}
	return bad.Err()
}

func (a *Audio) dtype() spool.DType {
	if a.DType == spool.Uint8 {
		return spool.Float32
	}
	return a.DType
}

func (a *Audio) interleaved() bool { return a.Layout == spool.TC }

// sampleFormat is FFmpeg's name for the sample format of the arguments; empty if there is none.
func (a *Audio) sampleFormat() string {
	name := map[spool.DType]string{spool.Float32: "flt", spool.Int16: "s16", spool.Int32: "s32"}[a.dtype()]
	if name != "" && !a.interleaved() {
		name += "p"
	}
	return name
}

func (a *Audio) encoding(container *av.Container) av.Encoding {
	return av.Encoding{Codec: cmp.Or(a.Codec, container.Audio), Options: a.CodecOptions, Global: container.Global,
		Given: a.sampleFormat(), Channels: a.Channels, Rate: a.Rate}
}

// chunk is the number of samples that are encoded at a time.
const chunk = 1 << 15

// Samples writes the next samples of each channel: [c t] or [t c] according to Audio.Layout, of type Audio.DType. Desc,
// ownership, cancellation and errors are as for Frames. If the file has video too, the stream that is ahead is kept in
// memory: write both alternately.
func (w *Writer) Samples(ctx context.Context, samples []byte, d spool.Desc) error {
	a := w.options.Audio
	if a == nil {
		return fmt.Errorf("%w: the file has no audio", spool.ErrOptions)
	}
	n, err := a.check(samples, d)
	if err != nil {
		return err
	}
	size := a.dtype().Size() // bytes between samples of a plane
	if a.interleaved() {
		size *= a.Channels
	}
	return w.run(ctx, func(c *call.Call) error {
		for at := 0; at < n; at += chunk {
			if err := w.audio.encoder.Samples(c, samples[at*size:], n*size, min(chunk, n-at)); err != nil {
				return err
			}
			w.audio.hasData = true
			if err := w.step(c, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// step encodes the buffered samples that fill the codec's frames.
func (w *Writer) step(c *call.Call, end bool) error {
	for {
		more, err := w.audio.encoder.Step(c, end)
		if err != nil || !more {
			return err
		}
		if err := w.receive(c, w.audio); err != nil {
			return err
		}
	}
}

// check returns the number of samples of each channel.
func (a *Audio) check(samples []byte, d spool.Desc) (n int, err error) {
	size, ok := d.Bytes()
	time, channel := 1, 0
	if a.interleaved() {
		time, channel = 0, 1
	}
	wanted := spool.CT
	if a.interleaved() {
		wanted = spool.TC
	}
	if !ok || size != len(samples) || d.DType != a.dtype() || len(d.Shape) != 2 || d.Shape[channel] != a.Channels ||
		d.Layout != wanted && d.Layout != spool.Flat {
		return 0, fmt.Errorf("%w: %d bytes of %v are not %v %v samples of %d channels", spool.ErrShape, len(samples), d,
			a.dtype(), wanted, a.Channels)
	}
	return d.Shape[time], nil
}
