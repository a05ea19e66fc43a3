package image

import (
	"bytes"
	"context"
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/decode/internal/tiff"
)

// vipsLane decodes with libvips the formats without another lane: pages of TIFF and PDF, the images of a HEIC file,
// JPEG XL, and formats that must be allowed.
type vipsLane struct{}

// vipsImage is what the lane keeps of an image.
type vipsImage struct {
	vips.Header
	levels     []tiff.Level
	associated bool // for TIFF: colors are premultiplied with alpha
}

func (vipsLane) String() string { return "vips" }

func (vipsLane) header(ctx context.Context, data []byte, f format.Format, frame int) (Info, error) {
	if f == format.EXR && truncated(f, data) { // libvips 8.14 leaks 80 bytes for each file that it cannot open
		return Info{}, endsEarly()
	}
	if f == format.TIFF {
		if err := tiff.Refuse(data, frame); err != nil {
			return Info{}, err
		}
	}
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return Info{}, err
	}
	defer c.Leave()
	h, err := vips.ReadHeader(c, vipsFormat(f), data, frame)
	if err != nil {
		return Info{}, vipsError(err, f, data, frame)
	}
	own := vipsImage{Header: h}
	if f == format.TIFF {
		own.levels = tiff.Levels(data, frame)
		_, extra := tiff.Associated(data, frame)
		own.associated = (h.Bits == 8 || h.Bits == 16) && extra != nil
	}
	i := Info{Format: f, Frames: h.Pages, Width: h.Width, Height: h.Height, Channels: h.Channels(), Bits: h.Bits,
		Alpha:       h.Alpha,
		Orientation: h.Orientation, inks: h.Color == vips.CMYK, icc: h.ICC, memory: h.Memory(), own: own}
	if own.associated {
		i.memory += int64(len(data)) // a copy: see decode
	}
	return i, nil
}

// intake leaves dropping alpha to libvips, which repeats gray where alpha is kept.
func (vipsLane) intake(i Info, s Spec) pixels.Intake {
	return s.intake(i, i.own.(vipsImage).Color == vips.Gray)
}

// shrink chooses a lower resolution of a TIFF file that is at least 1.5 times the requested size. The result is then
// within the bounds of resize.Fast if the levels are averages of pixels, as most writers make them. No tag states this:
// levels that skip pixels give a result with the same defects.
func (vipsLane) shrink(i Info, _ Spec, width, height int) Info {
	own := i.own.(vipsImage)
	for _, level := range own.levels {
		if 2*level.Width < 3*width || 2*level.Height < 3*height {
			break
		}
		own.Page, own.SubIFD, own.Width, own.Height = level.Page, level.SubIFD, level.Width, level.Height
	}
	i.Width, i.Height, i.memory, i.own = own.Width, own.Height, own.Memory(), own
	return i
}

func (vipsLane) decode(ctx context.Context, data []byte, i Info, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	h := i.own.(vipsImage).Header
	o := vips.Options{Channels: r.channels, Bits: r.bits, Inks: r.inks, Sink: r.sink.Pointer(), MaxMemory: r.maxMemory}
	if r.inks {
		o.Channels = 4
	}
	if own := i.own.(vipsImage); own.associated && r.bits == 8 && h.SubIFD == 0 {
		// libvips divides with floats, and 16 bits before it reduces them. Pillow divides bytes. So libvips gets a copy
		// that declares no premultiplication.
		data, o.Premultiplied = bytes.Clone(data), true
		tiff.Unassociate(data, h.Page)
	}
	report, err := vips.Decode(c, data, h, o)
	if err == nil && i.Format == format.TIFF && report.Warnings > 0 && tiff.Truncated(data, h.Page) {
		err = endsEarly() // libtiff continues without a palette that is beyond the end
	}
	read := report.Rows
	if first, _ := r.sink.Wanted(); read > 0 {
		read += first // the rows above were decoded as well
	}
	done, err := settle(vipsError(err, i.Format, data, h.Page), float64(read)/float64(i.Height), r.accept)
	done.warnings += report.Warnings
	return done, err
}

// vipsError gives a class to an error of libvips. libvips does not distinguish the causes, but the file's structure
// may: it extends beyond the end, or names a coding that has no decoder.
func vipsError(err error, f format.Format, data []byte, page int) error {
	if spool.ClassOf(err) != spool.ErrCorrupt {
		return err
	}
	if f == format.TIFF && tiff.Truncated(data, page) || truncated(f, data) {
		return endsEarly()
	}
	e, _ := errors.AsType[*spool.Error](err)
	if odd := tiff.Undecodable(data, page); f == format.TIFF && odd != "" {
		return &spool.Error{Op: "decode", Class: spool.ErrUnsupported, Lib: e.Lib, Text: odd + ": " + e.Text}
	}
	if f == 0 {
		return &spool.Error{Op: "decode", Class: spool.ErrNotMedia, Lib: e.Lib, Text: e.Text}
	}
	return err
}

func endsEarly() error {
	return &spool.Error{Op: "decode", Class: spool.ErrTruncated, Lib: "libvips",
		Text: "the file ends before its content does"}
}

// vipsFormat is the loader for a format: ImageMagick's for formats without another.
func vipsFormat(f format.Format) vips.Format {
	switch f {
	case format.TIFF:
		return vips.TIFF
	case format.HEIC:
		return vips.HEIF
	case format.JXL:
		return vips.JXL
	case format.SVG:
		return vips.SVG
	case format.EXR:
		return vips.EXR
	case format.HDR:
		return vips.HDR
	case format.PDF:
		return vips.PDF
	}
	return vips.Magick
}
