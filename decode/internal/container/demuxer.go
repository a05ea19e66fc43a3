package container

import (
	"errors"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// Demuxer gives the packets of a file, or kept packets.
type Demuxer interface {
	// Read reads the next packet. The end is io.EOF.
	Read(c *call.Call, p *av.Packet) error
	// Seek seeks to a key packet at or before a time, SeekByte to a packet's position.
	Seek(c *call.Call, stream int, ts int64) error
	SeekByte(c *call.Call, pos int64) error
	Close() error
}

// ErrNoSeek reports that a demuxer does not support this way to seek.
var ErrNoSeek = errors.New("no such seek")
