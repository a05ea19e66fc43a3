package audio

import (
	"errors"
	"io"
	"math"
	"strings"
	"time"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/flac"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/container"
)

// codedTrack decodes a stream by FFmpeg. Sample numbers are those of a decode from the beginning, after FFmpeg has
// dropped the samples that the encoder added at both ends.
type codedTrack struct {
	in             *container.Input
	options        OpenOptions
	headerComplete bool // FFmpeg need not probe
	input          *av.Input
	decoder        *av.Decoder
	packet         *av.Packet
	frame          *av.Frame
	metadata       Info
	left           flac.Reason // why our FLAC engine declined it, or the rest of it
	stream         int
	base           av.Ratio // seconds of a tick
	rate           int
	end            int64 // number of samples by the container; unbounded if that is unreliable
	way            seeking

	at         int64 // the next sample
	origin     int64 // time stamp of sample 0; NoPTS: unknown
	landing    bool  // after a seek: the next frame tells the position
	drained    bool  // the end of packets was sent to the decoder
	kind       sampleFormat
	planes     []unsafe.Pointer
	pending    resample.Samples       // decoded, not yet delivered
	gap        int64                  // silent samples before these, for lost packets
	found      []decode.DamagedPacket // since the last call of damage
	reportFrom int64                  // damage before this sample is not reported: decoding began in mid-stream
}

// sampleFormat is a sample format, in FFmpeg's terms and in resample's.
type sampleFormat struct {
	av     av.SampleFormat
	format resample.Format
}

// openCoded opens an audio stream at its beginning. With headerComplete, FFmpeg takes the parameters from the
// container's header and need not decode to find them. If the first frame contradicts the header, the stream is opened
// again without it.
func openCoded(c *call.Call, in *container.Input, o OpenOptions, headerComplete bool) (*codedTrack, error) {
	t := &codedTrack{in: in, options: o, headerComplete: headerComplete, end: unbounded, origin: av.NoPTS}
	var err error
	if t.metadata, err = t.begin(c); err != nil {
		_ = t.close() // always nil
		return nil, err
	}
	return t, nil
}

func (t *codedTrack) info() Info { return t.metadata }

func (t *codedTrack) trace() Trace {
	r := Trace{Engine: "ffmpeg"}
	if t.left != flac.Decoded {
		r.Reason = t.left.String()
	}
	return r
}

func (t *codedTrack) begin(c *call.Call) (info Info, err error) {
	if t.packet, err = av.NewPacket(); err != nil {
		return info, err
	}
	if t.frame, err = av.NewFrame(); err != nil {
		return info, err
	}
	if t.headerComplete {
		if info, err = t.open(c); err == nil && t.headerAgrees(c, &info) {
			return info, nil
		}
		t.headerComplete, t.way, t.end, t.origin = false, seeking{}, unbounded, av.NoPTS
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

// start takes from the first decoded frame its format, which a header may lack, and the start time. The first packet's
// time may belong to samples that the encoder added and the decoder drops (Opus in Matroska), or to a packet without
// samples (Vorbis).
func (t *codedTrack) start(info *Info) {
	if t.kind.format != 0 {
		info.Stored = t.kind.av.String()
	}
	if t.origin != av.NoPTS {
		info.Start = float64(t.origin) * t.base.Float()
	}
}

// headerAgrees reports whether the first frame agrees with the header.
func (t *codedTrack) headerAgrees(c *call.Call, info *Info) bool {
	m := t.input.Media()
	streams := 0
	for i := range m.Streams {
		if m.Streams[i].Kind == av.Audio {
			streams++
		}
	}
	if streams != 1 || !isMOV(m.Format) || info.Samples < 0 || t.decode(c) != nil || t.pending.Channels != info.Channels ||
		t.origin == av.NoPTS {
		return false
	}
	t.start(info)
	return true
}

// open opens input and decoder at the beginning.
func (t *codedTrack) open(c *call.Call) (Info, error) {
	var err error
	if t.input, err = t.in.Demuxer(c, av.InputOptions{NoProbe: t.headerComplete}); err != nil {
		return Info{}, err
	}
	m := t.input.Media()
	s, err := container.ChooseAudio(&m, t.options.Stream, t.options.Language)
	if err != nil {
		return Info{}, err
	}
	t.input.Select(s.Index)
	t.stream, t.base, t.rate = s.Index, s.TimeBase, s.Rate
	parameters, err := t.input.Parameters(s.Index)
	if err != nil {
		return Info{}, err
	}
	if t.decoder, err = av.NewDecoder(c, parameters,
		av.DecoderOptions{Name: t.options.Codec, Options: t.options.CodecOptions}); err != nil {
		return Info{}, err
	}
	info := Info{Format: m.Format, Codec: s.Codec, Stream: s.Index, Rate: s.Rate, Channels: s.Channels, Speakers: s.Layout,
		Bits: s.Bits, Stored: parameters.SampleFormat, Language: s.Language, Samples: -1}
	if s.StartPTS != av.NoPTS {
		info.Start = float64(s.StartPTS) * s.TimeBase.Float() // not Stream.Start, which is rounded to nanoseconds
	}
	if s.Duration > 0 {
		info.Samples = samplesIn(s.Duration, s.Rate)
	}
	if isMOV(m.Format) && info.Samples >= 0 {
		// FFmpeg's decoder returns the whole last packet, even if the container gives a shorter duration.
		t.end, info.Exact = info.Samples, true
	}
	if t.way.worth == 0 { // otherwise the input is reopened, and what is known about it remains valid
		t.way = seekingOf(m.Format, s.Codec, s.Rate, t.options.Near)
	}
	return info, nil
}

func isMOV(format string) bool { return strings.HasPrefix(format, "mov,") }

func samplesIn(d time.Duration, rate int) int64 {
	return int64(math.Round(d.Seconds() * float64(rate)))
}
