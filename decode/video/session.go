package video

import (
	"errors"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/failure"
)

// session reads and decodes the packets of an indexed video. It knows the position in the file and the state of the
// decoder.
type session struct {
	video    *Video
	codec    *av.Decoder // nil before the first run
	packet   *av.Packet
	frame    *av.Frame
	at       int  // the packet that is read next; -1: not known
	held     bool // packet at has been read already
	dirty    bool // the decoder has been sent packets
	settings settings
	work     Work

	looks bool   // the index may lack facts of H.264, because it is from tables: the packets are examined
	found []bool // with looks: packets that have turned out to be disposable; nil before the first

	fallback error // from the decoder

	// The state of the decoder, for a run that continues where another ended.
	alive     bool  // it was not drained
	start     int   // the first packet sent; all packets from there to at have been sent
	shown     int64 // pts of the last frame shown
	skipped   int   // the last packet that was left out
	hasDamage bool  // it met damage, which a continuing run would not notice

	ahead []*av.Frame // frames after shown, for the run that continues
}

// frameSink receives the frames of a session.
type frameSink interface {
	// leaves reports whether a packet's frame is not wanted and may be left out.
	leaves(packet int) bool
	// show receives each frame in presentation order until it reports enough. A frame without a use may be kept for the
	// run that continues.
	show(c *call.Call, f *av.Frame) (v verdict, err error)
	// damage receives a packet that the decoder or demuxer reports as damaged.
	damage(packet int, cause error)
}

// verdict says whether a run ends after a frame, and whether the frame is kept for the next run.
type verdict struct{ enough, keep bool }

func (p *session) open(v *Video) (err error) {
	p.video, p.at = v, -1
	if p.packet, err = av.NewPacket(); err == nil {
		p.frame, err = av.NewFrame()
	}
	return err
}

func (p *session) close() {
	if p.packet != nil {
		p.packet.Release()
	}
	if p.frame != nil {
		p.frame.Release()
	}
	p.closeCodec()
}

// play decodes a run, or only the rest of it where the decoder can continue. It ends with the run's last frame. With
// sequential, the decoder keeps the frames that it holds back, for a run that continues; else it is drained.
func (p *session) play(c *call.Call, run index.Run, s frameSink, how settings, sequential bool) error {
	if err := p.openCodec(c, how); err != nil {
		return err
	}
	last := run.Last
	if sequential { // the frame of the run's last packet may come some packets later
		last = len(p.video.index.Packets) - 1
	}
	if p.continues(run) {
		if enough, err := p.resume(c, s); enough || err != nil {
			return err
		}
	} else if err := p.begin(c, run.First); err != nil {
		return err
	}
	for p.at <= last {
		n, err := p.read(c)
		if errors.Is(err, io.EOF) || err == nil && n > last {
			break
		}
		if err != nil {
			return err
		}
		if enough, err := p.send(c, n, s); enough || err != nil {
			return err
		}
	}
	return p.drain(c, last, s)
}

// continues reports whether the decoder's state leads to the frames of a run.
func (p *session) continues(run index.Run) bool {
	x := p.video.index
	if !p.alive || p.hasDamage || run.First < p.start || run.First > p.at || x.Ticks(run.Frames[0]) <= p.shown {
		return false
	}
	for _, n := range run.Frames {
		if packet := x.PacketOf(n); packet < p.at && packet <= p.skipped {
			return false
		}
	}
	return true
}

// lose forgets the position in the file, after an error.
func (p *session) lose() {
	p.at, p.held = -1, false
	p.stop()
}

// stop marks that no run may continue from the decoder's state.
func (p *session) stop() {
	p.alive = false
	for _, f := range p.ahead {
		f.Release()
	}
	p.ahead = nil
}

// begin prepares the decoder for a run that begins with packet first.
func (p *session) begin(c *call.Call, first int) error {
	if p.dirty {
		p.codec.Flush()
		p.dirty = false
	}
	p.stop()
	p.alive, p.shown, p.skipped, p.hasDamage = true, index.NoPTS, -1, false
	var err error
	p.start, err = p.goToKey(c, first)
	return err
}

// goToKey makes a key packet of the index the next one, or an earlier one from which frames are complete. It returns
// its place in the index.
func (p *session) goToKey(c *call.Call, first int) (int, error) {
	for {
		if err := p.goTo(c, first); err != nil || !p.looks {
			return first, err
		}
		in, ok := p.video.input.(*av.Input)
		earlier, more := p.video.index.Earlier(first)
		if !ok || !more {
			return first, nil
		}
		n, err := p.read(c)
		if errors.Is(err, io.EOF) {
			return first, nil
		}
		if err != nil {
			return first, err
		}
		p.at, p.held = n, true
		data := p.packet.Payload()
		if n != first || !in.Refreshes(p.video.info.Stream, data[:min(keyHead, len(data))]) {
			return first, nil
		}
		first = earlier
	}
}

// send decodes a packet and shows the frames that come.
func (p *session) send(c *call.Call, n int, s frameSink) (enough bool, err error) {
	x := p.video.index
	if x.Stream.Numbered {
		if err := p.packet.SetPTS(x.Packets[n].PTS); err != nil {
			return false, err
		}
	}
	if x.Packets[n].Flags&index.Damaged != 0 {
		p.hasDamage = true
		s.damage(n, &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: "the container marks the packet as damaged"})
	}
	p.look(n)
	skip := s.leaves(n)
	p.codec.SkipNonReference(skip)
	p.dirty = true
	p.work.Decoded++
	if skip {
		p.work.Skipped++
		p.skipped = n
	}
	if err := p.codec.Send(c, p.packet); err != nil {
		if !failure.IsDamage(err) {
			return false, err
		}
		p.hasDamage = true
		s.damage(n, err)
	}
	return p.receive(c, n, s)
}

// drain decodes the frames that the decoder holds back after packet n.
func (p *session) drain(c *call.Call, n int, s frameSink) error {
	p.stop()
	err := p.codec.Send(c, nil)
	if err != nil && !failure.IsDamage(err) {
		return err
	}
	if err != nil { // of a packet that was still in a thread
		s.damage(n, err)
	}
	_, err = p.receive(c, n, s)
	return err
}

// receive shows the frames that are ready after packet n.
func (p *session) receive(c *call.Call, n int, s frameSink) (enough bool, err error) {
	for {
		ok, err := p.codec.Receive(c, p.frame)
		if err != nil {
			if !failure.IsDamage(err) {
				return false, err
			}
			p.hasDamage = true
			s.damage(n, err)
			continue
		}
		if !ok {
			return false, nil
		}
		p.hasDamage, p.fallback = p.hasDamage || p.frame.Corrupt, p.codec.Fallback()
		v, err := s.show(c, p.frame)
		if err != nil {
			return false, err
		}
		if v.keep && p.alive {
			ahead, err := p.frame.Clone()
			if err != nil {
				return false, err
			}
			p.ahead = append(p.ahead, ahead)
		} else {
			p.shown = p.frame.PTS
		}
		if v.enough {
			return true, nil
		}
	}
}

// resume shows the first frames of a run that continues: those that came before they were requested, and those that the
// decoder has ready.
func (p *session) resume(c *call.Call, s frameSink) (enough bool, err error) {
	for len(p.ahead) > 0 {
		f := p.ahead[0]
		v, err := s.show(c, f)
		if err != nil {
			return false, err
		}
		if v.keep && v.enough {
			return true, nil
		}
		if v.keep {
			break
		}
		p.shown, p.ahead = f.PTS, p.ahead[1:]
		f.Release()
		if v.enough {
			return true, nil
		}
	}
	return p.receive(c, p.at-1, s)
}
