package decode

import (
	"errors"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
)

// player reads the packets of an indexed video and decodes them: where the file is read, and what the decoder is in.
type player struct {
	video  *Video
	codec  *av.Decoder // nil before the first run
	packet *av.Packet
	frame  *av.Frame
	at     int  // the packet that comes next; -1: not known
	held   bool // it has been read already
	dirty  bool // the decoder has been sent packets
	manner manner
	work   Work
	spare  int // the packet that is decoded next, if it is disposable and the index does not say so; -1

	fallback error // of the decoder

	// What the decoder is in, for a run that goes on where another one ended.
	alive   bool  // it has not been drained
	start   int   // the packet it began with; all from there up to at have been sent
	shown   int64 // the time of the last frame it gave
	skipped int   // the last packet that was left out
	hurt    bool  // it met damage, which a run that goes on would not know of

	ahead []*av.Frame // that it gave after that one, for the run that goes on
}

// screen is what a player shows frames to.
type screen interface {
	// leaves says whether a packet's frame is not wanted and may be left out.
	leaves(packet int) bool
	// show is given each frame that comes, in the order of presentation, until it has enough. One that it has no use for may
	// be kept for the run that goes on.
	show(c *call.Call, f *av.Frame) (v verdict, err error)
	// damage is told of a packet that decoder or demuxer find damaged.
	damage(packet int, cause error)
}

// verdict is what becomes of a run once a frame has come, and of the frame.
type verdict struct{ enough, keep bool }

func (p *player) open(v *Video) (err error) {
	p.video, p.at, p.spare = v, -1, -1
	if p.packet, err = av.NewPacket(); err == nil {
		p.frame, err = av.NewFrame()
	}
	return err
}

func (p *player) close() {
	if p.packet != nil {
		p.packet.Release()
	}
	if p.frame != nil {
		p.frame.Release()
	}
	p.closeCodec()
}

// play decodes a run, or what is missing of it where the decoder can go on. It ends with the run's last frame; a run that
// may be gone on with, onward, leaves in the decoder what it holds back for the next, the others are drained.
func (p *player) play(c *call.Call, run index.Run, s screen, how manner, onward bool) error {
	if err := p.openCodec(c, how); err != nil {
		return err
	}
	last := run.Last
	if onward { // the frame of the run's last packet may come some packets later
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

// continues reports whether the decoder, as it is, leads to the frames of a run.
func (p *player) continues(run index.Run) bool {
	x := p.video.index
	if !p.alive || p.hurt || run.First < p.start || run.First > p.at || x.Ticks(run.Frames[0]) <= p.shown {
		return false
	}
	for _, n := range run.Frames {
		if packet := x.PacketOf(n); packet < p.at && packet <= p.skipped {
			return false
		}
	}
	return true
}

// lose forgets where the file is read, after an error.
func (p *player) lose() {
	p.at, p.held = -1, false
	p.stop()
}

// stop says that no run goes on with what the decoder is in.
func (p *player) stop() {
	p.alive = false
	for _, f := range p.ahead {
		f.Release()
	}
	p.ahead = nil
}

// begin readies the decoder for a run from a packet on.
func (p *player) begin(c *call.Call, first int) error {
	if p.dirty {
		p.codec.Flush()
		p.dirty = false
	}
	p.stop()
	p.alive, p.start, p.shown, p.skipped, p.hurt = true, first, index.NoPTS, -1, false
	return p.goTo(c, first)
}

// send has a packet decoded and shows what comes.
func (p *player) send(c *call.Call, n int, s screen) (enough bool, err error) {
	x := p.video.index
	if x.Stream.Numbered {
		if err := p.packet.SetPTS(x.Packets[n].PTS); err != nil {
			return false, err
		}
	}
	if x.Packets[n].Flags&index.Damaged != 0 {
		p.hurt = true
		s.damage(n, &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: "the container says that the packet is damaged"})
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
		if !isDamage(err) {
			return false, err
		}
		p.hurt = true
		s.damage(n, err)
	}
	return p.receive(c, n, s)
}

// drain has the decoder give what it holds back after packet n.
func (p *player) drain(c *call.Call, n int, s screen) error {
	p.stop()
	err := p.codec.Send(c, nil)
	if err != nil && !isDamage(err) {
		return err
	}
	if err != nil { // of a packet that a thread still had
		s.damage(n, err)
	}
	_, err = p.receive(c, n, s)
	return err
}

// receive shows the frames that are ready after packet n.
func (p *player) receive(c *call.Call, n int, s screen) (enough bool, err error) {
	for {
		ok, err := p.codec.Receive(c, p.frame)
		if err != nil {
			if !isDamage(err) {
				return false, err
			}
			p.hurt = true
			s.damage(n, err)
			continue
		}
		if !ok {
			return false, nil
		}
		p.hurt, p.fallback = p.hurt || p.frame.Corrupt, p.codec.Fallback()
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

// resume shows the frames that a run that goes on begins with: those that came before they were asked for, and what the decoder
// has ready.
func (p *player) resume(c *call.Call, s screen) (enough bool, err error) {
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
