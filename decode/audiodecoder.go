package decode

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// AudioDecoderOptions are the settings of an AudioDecoder.
type AudioDecoderOptions struct {
	// FLAC selects the engine for FLAC files.
	FLAC FLACEngine
}

// Validate reports an unknown engine, as ErrOptions.
func (o AudioDecoderOptions) Validate() error {
	if o.FLAC > FLACFFmpeg {
		return fmt.Errorf("%w: there is no %v", spool.ErrOptions, o.FLAC)
	}
	return nil
}

// AudioDecoder opens audio. It keeps filters for later conversions of sample rates. It is safe for concurrent use.
type AudioDecoder struct {
	limits  Limits
	results *spool.Pool // for results
	flac    flacEngine
	ends    farEnds
	filters resample.Filters
}

// NewAudioDecoder makes a decoder of audio with the limits and the memory of d. The caller releases it by Close, before d and
// after its audio.
func NewAudioDecoder(d *Decoder, o AudioDecoderOptions) (*AudioDecoder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	made := &AudioDecoder{limits: d.Limits(), results: d.Results()}
	made.flac.ffmpegOnly = o.FLAC == FLACFFmpeg
	return made, nil
}

// Close frees what the decoder holds. It returns nil.
func (d *AudioDecoder) Close() error { return nil }

// Limits are the limits in force.
func (d *AudioDecoder) Limits() Limits { return d.limits }

// FLAC counts the FLAC files decoded so far, by engine. It may be called at any time.
func (d *AudioDecoder) FLAC() FLACCounts { return d.flac.counts() }
