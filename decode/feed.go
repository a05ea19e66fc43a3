package decode

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
)

// feed decodes a stream for a graph, from front to back.
type feed struct {
	input      demuxer
	packets    *Packets // what is read, where packets are; of video what lies outside of their window is dropped
	stream     int
	codec      *av.Decoder
	packet     *av.Packet
	frame      *av.Frame
	base, rate av.Ratio
	trim       string // of sound: what cuts the window out
	skipDamage bool
	first      bool // the frame has been decoded to see what comes, and not given yet
	drained    bool
	after      int64 // the time of the next frame where it has none of its own
}

func (f *feed) open(ctx context.Context, d *Decoder, in *GraphInput) error {
	var err error
	if f.packets, err = in.kept(ctx, d); err != nil {
		return err
	}
	c, err := call.Enter(ctx, int64(max(in.Threads, 1)))
	if err != nil {
		return err
	}
	defer c.Leave()
	var parameters av.Parameters
	if f.packets != nil {
		parameters = f.fromPackets()
	} else if parameters, err = f.fromInput(c, in); err != nil {
		return err
	}
	if f.packet, err = av.NewPacket(); err != nil {
		return err
	}
	if f.frame, err = av.NewFrame(); err != nil {
		return err
	}
	options := map[string]string{}
	if n := d.limits.MaxPixels; n < math.MaxInt32 && parameters.Width > 0 {
		options["max_pixels"] = strconv.FormatInt(n, 10)
	}
	if f.codec, err = av.NewDecoder(c, parameters, av.DecoderOptions{Options: options, Threads: in.Threads}); err != nil {
		return err
	}
	_, _, err = f.next(c)
	if errors.Is(err, io.EOF) {
		return &spool.Error{Op: "decode", Class: spool.ErrEmpty, Text: "a stream without frames"}
	}
	f.first, f.after = true, 0
	return err
}

// kept are the packets of an input that has some, or has a window.
func (in *GraphInput) kept(ctx context.Context, d *Decoder) (*Packets, error) {
	switch {
	case in.Packets != nil:
		return in.Packets.Clone()
	case in.End == 0:
		return nil, nil
	case in.Kind == KindAudio:
		return d.SoundPackets(ctx, in.Object, AudioOptions{Stream: in.Stream}, in.Start, in.End)
	}
	v, err := d.OpenVideo(ctx, in.Object, VideoOptions{Stream: in.Stream})
	if err != nil {
		return nil, err
	}
	defer func() { _ = v.Close() }() // always nil
	return v.Packets(ctx, in.Start, in.End)
}

func (f *feed) fromPackets() av.Parameters {
	p := f.packets
	f.input = &keptInput{packets: p}
	f.stream, f.base = p.index.Stream.Number, p.parameters.TimeBase
	if r := p.index.Stream.Rate; r.Den > 0 {
		f.rate = av.Ratio{Num: int(r.Num), Den: int(r.Den)}
	}
	if p.kind == av.Audio {
		f.trim = p.window.atrim()
	}
	return p.parameters
}

func (f *feed) fromInput(c *call.Call, in *GraphInput) (av.Parameters, error) {
	input, err := av.Open(c, in.Object, av.InputOptions{})
	if err != nil {
		return av.Parameters{}, err
	}
	f.input = input
	m := input.Media()
	var s *av.Stream
	if in.Kind == KindAudio {
		s, err = chooseAudio(&m, AudioOptions{Stream: in.Stream})
	} else {
		s, err = chooseVideo(&m, &VideoOptions{Stream: in.Stream})
	}
	if err != nil {
		return av.Parameters{}, err
	}
	input.Select(s.Index)
	f.stream, f.base, f.rate = s.Index, s.TimeBase, s.FrameRate
	return input.Parameters(s.Index)
}

// next gives the next frame and its time. Io.EOF is the end, with no frame.
func (f *feed) next(c *call.Call) (*av.Frame, int64, error) {
	if f.first {
		f.first = false
		return f.frame, f.time(), nil
	}
	for {
		ok, err := f.codec.Receive(c, f.frame)
		switch {
		case err != nil && !(f.skipDamage && isDamage(err)):
			return nil, 0, err
		case ok && f.outside():
		case ok:
			return f.frame, f.time(), nil
		case err == nil && f.drained:
			return nil, 0, io.EOF
		case err == nil:
			if err := f.send(c); err != nil && !(f.skipDamage && isDamage(err)) {
				return nil, 0, err
			}
		}
	}
}

// send gives the decoder a packet, or the end.
func (f *feed) send(c *call.Call) error {
	err := f.input.Read(c, f.packet)
	if err != nil && !(errors.Is(err, io.EOF) || f.skipDamage && isDamage(err)) {
		return err
	}
	if err != nil {
		f.drained = true
		return f.codec.Send(c, nil)
	}
	if f.packet.Stream() != f.stream {
		return nil
	}
	return f.codec.Send(c, f.packet)
}

// outside reports whether a frame of video lies outside of the window.
func (f *feed) outside() bool {
	if f.packets == nil || f.packets.kind == av.Audio {
		return false
	}
	_, inside := f.packets.index.FrameAt(f.frame.PTS)
	return !inside
}

// time is when the frame begins, in ticks: where it does not say, when the one before ended.
func (f *feed) time() int64 {
	pts := f.frame.Guess
	if pts == av.NoPTS {
		pts = f.after
	}
	duration := max(f.frame.Duration, 1)
	if f.frame.Duration <= 0 && f.rate.Num > 0 && f.base.Num > 0 {
		duration = max(1, int64(f.base.Den)*int64(f.rate.Den)/(int64(f.base.Num)*int64(f.rate.Num)))
	}
	f.after = pts + duration
	return pts
}

func (f *feed) close() {
	if f.codec != nil {
		_ = f.codec.Close() // always nil
	}
	if f.frame != nil {
		f.frame.Release()
	}
	if f.packet != nil {
		f.packet.Release()
	}
	switch {
	case f.input != nil:
		_ = f.input.Close() // always nil
	case f.packets != nil:
		f.packets.Release()
	}
}
