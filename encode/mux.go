package encode

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/kept"
)

// MuxOptions select the container that Mux writes.
type MuxOptions struct {
	// Format is FFmpeg's name for the container; empty: by the extension of the file's name. FormatOptions are options of
	// the container ("movflags": "faststart").
	Format        string
	FormatOptions map[string]string
}

// Mux writes packets to a container, each list as a stream, in the order of their decoding times. Rotation and frame
// rate are kept, languages are not. Packets before a window, which decoding needs, are written too. A file whose times
// would be negative is shifted, as far as the container needs it. The file appears complete or not at all.
//
//	Ownership:    the packets are lent for the call.
//	Concurrency:  other calls may use the packets at the same time.
//	Cancellation: between packets.
//	Errors:       ErrOptions without streams; ErrUnsupported for a format that this FFmpeg lacks, a container that does
//	              not support the streams, and packets without times; ErrEmpty without packets; those of writing.
//	Cost:         writing the file; payloads are not copied.
func Mux(ctx context.Context, path string, streams []*packets.Packets, o MuxOptions) error {
	if len(streams) == 0 {
		return invalid.Errorf("no packets to write")
	}
	return toFile(ctx, path, o.Format, func(c *call.Call, muxer *av.Muxer) error {
		m := mux{muxer: muxer}
		defer m.release()
		for _, p := range streams {
			if err := m.add(kept.Of(p)); err != nil {
				return err
			}
		}
		if err := muxer.Begin(c, o.FormatOptions); err != nil {
			return err
		}
		return m.write(c)
	})
}

// mux interleaves streams of packets.
type mux struct {
	muxer   *av.Muxer
	streams []*keptStream
}

// keptStream is a stream of packets. Its next packet has been read.
type keptStream struct {
	reader kept.Reader
	base   av.Ratio
	packet *av.Packet
	at     float64 // time of the packet in seconds; +Inf at the end
}

func (m *mux) release() {
	for _, s := range m.streams {
		s.packet.Release()
	}
}

// add adds a stream to the file, and reads its first packet.
func (m *mux) add(p *kept.Packets) error {
	to, err := m.muxer.AddParameters(p.Parameters)
	if err != nil {
		return err
	}
	t := &p.Table.Stream
	if p.Kind == av.Video {
		rate := av.Ratio{Num: int(t.Rate.Num), Den: int(t.Rate.Den)}
		display := av.Display{Rotation: t.Rotation, Mirrored: t.Mirrored, Rate: rate}
		if err := m.muxer.Show(to, display); err != nil {
			return err
		}
	}
	s := &keptStream{reader: kept.Reader{Packets: p}, base: av.Ratio{Num: int(t.Base.Num), Den: int(t.Base.Den)}}
	if s.packet, err = av.NewPacket(); err != nil {
		return err
	}
	m.streams = append(m.streams, s)
	return s.next(nil)
}

// next reads the next packet.
func (s *keptStream) next(c *call.Call) error {
	err := s.reader.Read(c, s.packet)
	if errors.Is(err, io.EOF) {
		s.at = math.Inf(1)
		return nil
	}
	e := s.packet.Entry()
	at := e.DTS
	if at == av.NoPTS {
		at = e.PTS
	}
	if err == nil && at == av.NoPTS {
		err = &spool.Error{Op: "mux", Class: spool.ErrUnsupported, Text: "packets without times"}
	}
	s.at = float64(at) * s.base.Float()
	return err
}

// write writes all packets.
func (m *mux) write(c *call.Call) error {
	for written := false; ; written = true {
		first := 0
		for i, s := range m.streams {
			if s.at < m.streams[first].at {
				first = i
			}
		}
		s := m.streams[first]
		if math.IsInf(s.at, 1) {
			if !written {
				return &spool.Error{Op: "mux", Class: spool.ErrEmpty, Text: "no packets to write"}
			}
			_, err := m.muxer.Finish(c)
			return err
		}
		if err := m.muxer.Write(c, first, s.base, s.packet); err != nil {
			return err
		}
		if err := s.next(c); err != nil {
			return err
		}
	}
}
