package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"errors"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/settings"
)

// spool_audio_spec is the options for opening and decoding audio.
type spool_audio_spec struct {
	settings.DecodeAudio
	*decoder
}

func (s *spool_audio_spec) define(set *settings.Set) (judge func()) {
	return set.DecodeAudio(&s.DecodeAudio)
}

func (s *spool_audio_spec) begin() (err error) {
	s.decoder, err = library.decoder(decoderKey{decoders.Options{Limits: s.Limits, Isolate: s.Isolate}, s.Stores})
	return err
}

// Close releases the decoder.
func (s *spool_audio_spec) Close() error { return s.release() }

// spool_audio is open audio. One call uses it at a time.
type spool_audio struct {
	*audio.Audio
	*decoder
	serial
}

// openAudio opens audio, which holds the decoder until it is closed.
func openAudio(ctx context.Context, s *spool_audio_spec, in input) (*spool_audio, error) {
	d, err := library.decoder(s.key)
	if err != nil {
		return nil, err
	}
	a, err := d.Audios.Open(ctx, in.object(d.stores), s.Open)
	if err != nil {
		return nil, errors.Join(in.named(err), d.release())
	}
	return &spool_audio{Audio: a, decoder: d, serial: newSerial()}, nil
}

// Close ends the use of the audio's bytes.
func (a *spool_audio) Close() error { return errors.Join(a.Audio.Close(), a.release()) }

// audioInfo is the result of spool_audio_info. It shares keys with the command's probe.
type audioInfo struct {
	Format   string  `json:"format"`
	Stream   int     `json:"stream"`
	Codec    string  `json:"codec"`
	Rate     int     `json:"rate"`
	Channels int     `json:"channels"`
	Layout   string  `json:"layout"`
	Bits     int     `json:"bits"`
	Stored   string  `json:"sample_fmt"`
	Language string  `json:"language"`
	Samples  int64   `json:"samples"`
	Exact    bool    `json:"exact"`
	Start    float64 `json:"start_s"`
	Duration float64 `json:"duration_s"`
}

func (a *spool_audio) describe() audioInfo {
	i := a.Info()
	return audioInfo{Format: i.Format, Stream: i.Stream, Codec: i.Codec, Rate: i.Rate, Channels: i.Channels,
		Layout: i.Speakers, Bits: i.Bits, Stored: i.Stored,
		Language: i.Language, Samples: i.Samples, Exact: i.Exact, Start: i.Start, Duration: i.Duration()}
}

// windowed returns a spec with another window, which may be without an end, or empty.
func windowed(spec audio.Spec, start, end float64) audio.Spec {
	spec.Start, spec.End = start, end
	switch {
	case math.IsInf(end, 1):
		spec.End = 0
	case end == 0: // in a spec, 0 means no end
		spec.End = math.SmallestNonzeroFloat64
	}
	return spec
}

// decode decodes the window from window[0] to window[1], or the spec's if window is nil.
func (a *spool_audio) decode(ctx context.Context, s *spool_audio_spec, window *C.double) (*audio.Samples, error) {
	if window == nil {
		return a.Read(ctx, s.Spec)
	}
	bounds := unsafe.Slice(window, 2)
	return a.Read(ctx, windowed(s.Spec, float64(bounds[0]), float64(bounds[1])))
}

//export goAudioSpecNew
func goAudioSpecNew(json *C.char, spec *C.uintptr_t, e *C.spool_error) C.int32_t {
	return newSpec(new(spool_audio_spec), json, spec, e)
}

//export goAudioSpecRelease
func goAudioSpecRelease(spec C.uintptr_t) {
	guard(nil, "release", func() error { return release[*spool_audio_spec](spec) })
}

//export goAudioOpen
func goAudioOpen(spec C.uintptr_t, source *C.spool_source, cancel C.uintptr_t, audio *C.uintptr_t,
	e *C.spool_error) C.int32_t {
	return openMedia(openAudio, spec, source, cancel, audio, e)
}

//export goAudioClose
func goAudioClose(audio C.uintptr_t) {
	guard(nil, "close", func() error { return release[*spool_audio](audio) })
}

//export goAudioInfo
func goAudioInfo(audio C.uintptr_t, json **C.spool_array, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(audio, func(ctx context.Context, a *spool_audio) error {
			return a.do(ctx, func() (err error) {
				*json, err = jsonArray(a.describe())
				return err
			})
		})
	})
}

//export goAudioDecode
func goAudioDecode(audio, spec C.uintptr_t, window *C.double, cancel C.uintptr_t, to *C.spool_audio_samples,
	e *C.spool_error) C.int32_t {
	return decodeMedia(audio, spec, cancel, e, func(ctx context.Context, a *spool_audio, s *spool_audio_spec) error {
		samples, err := a.decode(ctx, s, window)
		if err != nil {
			return err
		}
		return handAudio(samples, to)
	})
}

// handAudio passes audio to C.
func handAudio(samples *audio.Samples, to *C.spool_audio_samples) (err error) {
	*to = C.spool_audio_samples{first: C.int64_t(samples.First), rate: C.int32_t(samples.Rate),
		damaged: C.int32_t(len(samples.Damage))}
	to.samples, err = bufferArray(samples.Buffer)
	return err
}
