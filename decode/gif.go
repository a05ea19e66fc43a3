package decode

import (
	"context"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/gif"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// gifLane decodes GIF: the same pictures as Pillow's, frame by frame.
type gifLane struct{}

func (gifLane) String() string { return "gif" }

func (gifLane) header(_ context.Context, data []byte, _ Format, _ int) (ImageInfo, error) {
	h, err := gif.ReadHeader(data) // a walk in Go
	if err != nil {
		return ImageInfo{}, err
	}
	i := ImageInfo{Format: GIF, Frames: h.Frames, Animated: h.Frames > 1, Width: h.Width, Height: h.Height,
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

func (gifLane) intake(i ImageInfo, s ImageSpec) intake {
	switch {
	case i.Alpha && s.Alpha == BlendAlpha:
		return intake{channels: 4, alpha: kernel.Blend, gray: s.Color == Gray}
	case i.Alpha && s.Color == RGBA:
		return intake{channels: 4}
	}
	return intake{channels: 3, gray: s.Color == Gray}
}

func (gifLane) decode(ctx context.Context, data []byte, i ImageInfo, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	report, err := gif.Decode(c, data, gifOptions(i, r))
	return settle(err, report.Fraction, r.accept)
}

func (gifLane) animate(_ context.Context, data []byte, i ImageInfo) (animation, error) {
	film, err := gif.Open(data)
	if err != nil {
		return nil, err
	}
	return gifAnimation{film, i}, nil
}

type gifAnimation struct {
	film *gif.Animation
	info ImageInfo
}

func (a gifAnimation) next(ctx context.Context, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	report, err := a.film.Next(c, gifOptions(a.info, r))
	return settle(err, report.Fraction, r.accept)
}

func (a gifAnimation) close() { _ = a.film.Close() } // which never fails

func gifOptions(i ImageInfo, r rows) gif.Options {
	o := gif.Options{Width: i.Width, Height: i.Height, Channels: r.channels, MaxMemory: r.maxMemory}
	if r.sink != nil {
		o.Sink = r.sink.Pointer()
	}
	return o
}
