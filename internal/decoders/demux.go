package decoders

import (
	"context"
	"errors"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/decode/video"
)

// Demux selects packets of a file. The zero value selects all packets of the best video stream.
type Demux struct {
	Medium   decode.Medium // empty: video
	Stream   *int          // its index in the file; nil: the best one
	Language string        // the best stream of this language

	Start, End *float64 // the window in seconds of the container's clock; nil: the begin, and the end
	Filters    string   // bitstream filters, as for packets.Packets.Filter
}

// Packets reads packets of a file. The caller releases them. Errors are those of video.Video.Packets,
// audio.Decoder.Packets, and packets.Packets.Filter.
func (s *Set) Packets(ctx context.Context, object spool.Object, o Demux) (*packets.Packets, error) {
	p, err := s.demux(ctx, object, o)
	if err != nil || o.Filters == "" {
		return p, err
	}
	defer p.Release()
	return p.Filter(ctx, o.Filters)
}

func (s *Set) demux(ctx context.Context, object spool.Object, o Demux) (p *packets.Packets, err error) {
	start, end := math.Inf(-1), math.Inf(1)
	if o.Start != nil {
		start = *o.Start
	}
	if o.End != nil {
		end = *o.End
	}
	if o.Medium == decode.Audio {
		return s.Audios.Packets(ctx, object, audio.OpenOptions{Stream: o.Stream, Language: o.Language}, start, end)
	}
	v, err := s.Videos.Open(ctx, object, video.OpenOptions{Stream: o.Stream, Language: o.Language})
	if err != nil {
		return nil, err
	}
	p, err = v.Packets(ctx, start, end)
	return p, errors.Join(err, v.Close())
}
