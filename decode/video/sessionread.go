package video

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/container"
)

// goTo makes packet n the next one: it reads on where that is cheaper than a seek.
func (p *session) goTo(c *call.Call, n int) error {
	if p.at < 0 || !p.video.readOn(p.at, n) {
		if err := p.seek(c, n); err != nil {
			return err
		}
	}
	for p.at < n {
		if _, err := p.read(c); err != nil {
			if errors.Is(err, io.EOF) {
				err = &spool.Error{Op: "decode", Class: spool.ErrTruncated, Text: "the file is shorter than its index"}
			}
			return err
		}
	}
	return nil
}

// seek moves the file position to a packet, or a little before it. It tries the possible seeks in turn, the most
// promising for the container first.
func (p *session) seek(c *call.Call, n int) error {
	x := p.video.index
	target := x.Packets[n]
	byByte := func() error {
		if target.Pos < 0 {
			return container.ErrNoSeek
		}
		return p.video.input.SeekByte(c, target.Pos)
	}
	byTime := func(ticks int64) func() error {
		return func() error {
			if ticks == index.NoPTS {
				return container.ErrNoSeek
			}
			return p.video.input.Seek(c, x.Stream.Number, ticks)
		}
	}
	attempts := []func() error{byTime(target.PTS), byTime(target.DTS), byByte, p.rewind(c)}
	if p.video.unindexed() { // times are estimates
		attempts = []func() error{byByte, byTime(target.DTS), p.rewind(c)}
	}
	for _, attempt := range attempts {
		err := attempt()
		if err == nil {
			p.work.Seeks++
			err = p.land(c, n)
		}
		// the caller's reader failed: no other seek would help
		if own, ok := errors.AsType[*spool.Error](err); c.Err() != nil || ok && own.Lib == "" {
			return err
		}
		if err == nil && p.at <= n {
			return nil
		}
	}
	return corruptIndex(p.video.name)
}

// unindexed reports whether the container has no packet table: MPEG streams, and streams without a container.
func (v *Video) unindexed() bool {
	return v.index.Stream.Numbered || strings.HasPrefix(v.index.Stream.Format, "mpeg")
}

// rewind seeks to the front.
func (p *session) rewind(c *call.Call) func() error {
	return func() error { return p.toFront(c, p.video.index.Packets) }
}

func (p *session) toFront(c *call.Call, packets []index.Packet) error {
	if dts := packets[0].DTS; dts != index.NoPTS {
		if err := p.video.input.Seek(c, p.video.info.Stream, min(dts, 0)); err == nil {
			return nil
		}
	}
	return p.video.input.SeekByte(c, 0)
}

// land finds out which packet comes next. It should be packet n or one before it.
func (p *session) land(c *call.Call, n int) error {
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
	return container.ErrNoSeek
}

// landing is how many packets after a seek may be unknown: the rests of packets that began before the position.
const landing = 16

// identify is the index of the packet that was read, -1 where the index lacks it. It is probably a little before n.
func (p *session) identify(n int) int {
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

// same reports whether the packet that was read equals a packet of the index. Times that the index estimated are not
// compared.
func (p *session) same(x *index.Packet, e *av.Entry) bool {
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

// read returns the next packet's place in the index. It skips packets that the index lacks, and entries whose packets
// the file lacks. The end is io.EOF.
func (p *session) read(c *call.Call) (int, error) {
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

// look finds out whether a packet that is decoded next is disposable, where the index was made without looking into
// packets.
func (p *session) look(packet int) {
	packets := p.video.index.Packets
	if !p.looks || packets[packet].Flags&index.Damaged != 0 || !p.packet.Disposable() {
		return
	}
	if p.found == nil {
		p.found = make([]bool, len(packets))
	}
	p.found[packet] = true
}

// disposable reports whether no other frame is predicted from that of a packet. With looks, it is false for packets
// that were not read yet.
func (p *session) disposable(packet int) bool {
	return p.video.index.Packets[packet].Flags&index.Disposable != 0 || p.found != nil && p.found[packet]
}

// fetch reads the next packet of the stream.
func (p *session) fetch(c *call.Call) error {
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
