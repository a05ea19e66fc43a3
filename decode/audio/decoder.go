package audio

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/ranges"
)

// Options are the settings of a Decoder.
type Options struct {
	// FLAC selects the engine for FLAC files.
	FLAC FLACEngine
}

// Validate reports an unknown engine, as ErrOptions.
func (o Options) Validate() error {
	var bad invalid.Options
	if o.FLAC > FLACFFmpeg {
		bad.Value("FLAC", uint8(o.FLAC), "no such engine")
	}
	return bad.Err()
}

// Decoder opens audio. It keeps filters for later conversions of sample rates. It is safe for concurrent use.
type Decoder struct {
	isolate decode.Isolate
	helpers *helper.Pool
	limits  decode.Limits
	results *spool.Pool // for results
	flac    flacEngine
	ends    container.Ends
	ranges  *ranges.Store // for remote audio
	filters resample.Filters
}

// New makes a decoder of audio with the limits and the memory of d. The caller releases it by Close, before d and
// after its audio.
func New(d *decode.Decoder, o Options) (*Decoder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	made := &Decoder{isolate: d.Isolate(), helpers: helper.Of(d), limits: d.Limits(), results: d.Results(),
		ranges: ranges.NewStore(d.Ranges())}
	made.flac.ffmpegOnly = o.FLAC == FLACFFmpeg
	return made, nil
}

// Close frees what the decoder holds. It returns nil.
func (d *Decoder) Close() error { return nil }

// Limits are the limits in force.
func (d *Decoder) Limits() decode.Limits { return d.limits }

// FLAC counts the FLAC files decoded so far, by engine. It may be called at any time.
func (d *Decoder) FLAC() FLACCounts { return d.flac.counts() }
