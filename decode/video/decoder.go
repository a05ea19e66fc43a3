package video

import (
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/ranges"
	"github.com/spoolmedia/spool/resize"
)

// Options are the settings of a Decoder.
type Options struct {
	// IndexBytes bounds the memory for the indexes of opened videos, which later opens use. 0 means 32 MiB: the indexes
	// of seven hours of video at 30 frames a second.
	IndexBytes int64
}

// Validate reports a negative bound, as ErrOptions.
func (o Options) Validate() error {
	var bad invalid.Options
	if o.IndexBytes < 0 {
		bad.Value("IndexBytes", o.IndexBytes, "must not be negative")
	}
	return bad.Err()
}

// Decoder opens videos. It keeps indexes, parameters and codecs for later videos. It is safe for concurrent use.
type Decoder struct {
	isolate decode.Isolate
	helpers *helper.Pool
	limits  decode.Limits
	pixels  *spool.Pool // for results
	scratch *spool.Pool
	tables  *resize.Tables
	scaler  av.Scaler
	codecs  av.Codecs
	probes  probes
	ends    container.Ends
	ranges  *ranges.Store // for remote videos
	indexes *indexCache
}

// New makes a decoder of videos with the limits and the memory of d. The caller releases it by Close, before d and
// after its videos.
func New(d *decode.Decoder, o Options) (*Decoder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Decoder{isolate: d.Isolate(), helpers: helper.Of(d), limits: d.Limits(), pixels: d.Results(),
		scratch: d.Scratch(), ranges: ranges.NewStore(d.Ranges()), tables: d.Tables(),
		indexes: newIndexCache(o.IndexBytes)}, nil
}

// Close frees what the decoder holds. It must not be called during another call.
func (d *Decoder) Close() error { return errors.Join(d.scaler.Close(), d.codecs.Close()) }

// rangesOf is the prefetch of a video, in the memory of a pool or, if that is nil, of the decoder.
func (d *Decoder) rangesOf(memory *spool.Pool) ranges.Options {
	if memory != nil {
		return ranges.Options{Store: ranges.NewStore(memory)}
	}
	return ranges.Options{Store: d.ranges}
}

// Limits are the limits in force.
func (d *Decoder) Limits() decode.Limits { return d.limits }
