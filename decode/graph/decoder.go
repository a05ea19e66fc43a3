package graph

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/video"
)

// Decoder opens graphs. It is safe for concurrent use.
type Decoder struct {
	limits  decode.Limits
	results *spool.Pool
	videos  *video.Decoder // opens inputs with a window
	audios  *audio.Decoder
}

// New makes a decoder of graphs with the limits and the memory of d. Videos and audios open the inputs that have a
// window; they are lent until the graphs are closed.
func New(d *decode.Decoder, videos *video.Decoder, audios *audio.Decoder) *Decoder {
	return &Decoder{limits: d.Limits(), results: d.Results(), videos: videos, audios: audios}
}
