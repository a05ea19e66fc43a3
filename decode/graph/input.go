package graph

import (
	"context"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/internal/container"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/kept"
)

// inputDecoder decodes a stream for a graph, sequentially.
type inputDecoder struct {
	input      container.Demuxer
	packets    *kept.Packets // the input's packets, if it has some; video frames outside of their window are dropped
	stream     int
	codec      *av.Decoder
	packet     *av.Packet
	frame      *av.Frame
	base, rate av.Ratio
	trim       string // for audio: the argument of the filter that cuts the window out
	skipDamage bool
	first      bool // frame was decoded by open, and is not delivered yet
	drained    bool
	after      int64 // the time of the next frame if it has no time stamp
}

func (f *inputDecoder) open(ctx context.Context, d *Decoder, in *Input) error {
	p, err := in.kept(ctx, d)
	if err != nil {
		return err
	}
	if p != nil {
		f.packets = kept.Of(p)
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

// kept returns the packets of an input that has some, or that has a window.
func (in *Input) kept(ctx context.Context, d *Decoder) (*packets.Packets, error) {
	switch {
	case in.Packets != nil:
		return in.Packets.Clone()
	case in.End == 0:
		return nil, nil
	case in.Medium == decode.Audio:
		return d.audios.Packets(ctx, in.Object, audio.OpenOptions{Stream: in.Stream}, in.Start, in.End)
	}
	v, err := d.videos.Open(ctx, in.Object, video.OpenOptions{Stream: in.Stream})
	if err != nil {
		return nil, err
	}
	defer func() { _ = v.Close() }() // always nil
	return v.Packets(ctx, in.Start, in.End)
}

func (f *inputDecoder) fromPackets() av.Parameters {
	p := f.packets
	f.input = &kept.Reader{Packets: p}
	f.stream, f.base = p.Table.Stream.Number, p.Parameters.TimeBase
	if r := p.Table.Stream.Rate; r.Den > 0 {
		f.rate = av.Ratio{Num: int(r.Num), Den: int(r.Den)}
	}
	if p.Kind == av.Audio {
		f.trim = atrim(p.Window)
	}
	return p.Parameters
}

func (f *inputDecoder) fromInput(c *call.Call, in *Input) (av.Parameters, error) {
	input, err := av.Open(c, in.Object, av.InputOptions{})
	if err != nil {
		return av.Parameters{}, err
	}
	f.input = input
	m := input.Media()
	var s *av.Stream
	if in.Medium == decode.Audio {
		s, err = container.ChooseAudio(&m, in.Stream, "")
	} else {
		s, err = container.ChooseVideo(&m, in.Stream, "")
	}
	if err != nil {
		return av.Parameters{}, err
	}
	input.Select(s.Index)
	f.stream, f.base, f.rate = s.Index, s.TimeBase, s.FrameRate
	return input.Parameters(s.Index)
}

// next returns the next frame and its time. At the end it returns io.EOF and no frame.
func (f *inputDecoder) next(c *call.Call) (*av.Frame, int64, error) {
	if f.first {
		f.first = false
		return f.frame, f.time(), nil
	}
	for {
		ok, err := f.codec.Receive(c, f.frame)
		switch {
		case err != nil && !(f.skipDamage && failure.IsDamage(err)):
			return nil, 0, err
		case ok && f.outside():
		case ok:
			return f.frame, f.time(), nil
		case err == nil && f.drained:
			return nil, 0, io.EOF
		case err == nil:
			if err := f.send(c); err != nil && !(f.skipDamage && failure.IsDamage(err)) {
				return nil, 0, err
			}
		}
	}
}

// send sends the decoder a packet, or the end of packets.
func (f *inputDecoder) send(c *call.Call) error {
	err := f.input.Read(c, f.packet)
	if err != nil && !(errors.Is(err, io.EOF) || f.skipDamage && failure.IsDamage(err)) {
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

// outside reports whether a video frame is outside of the window.
func (f *inputDecoder) outside() bool {
	if f.packets == nil || f.packets.Kind == av.Audio {
		return false
	}
	_, inside := f.packets.Table.FrameAt(f.frame.PTS)
	return !inside
}

// time is when the frame begins, in ticks. Without a time stamp it is the end of the frame before.
func (f *inputDecoder) time() int64 {
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

func (f *inputDecoder) close() {
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
