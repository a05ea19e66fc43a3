package decode

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

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
	fast   bool // it leaves out loop filters
	work   Work

	// What the decoder is in, for a run that goes on where another one ended.
	alive   bool  // it has not been drained
	start   int   // the packet it began with; all from there up to at have been sent
	shown   int64 // the time of the last frame it gave
	skipped int   // the last packet that was left out
	hurt    bool  // it met damage, which a run that goes on would not know of
}

// screen is what a player shows frames to.
type screen interface {
	// wants says whether a packet's frame is wanted. Others may be left out.
	wants(packet int) bool
	// show is given each frame that comes, in the order of presentation, until it wants no more.
	show(c *call.Call, f *av.Frame) (enough bool, err error)
	// damage is told of a packet that decoder or demuxer find damaged.
	damage(packet int, cause error)
}

func (p *player) open(v *Video) (err error) {
	p.video, p.at = v, -1
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
func (p *player) play(c *call.Call, run index.Run, s screen, fast, onward bool) error {
	if err := p.openCodec(c, fast); err != nil {
		return err
	}
	last := run.Last
	if onward { // the frame of the run's last packet may come some packets later
		last = len(p.video.index.Packets) - 1
	}
	if p.continues(run) {
		if enough, err := p.receive(c, p.at-1, s); enough || err != nil {
			return err
		}
	} else if err := p.begin(c, run.First); err != nil {
		return err
	}
	for p.at <= last {
		n, err := p.read(c)
		if err == io.EOF || err == nil && n > last {
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
func (p *player) lose() { p.at, p.held, p.alive = -1, false, false }

// begin readies the decoder for a run from a packet on.
func (p *player) begin(c *call.Call, first int) error {
	if p.dirty {
		p.codec.Flush()
		p.dirty = false
	}
	p.alive, p.start, p.shown, p.skipped, p.hurt = true, first, index.NoPTS, -1, false
	return p.goTo(c, first)
}

// openCodec has a decoder ready, for the profile fast one that leaves H.264's and HEVC's loop filter out on frames to which
// none refers: 3 to 8 % of the time, for 63 dB in the mean at 224x224.
func (p *player) openCodec(c *call.Call, fast bool) error {
	if p.codec != nil && p.fast == fast {
		return nil
	}
	p.closeCodec()
	v := p.video
	o := av.DecoderOptions{Name: v.options.Codec, Options: v.options.CodecOptions, Threads: v.options.Threads, MaxPixels: v.decoder.limits.MaxPixels}
	if fast {
		o.Options = maps.Clone(o.Options)
		if o.Options == nil {
			o.Options = map[string]string{}
		}
		if _, given := o.Options[skipLoopFilter]; !given {
			o.Options[skipLoopFilter] = "noref"
		}
	}
	var err error
	if p.codec, err = v.decoder.codecs.Get(c, v.parameters, o); err != nil {
		p.codec = nil
	}
	p.fast = fast
	return err
}

// skipLoopFilter is FFmpeg's name for the option.
const skipLoopFilter = "skip_loop_filter"

func (p *player) closeCodec() {
	if p.codec != nil {
		p.video.decoder.codecs.Put(p.codec)
		p.codec, p.dirty, p.alive = nil, false, false
	}
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
	skip := !s.wants(n)
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
	p.alive = false
	if err := p.codec.Send(c, nil); err != nil && !isDamage(err) {
		return err
	}
	_, err := p.receive(c, n, s)
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
		p.shown, p.hurt = p.frame.PTS, p.hurt || p.frame.Corrupt
		if enough, err := s.show(c, p.frame); enough || err != nil {
			return enough, err
		}
	}
}

// goTo has a packet come next: by reading on where that is cheaper than a seek.
func (p *player) goTo(c *call.Call, n int) error {
	x := p.video.index
	if p.at < 0 || !x.ReadOn(p.at, n) {
		if err := p.seek(c, n); err != nil {
			return err
		}
	}
	for p.at < n {
		if _, err := p.read(c); err != nil {
			if err == io.EOF {
				err = &spool.Error{Op: "decode", Class: spool.ErrTruncated, Text: "the file has become shorter than its index says"}
			}
			return err
		}
	}
	return nil
}

// seek brings the file to a packet, or a little before: by the ways that there are, the one first that the container is
// likely to take.
func (p *player) seek(c *call.Call, n int) error {
	x := p.video.index
	target := x.Packets[n]
	byByte := func() error {
		if target.Pos < 0 {
			return errNoWay
		}
		return p.video.input.SeekByte(c, target.Pos)
	}
	byTime := func(ticks int64) func() error {
		return func() error {
			if ticks == index.NoPTS {
				return errNoWay
			}
			return p.video.input.Seek(c, x.Stream.Number, ticks)
		}
	}
	ways := []func() error{byTime(target.PTS), byTime(target.DTS), byByte, p.rewind(c)}
	if x.Stream.Numbered || strings.HasPrefix(x.Stream.Format, "mpeg") { // without an index of their own, times are guesses
		ways = []func() error{byByte, byTime(target.DTS), p.rewind(c)}
	}
	for _, way := range ways {
		err := way()
		if err == nil {
			p.work.Seeks++
			err = p.land(c, n)
		}
		if c.Err() != nil {
			return err
		}
		if err == nil && p.at <= n {
			return nil
		}
	}
	return corruptIndex(p.video.name)
}

var errNoWay = errors.New("no such seek")

// rewind goes to the front.
func (p *player) rewind(c *call.Call) func() error {
	return func() error {
		x := p.video.index
		first := x.Packets[0]
		if first.DTS != index.NoPTS {
			if err := p.video.input.Seek(c, x.Stream.Number, min(first.DTS, 0)); err == nil {
				return nil
			}
		}
		return p.video.input.SeekByte(c, 0)
	}
}

// land finds out which packet comes next, which should be one at or before n.
func (p *player) land(c *call.Call, n int) error {
	p.at, p.held = -1, false
	for range landing {
		if err := p.fetch(c); err != nil {
			return err
		}
		if at := p.identify(n); at >= 0 {
			p.at, p.held = at, true
			return nil
		}
	}
	return errNoWay
}

// landing is how many packets after a seek may be unknown: parts of such that began before.
const landing = 16

// identify is the packet that was read, -1 where the index has none like it. It is likely to be a little before n.
func (p *player) identify(n int) int {
	e, packets := p.packet.Entry(), p.video.index.Packets
	for i := n; i >= 0; i-- {
		if p.same(&packets[i], &e) {
			return i
		}
	}
	rest := slices.IndexFunc(packets[n+1:], func(x index.Packet) bool { return p.same(&x, &e) })
	if rest >= 0 {
		rest += n + 1
	}
	return rest
}

// same reports whether what was read is a packet of the index. Times that the index made up are not compared.
func (p *player) same(x *index.Packet, e *av.Entry) bool {
	switch {
	case x.Size != e.Size:
		return false
	case x.Pos >= 0 && e.Pos >= 0:
		return x.Pos == e.Pos
	case x.DTS != index.NoPTS:
		return x.DTS == e.DTS
	}
	return x.PTS == e.PTS && !p.video.index.Stream.Numbered
}

// read gives the next packet and its place in the index. Packets that the index lacks are passed over, and the other
// way round. Io.EOF is the end.
func (p *player) read(c *call.Call) (int, error) {
	if p.held {
		p.held = false
		p.at++
		return p.at - 1, nil
	}
	packets := p.video.index.Packets
	for {
		if err := p.fetch(c); err != nil {
			return 0, err
		}
		e := p.packet.Entry()
		for n := p.at; n < min(p.at+landing, len(packets)); n++ {
			if p.same(&packets[n], &e) {
				p.at = n + 1
				return n, nil
			}
		}
	}
}

// fetch reads a packet of the stream.
func (p *player) fetch(c *call.Call) error {
	for {
		if err := p.video.input.Read(c, p.packet); err != nil {
			return err
		}
		p.work.Read++
		if p.packet.Stream() == p.video.info.Stream {
			return nil
		}
	}
}

// number decodes packets without times, which are all of the stream's, and gives those of the frames in the order in
// which these come: each packet has its place for a time.
func (p *player) number(c *call.Call, packets int) (order []int, err error) {
	if err := p.video.input.SeekByte(c, 0); err != nil {
		return nil, err
	}
	if err := p.openCodec(c, false); err != nil {
		return nil, err
	}
	p.dirty = true
	for n := 0; n <= packets; n++ {
		end := n == packets
		if !end {
			if err = p.fetch(c); err == io.EOF {
				end = true
			} else if err == nil {
				err = errors.Join(p.packet.SetPTS(int64(n)), p.codec.Send(c, p.packet))
			}
		}
		if end {
			err = p.codec.Send(c, nil)
		}
		for ok := true; ok; {
			if err != nil && !isDamage(err) {
				return nil, err
			}
			if ok, err = p.codec.Receive(c, p.frame); ok && p.frame.PTS >= 0 && p.frame.PTS < int64(packets) {
				order = append(order, int(p.frame.PTS))
			}
			ok = ok || err != nil
		}
		if end {
			break
		}
	}
	return order, nil
}
