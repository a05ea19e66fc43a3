package kept

import (
	"errors"
	"io"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Reader reads kept packets as a demuxer reads those of a file.
type Reader struct {
	Packets *Packets
	at      int
}

// Read shares the next packet with to. io.EOF follows the last one.
func (r *Reader) Read(_ *call.Call, to *av.Packet) error {
	if r.at >= len(r.Packets.List) {
		return io.EOF
	}
	r.at++
	return r.Packets.Share(r.at-1, to)
}

// Seek is not needed: all packets have a position.
func (r *Reader) Seek(*call.Call, int, int64) error { return errors.ErrUnsupported }

// SeekByte seeks to a packet by its position.
func (r *Reader) SeekByte(_ *call.Call, pos int64) error {
	r.at = int(pos)
	return nil
}

// Close releases the packets.
func (r *Reader) Close() error {
	r.Packets.Release()
	return nil
}
