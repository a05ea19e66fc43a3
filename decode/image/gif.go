package image

import (
	"context"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/resize"
)

// gifLane decodes GIF: the pixels of Pillow, frame by frame. Transparent pixels of a first frame without alpha are
// torchvision's, except with profile Pillow.
type gifLane struct{}

func (gifLane) String() string { return "gif" }

func (gifLane) header(_ context.Context, data []byte, _ format.Format, _ int) (Info, error) {
	h, err := gif.ReadHeader(data) // Go code that walks the blocks
	if err != nil {
		return Info{}, err
	}
	i := Info{Format: format.GIF, Frames: h.Frames, Animated: h.Frames > 1, Width: h.Width, Height: h.Height,
		Channels: 3, Bits: 8, Alpha: h.Alpha, Orientation: 1, memory: h.Memory()}
	if h.Gray {
		i.Channels = 1
	}
	if h.Alpha {
		i.Channels++
	}
	if i.Animated {
		const canvas, saved = 4, 4 // bytes a pixel
		i.memory += int64(h.Width) * int64(h.Height) * (canvas + saved)
	}
	return i, nil
}

func (gifLane) intake(i Info, s Spec) pixels.Intake { return s.intake(i, false) }

func (gifLane) decode(ctx context.Context, data []byte, i Info, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	report, err := gif.Decode(c, data, gifOptions(i, r))
	return settle(err, report.Fraction, r.accept)
}

func (gifLane) animate(_ context.Context, data []byte, i Info) (animation, error) {
	decoder, err := gif.Open(data)
	if err != nil {
		return nil, err
	}
	return &gifAnimation{decoder: decoder, data: data, info: i}, nil
}

type gifAnimation struct {
	decoder *gif.Animation
	data    []byte
	info    Info
	begun   bool
}

// next composes the first frame for the frames after it. Where the sink needs other pixels than those of the
// composition, the first frame is decoded a second time for the sink.
func (a *gifAnimation) next(ctx context.Context, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	o := gifOptions(a.info, r)
	apart := !a.begun && o.Sink != nil && o.Background && o.Channels == 3
	a.begun = true
	if !apart {
		report, err := a.decoder.Next(c, o)
		return settle(err, report.Fraction, r.accept)
	}
	composing := o
	composing.Sink = nil
	if _, err := a.decoder.Next(c, composing); err != nil && !failure.IsDamage(err) { // Decode reports the same damage
		return progress{}, err
	}
	report, err := gif.Decode(c, a.data, o)
	return settle(err, report.Fraction, r.accept)
}

func (a *gifAnimation) close() { _ = a.decoder.Close() } // never fails

func gifOptions(i Info, r rows) gif.Options {
	o := gif.Options{Width: i.Width, Height: i.Height, Channels: r.channels, MaxMemory: r.maxMemory,
		Background: r.profile != resize.Pillow}
	if r.sink != nil {
		o.Sink = r.sink.Pointer()
	}
	return o
}
