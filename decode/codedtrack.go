package decode

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// codedTrack decodes a stream by FFmpeg. Its samples are numbered as a decode from the front counts them, after
// FFmpeg has left out what the encoder added at both ends.
type codedTrack struct {
	in      *input
	options AudioOptions
	told    bool // by the container's header: FFmpeg need not look for it
	input   *av.Input
	decoder *av.Decoder
	packet  *av.Packet
	frame   *av.Frame
	said    AudioInfo
	left    flac.Reason // why our engine for FLAC did not take it, or not all of it
	stream  int
	base    av.Ratio // seconds of a tick
	rate    int
	cut     int64 // samples there are, by the container's word; unbounded where it is not to be trusted
	way     approach

	at      int64 // the next sample
	origin  int64 // time stamp of sample 0; NoPTS: not known
	landing bool  // the next frame tells where a seek has led
	drained bool  // the decoder has been told that there are no more packets
	kind    soundKind
	planes  []unsafe.Pointer
	held    resample.Samples // decoded, and not given yet
	gap     int64            // silent samples before these, where packets were lost
	found   []DamagedPacket  // since damage was asked for
	quiet   int64            // what is found before this sample is not told: a decoder begins in the middle
}

// soundKind is a format of samples.
type soundKind struct {
	av     av.SampleFormat
	format resample.Format
}

// openCoded opens a sound at its front. Told: the container's header is likely to say all there is to know, so that FFmpeg
// need not decode to find out.
func openCoded(c *call.Call, in *input, o AudioOptions, told bool) (*codedTrack, error) {
	t := &codedTrack{in: in, options: o, told: told, cut: unbounded, origin: av.NoPTS}
	var err error
	if t.said, err = t.begin(c); err != nil {
		_ = t.close() // always nil
		return nil, err
	}
	return t, nil
}

func (t *codedTrack) info() AudioInfo { return t.said }

func (t *codedTrack) road() AudioRoad {
	r := AudioRoad{Engine: "ffmpeg"}
	if t.left != flac.Decoded {
		r.Reason = t.left.String()
	}
	return r
}

func (t *codedTrack) begin(c *call.Call) (info AudioInfo, err error) {
	if t.packet, err = av.NewPacket(); err != nil {
		return info, err
	}
	if t.frame, err = av.NewFrame(); err != nil {
		return info, err
	}
	if t.told {
		if info, err = t.open(c); err == nil && t.telling(c, &info) {
			return info, nil
		}
		t.told, t.way, t.cut, t.origin = false, approach{}, unbounded, av.NoPTS
		t.shut()
	}
	if info, err = t.open(c); err != nil {
		return info, err
	}
	if err := t.decode(c); err != nil && !errors.Is(err, io.EOF) {
		return info, err
	}
	t.start(&info)
	return info, nil
}

// start takes the time of the sound from the first decoded frame. The time of the first packet is that of samples which the
// encoder added and the decoder drops (Opus in Matroska), or that of a packet which gives no samples (Vorbis).
func (t *codedTrack) start(info *AudioInfo) {
	if t.origin != av.NoPTS {
		info.Start = float64(t.origin) * t.base.Float()
	}
}

// telling reports whether the first frame is what the header says of all.
func (t *codedTrack) telling(c *call.Call, info *AudioInfo) bool {
	m := t.input.Media()
	streams := 0
	for i := range m.Streams {
		if m.Streams[i].Kind == av.Audio {
			streams++
		}
	}
	if streams != 1 || !isMOV(m.Format) || info.Samples < 0 || t.decode(c) != nil || t.held.Channels != info.Channels || t.origin == av.NoPTS {
		return false
	}
	t.start(info)
	return true
}

// open opens input and decoder, at the front.
func (t *codedTrack) open(c *call.Call) (AudioInfo, error) {
	var err error
	if t.input, err = t.in.demuxer(c, av.InputOptions{NoProbe: t.told}); err != nil {
		return AudioInfo{}, err
	}
	m := t.input.Media()
	s, err := chooseAudio(&m, t.options)
	if err != nil {
		return AudioInfo{}, err
	}
	t.input.Select(s.Index)
	t.stream, t.base, t.rate = s.Index, s.TimeBase, s.Rate
	parameters, err := t.input.Parameters(s.Index)
	if err != nil {
		return AudioInfo{}, err
	}
	if t.decoder, err = av.NewDecoder(c, parameters, av.DecoderOptions{Name: t.options.Codec, Options: t.options.CodecOptions}); err != nil {
		return AudioInfo{}, err
	}
	info := AudioInfo{Format: m.Format, Codec: s.Codec, Stream: s.Index, Rate: s.Rate, Channels: s.Channels, Speakers: s.Layout,
		Bits: s.Bits, Language: s.Language, Samples: -1}
	if s.StartPTS != av.NoPTS {
		info.Start = float64(s.StartPTS) * s.TimeBase.Float() // not Stream.Start, which is rounded to nanoseconds
	}
	if s.Duration > 0 {
		info.Samples = samplesIn(s.Duration, s.Rate)
	}
	if isMOV(m.Format) && info.Samples >= 0 {
		// FFmpeg's decoder gives the last packet whole, whatever the container says of its duration.
		t.cut, info.Exact = info.Samples, true
	}
	if t.way.worth == 0 { // else the input is opened again, and what was learnt of it holds
		t.way = approachOf(m.Format, s.Codec, s.Rate, t.options.Near)
	}
	return info, nil
}

func isMOV(format string) bool { return strings.HasPrefix(format, "mov,") }

func samplesIn(d time.Duration, rate int) int64 {
	return int64(math.Round(d.Seconds() * float64(rate)))
}

// chooseAudio is the stream that the options ask for.
func chooseAudio(m *av.Media, o AudioOptions) (*av.Stream, error) {
	refuse := func(class spool.Class, format string, args ...any) error {
		return &spool.Error{Op: "decode", Class: class, Text: fmt.Sprintf(format, args...)}
	}
	var s *av.Stream
	switch {
	case o.Stream != nil:
		if *o.Stream >= len(m.Streams) {
			return nil, refuse(spool.ErrNoSuchFrame, "no stream %d of %d", *o.Stream, len(m.Streams))
		}
		if s = &m.Streams[*o.Stream]; s.Kind != av.Audio {
			return nil, refuse(spool.ErrNoSuchFrame, "stream %d is not sound", *o.Stream)
		}
	case o.Language != "":
		for i := range m.Streams {
			if x := &m.Streams[i]; x.Kind == av.Audio && x.Language == o.Language && (s == nil || x.Default && !s.Default) {
				s = x
			}
		}
		if s == nil {
			return nil, refuse(spool.ErrNoSuchFrame, "no sound in language %q", o.Language)
		}
	default:
		if s = m.Best(av.Audio); s == nil {
			return nil, refuse(spool.ErrNotMedia, "no sound (%s)", m.Format)
		}
	}
	if s.Rate <= 0 || s.Channels <= 0 {
		return nil, refuse(spool.ErrCorrupt, "sound of %d channels, %d samples a second", s.Channels, s.Rate)
	}
	if s.Rate > maxRate || s.Channels > resample.MaxChannels {
		return nil, refuse(spool.ErrUnsupported, "sound of %d channels, %d samples a second", s.Channels, s.Rate)
	}
	return s, nil
}
