package video

import (
	"errors"
	"io"
	"maps"

	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/internal/failure"
)

// settings is the settings of a session's decoder.
type settings struct {
	fast    bool // without loop filters of little effect: see openCodec
	threads int
	device  *device // where frames stay; nil: in host memory
}

// openCodec makes the decoder ready. With profile fast the decoder omits the loop filters of H.264 and HEVC on frames
// to which no other frame refers. This saves 3 to 8 % of the time, at a mean of 63 dB for 224x224.
func (p *session) openCodec(c *call.Call, how settings) error {
	if p.codec != nil && p.settings == how {
		return nil
	}
	p.closeCodec()
	v := p.video
	o := av.DecoderOptions{Name: v.options.Codec, Options: v.options.CodecOptions, Threads: how.threads,
		Device:    v.options.Device,
		MaxPixels: v.decoder.limits.MaxPixels}
	if _, given := o.Options[skipLoopFilter]; how.fast && !given {
		o.Options = maps.Clone(o.Options)
		if o.Options == nil {
			o.Options = map[string]string{}
		}
		o.Options[skipLoopFilter] = "noref"
	}
	if how.device != nil {
		o.Device, o.CUDA = "", how.device.options()
	}
	codec, err := p.codecs(how).Get(c, v.parameters, o)
	if err != nil {
		return err
	}
	p.codec, p.settings = codec, how
	return nil
}

// skipLoopFilter is FFmpeg's name of the option.
const skipLoopFilter = "skip_loop_filter"

// codecs is the pool of decoders with these settings.
func (p *session) codecs(how settings) *av.Codecs {
	if how.device != nil {
		return &how.device.codecs
	}
	return &p.video.decoder.codecs
}

func (p *session) closeCodec() {
	if p.codec != nil {
		p.codecs(p.settings).Put(p.codec)
		p.codec, p.dirty = nil, false
		p.stop()
	}
}

// number decodes all packets of a stream without time stamps. It returns the index of each frame's packet, in
// presentation order. The pts of each packet is its index.
func (p *session) number(c *call.Call, packets []index.Packet) (order []int, err error) {
	if err := p.toFront(c, packets); err != nil {
		return nil, err
	}
	came := make([]bool, len(packets))
	if err := p.openCodec(c, settings{threads: p.video.options.Threads}); err != nil {
		return nil, err
	}
	p.dirty = true
	for n := 0; n <= len(packets); n++ {
		end := n == len(packets)
		if !end {
			if err = p.fetch(c); errors.Is(err, io.EOF) {
				end = true
			} else if err == nil {
				err = errors.Join(p.packet.SetPTS(int64(n)), p.codec.Send(c, p.packet))
			}
		}
		if end {
			err = p.codec.Send(c, nil)
		}
		for ok := true; ok; {
			if err != nil && !failure.IsDamage(err) {
				return nil, err
			}
			if ok, err = p.codec.Receive(c, p.frame); ok && p.frame.PTS >= 0 && p.frame.PTS < int64(len(packets)) &&
				!came[p.frame.PTS] {
				came[p.frame.PTS] = true
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
