package audio

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode"
)

// next returns the samples of the next frame. FFmpeg owns their memory.
func (t *codedTrack) next(c *call.Call) (resample.Samples, error) {
	for t.pending.Len == 0 {
		if t.at >= t.end {
			return resample.Samples{}, io.EOF
		}
		if err := t.decode(c); err != nil {
			return resample.Samples{}, err
		}
	}
	if t.gap > 0 {
		return t.silence(), nil
	}
	s := t.pending
	t.pending = resample.Samples{}
	s.Len = int(min(int64(s.Len), t.end-t.at))
	t.at += int64(s.Len)
	return s, nil
}

// silence returns silent samples in place of lost ones.
func (t *codedTrack) silence() resample.Samples {
	n := min(t.gap, spareSamples)
	t.gap -= n
	t.at += n
	return resample.Interleaved(t.pending.Channels, make([]float32, int(n)*t.pending.Channels))
}

// decode decodes until samples are held. It records damage. Damage while reading ends the stream.
func (t *codedTrack) decode(c *call.Call) error {
	for {
		ok, err := t.decoder.Receive(c, t.frame)
		if ok && t.frame.Samples > 0 {
			return t.keepFrame()
		}
		switch {
		case err != nil:
			if err := t.record(c, err); err != nil {
				return err
			}
		case ok:
		case t.drained:
			return io.EOF
		default:
			if err := t.feed(c); err != nil {
				return err
			}
		}
	}
}

// feed sends the next packet to the decoder.
func (t *codedTrack) feed(c *call.Call) error {
	if err := t.input.Read(c, t.packet); err != nil {
		if !errors.Is(err, io.EOF) {
			if err := t.record(c, err); err != nil {
				return err
			}
		}
		t.drained = true
		if err := t.decoder.Send(c, nil); err != nil {
			return t.record(c, err)
		}
		return nil
	}
	if err := t.decoder.Send(c, t.packet); err != nil {
		return t.record(c, err)
	}
	return nil
}

// record records damage, and returns every other error.
func (t *codedTrack) record(c *call.Call, err error) error {
	switch class := spool.ClassOf(err); {
	case c.Err() != nil, class != spool.ErrCorrupt && class != spool.ErrTruncated:
		return err
	case t.at >= t.reportFrom && !t.landing:
		text := err.Error()
		if e, ok := errors.AsType[*spool.Error](err); ok {
			text = e.Detail()
		}
		t.found = append(t.found, decode.DamagedPacket{PTS: float64(t.at) / float64(t.rate), Class: class, Text: text})
	}
	return nil
}

// keepFrame keeps the samples of the decoded frame.
func (t *codedTrack) keepFrame() error {
	f := t.frame
	if f.Rate != t.rate {
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported,
			Text: fmt.Sprintf("changes from %d to %d samples a second at %.3f s", t.rate, f.Rate, float64(t.at)/float64(t.rate))}
	}
	if f.Channels < 1 || f.Channels > resample.MaxChannels {
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Text: fmt.Sprintf("audio of %d channels", f.Channels)}
	}
	if t.kind.format == 0 || t.kind.av != f.SampleFormat {
		t.kind = sampleFormat{f.SampleFormat, resampleFormat(f.SampleFormat.String())}
	}
	var err error
	if t.planes, err = f.Planes(t.planes[:0]); err != nil {
		return err
	}
	t.pending = resample.Samples{Format: t.kind.format, Channels: f.Channels, Len: f.Samples, Planes: t.planes}
	if f.Corrupt && t.at >= t.reportFrom && !t.landing {
		t.found = append(t.found, decode.DamagedPacket{PTS: float64(t.at) / float64(t.rate), Class: spool.ErrCorrupt,
			Text: "decoded from damaged data"})
	}
	switch {
	case t.landing:
		t.landing = false
		t.at = -1 // unknown
		if f.PTS != av.NoPTS {
			t.at = t.sampleOf(f.PTS)
		}
	case t.at == 0 && t.origin == av.NoPTS:
		t.origin = f.PTS
	case len(t.found) > 0 && t.way.clock && f.PTS != av.NoPTS:
		if lost := t.sampleOf(f.PTS) - t.at; lost > 0 && lost < int64(t.rate)*maxGap {
			t.gap = lost
		}
	}
	return nil
}

// maxGap is the longest silence, in seconds, that replaces lost packets. A longer gap is a jump of the clock.
const maxGap = 10

// sampleOf is the number of the sample at a time stamp.
func (t *codedTrack) sampleOf(pts int64) int64 {
	return int64(math.Round(float64(pts-t.origin) * float64(t.base.Num) * float64(t.rate) / float64(t.base.Den)))
}

// resampleFormat maps the name of an FFmpeg sample format to a format of resample.
func resampleFormat(name string) resample.Format {
	return map[string]resample.Format{"u8": resample.U8, "s16": resample.S16, "s32": resample.S32, "s64": resample.S64,
		"flt": resample.F32, "dbl": resample.F64}[strings.TrimSuffix(name, "p")]
}

func (t *codedTrack) damage() []decode.DamagedPacket {
	found := t.found
	t.found = nil
	return found
}

// shut closes input and decoder, and drops the samples that they gave.
func (t *codedTrack) shut() {
	if t.decoder != nil {
		_ = t.decoder.Close() // always nil
	}
	if t.input != nil {
		_ = t.input.Close()
	}
	t.reset(0)
}

func (t *codedTrack) close() error {
	t.shut()
	if t.packet != nil {
		t.packet.Release()
	}
	if t.frame != nil {
		t.frame.Release()
	}
	return nil
}
