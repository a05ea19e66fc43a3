package decode

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/vips"
)

// vipsLane decodes with libvips what has no lane of its own.
type vipsLane struct{}

func (vipsLane) String() string { return "vips" }

func (vipsLane) header(ctx context.Context, data []byte, f Format, frame int) (ImageInfo, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return ImageInfo{}, err
	}
	defer c.Leave()
	h, err := vips.ReadHeader(c, vipsFormat(f), data, frame)
	if err != nil {
		return ImageInfo{}, cut(err, f, data)
	}
	return ImageInfo{Format: f, Frames: h.Pages, Width: h.Width, Height: h.Height, Channels: h.Channels(), Bits: h.Bits, Alpha: h.Alpha,
		Orientation: h.Orientation, memory: h.Memory(), own: h}, nil
}

// intake lets libvips drop alpha; it repeats gray where alpha is kept.
func (vipsLane) intake(i ImageInfo, s ImageSpec) intake {
	switch {
	case i.Alpha && s.Alpha == BlendAlpha:
		return intake{channels: 4, alpha: kernel.Blend, gray: s.Color == Gray}
	case i.Alpha && s.Color == RGBA:
		return intake{channels: 4}
	case i.own.(vips.Header).Color == vips.Gray:
		return intake{channels: 1}
	}
	return intake{channels: 3, gray: s.Color == Gray}
}

func (vipsLane) decode(ctx context.Context, data []byte, i ImageInfo, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	report, err := vips.Decode(c, data, i.own.(vips.Header), vips.Options{Channels: r.channels, Sink: r.sink.Pointer(), MaxMemory: r.maxMemory})
	if err == nil && i.Format == TIFF && report.Warnings > 0 && truncated(TIFF, data) {
		err = endsEarly() // libtiff makes do without a palette that lies behind the end
	}
	read := report.Rows
	if first, _ := r.sink.Wanted(); read > 0 {
		read += first // the rows above were decoded, too
	}
	done, err := settle(cut(err, i.Format, data), float64(read)/float64(i.Height), r.accept)
	done.warnings += report.Warnings
	return done, err
}

// cut makes a corrupt file a truncated one when its own structure says that it goes on: libvips does
// not tell the two apart.
func cut(err error, f Format, data []byte) error {
	if spool.ClassOf(err) != spool.ErrCorrupt || !truncated(f, data) {
		return err
	}
	return endsEarly()
}

func endsEarly() error {
	return &spool.Error{Op: "decode", Class: spool.ErrTruncated, Lib: "libvips", Text: "the file ends before its content does"}
}

func vipsFormat(f Format) vips.Format {
	switch f {
	case PNG:
		return vips.PNG
	case GIF:
		return vips.GIF
	case TIFF:
		return vips.TIFF
	case JP2:
		return vips.JP2
	case JXL:
		return vips.JXL
	}
	return vips.HEIF
}
