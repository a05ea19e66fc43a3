package audio

import (
	"io"
	"math/bits"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/container"
)

// flacTrack decodes a FLAC file without FFmpeg, as long as the file is regular. From its first irregularity on the
// samples come from FFmpeg, which decodes the file from its beginning.
type flacTrack struct {
	fileView
	in      *container.Input
	options OpenOptions
	engine  *flacEngine
	header  flac.Header
	decoder *flac.Decoder
	minJump int64 // a search must save more samples than this

	at      int64            // number of the next sample to deliver
	offset  int64            // of the next frame in the file
	pending resample.Samples // of the last frame, not delivered yet

	fallback *codedTrack // FFmpeg, after it has taken over
	skip     int64       // samples of fallback that were delivered before
}

// newFLAC opens the track of a FLAC file and decodes its first frame. If the engine declines the file, it returns nil
// and the reason.
func newFLAC(c *call.Call, s *source, in *container.Input, o OpenOptions,
	engine *flacEngine) (*flacTrack, flac.Reason, error) {
	t := &flacTrack{fileView: fileView{source: s}, in: in, options: o, engine: engine}
	reason, err := t.open(c)
	if err == nil && reason == flac.Decoded {
		engine.own.Add(1)
		return t, reason, nil
	}
	if t.decoder != nil {
		_ = t.decoder.Close() // always nil
	}
	if err == nil {
		engine.countFallback(reason)
	}
	return nil, reason, err
}

func (t *flacTrack) open(c *call.Call) (reason flac.Reason, err error) {
	if t.stream != nil {
		return flac.Stream, nil
	}
	t.header, reason, err = flac.ReadHeader(func(offset int64, n int) ([]byte, error) {
		return t.fileView.at(c, offset, n)
	})
	if err != nil || reason != flac.Decoded {
		return reason, err
	}
	if t.decoder, err = flac.New(t.header); err != nil {
		return reason, err
	}
	t.minJump = 16 * int64(t.header.Largest)
	t.offset = t.header.Start
	return t.decode(c)
}

// decode decodes the next frame.
func (t *flacTrack) decode(c *call.Call) (flac.Reason, error) {
	defer c.Part("spool flac: decode", c.Begin())
	for n := max(t.header.Frame, 1<<14); ; n *= 2 {
		data, err := t.fileView.at(c, t.offset, n)
		if err != nil {
			return 0, err
		}
		f, reason := t.decoder.Decode(data, t.at)
		if reason == flac.End && t.offset+int64(len(data)) < t.size {
			continue
		}
		if reason == flac.Decoded {
			t.setPending(f.Samples)
			t.offset += int64(f.Bytes)
		}
		return reason, nil
	}
}

// setPending makes the n samples in the decoder's planes the pending ones.
func (t *flacTrack) setPending(n int) {
	t.pending = resample.Samples{Format: resample.S32, Channels: t.header.Channels, Len: n, Planes: t.decoder.Planes()}
	if t.header.Size() == 2 {
		t.pending.Format = resample.S16
	}
}

func (t *flacTrack) info() Info {
	if t.fallback != nil {
		return t.fallback.info()
	}
	i := Info{Format: "flac", Codec: "flac", Rate: t.header.Rate, Channels: t.header.Channels, Bits: t.header.Bits,
		Stored: "s32", Samples: -1}
	if t.header.Size() == 2 {
		i.Stored = "s16"
	}
	if t.header.Samples > 0 {
		i.Samples = t.header.Samples
	}
	i.Speakers = av.LayoutName(flacSpeakers[t.header.Channels])
	if bits.OnesCount32(t.header.Speakers) == t.header.Channels {
		i.Speakers = av.LayoutName(uint64(t.header.Speakers))
	}
	return i
}

// flacSpeakers are the default channel masks by number of channels: RFC 9639, section 9.1.3.
var flacSpeakers = [...]uint64{1: 0x4, 2: 0x3, 3: 0x7, 4: 0x33, 5: 0x607, 6: 0x60f, 7: 0x70f, 8: 0x63f}

func (t *flacTrack) trace() Trace {
	if t.fallback != nil {
		return t.fallback.trace()
	}
	return Trace{Engine: "own"}
}

func (t *flacTrack) next(c *call.Call) (resample.Samples, error) {
	if t.fallback != nil {
		return t.nextFallback(c)
	}
	if err := c.Err(); err != nil {
		return resample.Samples{}, err
	}
	if t.pending.Len == 0 {
		reason := flac.Length
		if t.offset < t.size {
			var err error
			if reason, err = t.decode(c); err != nil {
				return resample.Samples{}, err
			}
		} else if t.header.Samples == 0 || t.at == t.header.Samples {
			return resample.Samples{}, io.EOF
		}
		if reason != flac.Decoded {
			return resample.Samples{}, t.fallBack(c, reason)
		}
	}
	s := t.pending
	t.pending = resample.Samples{}
	t.at += int64(s.Len)
	return s, nil
}

// fallBack opens the file by FFmpeg.
func (t *flacTrack) fallBack(c *call.Call, reason flac.Reason) error {
	other, err := openCoded(c, t.in, t.options, false)
	if err != nil {
		return err
	}
	other.left = reason
	t.fallback, t.skip = other, t.at
	t.engine.own.Add(-1)
	t.engine.countFallback(reason)
	return errOther
}

// nextFallback returns the next samples from FFmpeg.
func (t *flacTrack) nextFallback(c *call.Call) (resample.Samples, error) {
	for {
		s, err := t.fallback.next(c)
		if n := int64(s.Len); err == nil && n <= t.skip {
			t.skip -= n
			continue
		}
		if err == nil {
			s, t.skip = after(s, int(t.skip)), 0
		}
		return s, err
	}
}

func (t *flacTrack) damage() []decode.DamagedPacket {
	if t.fallback != nil {
		return t.fallback.damage()
	}
	return nil
}

func (t *flacTrack) close() error {
	if t.fallback != nil {
		_ = t.fallback.close() // always nil
	}
	_ = t.decoder.Close() // always nil
	return nil
}
