package image

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/avif"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/pixels"
)

// avifLane decodes AVIF with libavif, to the pixels of Pillow. libvips decodes HEIC.
type avifLane struct{}

func (avifLane) String() string { return "avif" }

func (avifLane) header(_ context.Context, data []byte, _ format.Format, _ int) (Info, error) {
	h, err := avif.ReadHeader(data) // takes microseconds, less than to wait for admission
	if err != nil {
		return Info{}, avifTruncated(err, data)
	}
	i := Info{Format: format.AVIF, Frames: h.Frames, Animated: h.Frames > 1, Width: h.Width, Height: h.Height,
		Channels: 3, Bits: h.Bits, Alpha: h.Alpha, Orientation: h.Orientation, icc: h.ICC, memory: h.Memory()}
	if h.Gray {
		i.Channels, i.icc = 1, nil // a gray profile does not fit rows of RGB
	}
	if h.Alpha {
		i.Channels++
	}
	return i, nil
}

// intake requests alpha whenever the image has it: without alpha libavif composes the image over black.
func (avifLane) intake(i Info, s Spec) pixels.Intake {
	in := pixels.Intake{Channels: 3, Bits: s.bits(i), Gray: s.Color == decode.Gray}
	if !i.Alpha {
		return in
	}
	in.Channels = 4
	switch {
	case s.Alpha == BlendAlpha:
		in.Alpha = kernel.Blend
	case s.Color != decode.RGBA:
		in.Alpha = kernel.DropAlpha
	}
	return in
}

func (l avifLane) decode(ctx context.Context, data []byte, i Info, r rows) (progress, error) {
	a, err := l.animate(ctx, data, i)
	if err != nil {
		return progress{}, err
	}
	defer a.close()
	return a.next(ctx, r)
}

func (avifLane) animate(_ context.Context, data []byte, i Info) (animation, error) {
	d, err := avif.Open(data)
	if err != nil {
		return nil, avifTruncated(err, data)
	}
	return &avifAnimation{decoder: d, data: data, info: i}, nil
}

// avifAnimation is a still image or a sequence. libavif seeks to a frame by itself. It decodes a skipped frame only if
// a later frame depends on it.
type avifAnimation struct {
	decoder *avif.Decoder
	data    []byte
	info    Info
	frame   int
}

func (a *avifAnimation) next(ctx context.Context, r rows) (progress, error) {
	frame := a.frame
	a.frame++
	if r.sink == nil {
		return progress{fraction: 1}, nil
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	const bytesPerPixel = 8 // about the most that an image needs
	err = a.decoder.Decode(c, frame, avif.Options{Sink: r.sink.Pointer(), Width: a.info.Width, Height: a.info.Height,
		Wide: r.bits == 16, MaxPixels: r.maxMemory / bytesPerPixel})
	return settle(avifTruncated(err, a.data), 0, r.accept)
}

func (a *avifAnimation) close() { _ = a.decoder.Close() } // always nil

// avifTruncated turns a corrupt file into a truncated one if its structure announces more data than it has: libavif
// does not always distinguish them.
func avifTruncated(err error, data []byte) error {
	if spool.ClassOf(err) != spool.ErrCorrupt || !truncated(format.AVIF, data) {
		return err
	}
	return &spool.Error{Op: "decode", Class: spool.ErrTruncated, Lib: "libavif",
		Text: "the file ends before its content does"}
}
