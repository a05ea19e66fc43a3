package decode

import "github.com/spoolmedia/spool"

// GraphDecoder opens graphs. It is safe for concurrent use.
type GraphDecoder struct {
	limits  Limits
	results *spool.Pool
	videos  *VideoDecoder // opens inputs with a window
	audios  *AudioDecoder
}

// NewGraphDecoder makes a decoder of graphs with the limits and the memory of d. Videos and audios open the inputs that have a
// window; they are lent until the graphs are closed.
func NewGraphDecoder(d *Decoder, videos *VideoDecoder, audios *AudioDecoder) *GraphDecoder {
	return &GraphDecoder{limits: d.Limits(), results: d.Results(), videos: videos, audios: audios}
}
