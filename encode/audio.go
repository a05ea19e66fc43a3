package encode

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Audio says what a sound is given, and how it is stored. Rate and Channels have to be set.
type Audio struct {
	Rate     int // samples a second
	Channels int
	DType    spool.DType  // of what Samples is given: Float32 in [-1, 1], Int16 or Int32; zero (Uint8): Float32
	Layout   spool.Layout // CT or TC; Flat means CT

	// Codec is FFmpeg's name for a codec ("aac", "flac", "opus", "pcm_s16le") or an encoder; empty: what FFmpeg takes for the container.
	// Samples are brought to the codec's type, the same where it has it. CodecOptions are the encoder's ("b": "96k").
	Codec        string
	CodecOptions map[string]string
}

func (a *Audio) validate() error {
	var problems []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			problems = append(problems, fmt.Errorf("%w: audio: "+format, append([]any{spool.ErrOptions}, args...)...))
		}
	}
	require(a.Rate > 0 && a.Rate <= 1<<24, "%d samples a second", a.Rate)
	require(a.Channels > 0 && a.Channels <= 64, "%d channels", a.Channels)
	require(a.given() != "", "samples of %v", a.DType)
	require(a.Layout == spool.Flat || a.Layout == spool.CT || a.Layout == spool.TC, "a layout of %v", a.Layout)
	return errors.Join(problems...)
}

func (a *Audio) dtype() spool.DType {
	if a.DType == spool.Uint8 {
		return spool.Float32
	}
	return a.DType
}

func (a *Audio) interleaved() bool { return a.Layout == spool.TC }

// given is FFmpeg's name for the samples, empty where it has none.
func (a *Audio) given() string {
	name := map[spool.DType]string{spool.Float32: "flt", spool.Int16: "s16", spool.Int32: "s32"}[a.dtype()]
	if name != "" && !a.interleaved() {
		name += "p"
	}
	return name
}

func (a *Audio) encoding(container *av.Container) av.Encoding {
	return av.Encoding{Codec: cmp.Or(a.Codec, container.Audio), Options: a.CodecOptions, Global: container.Global,
		Given: a.given(), Channels: a.Channels, Rate: a.Rate}
}

// chunk is how many samples are taken at a time.
const chunk = 1 << 15

// Samples writes samples that follow those before: [c t] or [t c], as Audio.Layout says, of Audio.DType. Errors and the rest
// are as those of Frames. Where a file has video too, what is ahead of the other is kept in memory: write them in turn.
func (w *Writer) Samples(ctx context.Context, samples []byte, d spool.Desc) error {
	a := w.options.Audio
	if a == nil {
		return fmt.Errorf("%w: the file has no audio", spool.ErrOptions)
	}
	n, err := a.check(samples, d)
	if err != nil {
		return err
	}
	size := a.dtype().Size() // between samples of a plane
	if a.interleaved() {
		size *= a.Channels
	}
	return w.run(ctx, func(c *call.Call) error {
		for at := 0; at < n; at += chunk {
			if err := w.audio.encoder.Samples(c, samples[at*size:], n*size, min(chunk, n-at)); err != nil {
				return err
			}
			w.audio.given = true
			if err := w.step(c, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// step encodes the samples that are there, as far as they fill the codec's frames.
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

// check gives the number of samples of each channel.
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
	if !ok || size != len(samples) || d.DType != a.dtype() || len(d.Shape) != 2 || d.Shape[channel] != a.Channels || d.Layout != wanted && d.Layout != spool.Flat {
		return 0, fmt.Errorf("%w: %d bytes of %v are not %v %v samples of %d channels", spool.ErrShape, len(samples), d, a.dtype(), wanted, a.Channels)
	}
	return d.Shape[time], nil
}
