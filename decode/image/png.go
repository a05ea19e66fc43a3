package image

import (
	"context"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/png"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/jpegfile"
	"github.com/spoolmedia/spool/decode/internal/pixels"
)

// pngLane decodes with libdeflate and SIMD filters, and falls back to libpng for unusual files. Both give the pixels of
// torchvision and Pillow.
type pngLane struct{}

func (pngLane) String() string { return "png" }

func (pngLane) header(_ context.Context, data []byte, _ format.Format, _ int) (Info, error) {
	h, err := png.ReadHeader(data) // microseconds: admission would cost more
	if err != nil {
		return Info{}, err
	}
	i := Info{Format: format.PNG, Frames: h.Frames, Animated: h.Animated, Width: h.Width, Height: h.Height,
		Channels: h.Channels(),
		Bits:     max(h.Bits, 8), Alpha: h.Alpha(), Orientation: jpegfile.Orientation(h.EXIF), icc: h.Profile(),
		memory: h.Memory()}
	if h.Animated {
		i.Bits = 8 // the canvas's depth
		i.memory += h.CanvasMemory()
	}
	return i, nil
}

// intake leaves dropping alpha to the lane. 16-bit samples are kept for results that can hold them.
func (pngLane) intake(i Info, s Spec) pixels.Intake { return s.intake(i, i.Channels <= 2) }

func (pngLane) decode(ctx context.Context, data []byte, i Info, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	report, err := png.Decode(c, data, pngOptions(i, r))
	return pngProgress(report), err
}

func pngOptions(i Info, r rows) png.Options {
	o := png.Options{Accept: r.accept, MaxMemory: r.maxMemory}
	if r.sink != nil {
		o.Sink, o.Width, o.Height, o.Channels, o.Bits = r.sink.Pointer(), i.Width, i.Height, r.channels, r.bits
	}
	return o
}

func pngProgress(r png.Report) progress {
	done := progress{engine: "own", damaged: r.Damaged, fraction: r.Fraction, warnings: r.Warnings, warning: r.Warning}
	if r.Libpng {
		done.engine = "libpng"
	}
	if r.Damaged {
		done.warnings++
		done.warning = r.Damage
	}
	return done
}

func (pngLane) animate(_ context.Context, data []byte, i Info) (animation, error) {
	decoder, err := png.OpenAnimation(data, i.memory)
	if err != nil {
		return nil, err
	}
	return pngAnimation{decoder, i}, nil
}

// pngAnimation is an open animation.
type pngAnimation struct {
	decoder *png.Animation
	info    Info
}

func (f pngAnimation) next(ctx context.Context, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	report, err := f.decoder.Next(c, pngOptions(f.info, r))
	return pngProgress(report), err
}

func (f pngAnimation) close() { _ = f.decoder.Close() } // never fails
