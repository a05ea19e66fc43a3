package image

import (
	"bytes"
	"context"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/webp"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/jpegfile"
	"github.com/spoolmedia/spool/decode/internal/pixels"
)

// webpLane decodes with libwebp. It takes the planes of lossy images, which the kernels convert to RGB as libwebp
// would: the pixels of torchvision and Pillow, in every profile.
//
// Profile fast has no shortcut here. Resizing the planes separately takes as long, and clips saturated colors
// differently. Without its loop filter libwebp would be 8 % faster, but differ by more than a level on most photos.
type webpLane struct{}

func (webpLane) String() string { return "webp" }

func (webpLane) header(_ context.Context, data []byte, _ format.Format, _ int) (Info, error) {
	h, err := webp.ReadHeader(data) // microseconds: admission would cost more
	if err != nil {
		return Info{}, err
	}
	i := Info{Format: format.WebP, Frames: h.Frames, Animated: h.Animated, Width: h.Width, Height: h.Height, Channels: 3,
		Bits:  8,
		Alpha: h.Alpha, Orientation: jpegfile.Orientation(bytes.TrimPrefix(h.EXIF, []byte("Exif\x00\x00"))),
		icc: h.ICC, memory: h.Memory(), own: h}
	if h.Alpha {
		i.Channels = 4
	}
	return i, nil
}

// intake leaves dropping alpha of still images to libwebp; canvases of animations always have alpha.
func (webpLane) intake(i Info, s Spec) pixels.Intake {
	in := pixels.Intake{Channels: 3, Gray: s.Color == decode.Gray}
	switch {
	case i.Alpha && s.Alpha == BlendAlpha:
		in.Channels, in.Alpha = 4, kernel.Blend
	case i.Alpha && s.Color == decode.RGBA:
		in.Channels = 4
	case i.Animated:
		in.Channels, in.Alpha = 4, kernel.DropAlpha
	}
	return in
}

func (l webpLane) decode(ctx context.Context, data []byte, i Info, r rows) (progress, error) {
	if i.Animated {
		a, err := l.animate(ctx, data, i)
		if err != nil {
			return progress{}, err
		}
		defer a.close()
		return a.next(ctx, r)
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	h := i.own.(webp.Header)
	o := webp.Options{Channels: r.channels, Accept: r.accept, MaxMemory: r.maxMemory}
	if h.Lossless || r.channels == 4 {
		o.Sink = r.sink.Pointer()
	} else {
		plan := &kernel.PlanesPlan{Rule: kernel.RuleWebP, Width: h.Width, Height: h.Height, SubX: 2, SubY: 2}
		planes, err := kernel.NewPlanes(plan, r.sink.Pointer(), make([]byte, plan.ScratchBytes()))
		if err != nil {
			return progress{}, err
		}
		defer func() { _ = planes.Close() }() // always nil
		o.Planes = planes.Pointer()
	}
	report, err := webp.Decode(c, data, h, o)
	return webpProgress(report), err
}

func webpProgress(r webp.Report) progress {
	done := progress{damaged: r.Damaged, fraction: r.Fraction, warning: r.Warning}
	if done.damaged {
		done.warnings = 1
	}
	return done
}

func (webpLane) animate(_ context.Context, data []byte, i Info) (animation, error) {
	decoder, err := webp.OpenAnimation(data, i.own.(webp.Header), -1) // the limit was checked when the header was read
	if err != nil {
		return nil, err
	}
	return &webpAnimation{decoder: decoder}, nil
}

// webpAnimation is an open animation.
type webpAnimation struct{ decoder *webp.Animation }

func (f *webpAnimation) next(ctx context.Context, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	o := webp.Options{MaxMemory: r.maxMemory}
	if r.sink != nil {
		o.Sink = r.sink.Pointer()
	}
	report, err := f.decoder.Next(c, o)
	return webpProgress(report), err
}

func (f *webpAnimation) close() { _ = f.decoder.Close() } // always nil
