package image

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jp2"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/pixels"
)

// jp2Lane decodes JPEG 2000 with libopenjp2, to the pixels of Pillow. resize.Fast does not use the lower resolutions in
// a file: their low-pass filter shifts the image by half a pixel, which changed pixels by up to 5.3 levels on average.
type jp2Lane struct{}

func (jp2Lane) String() string { return "jp2" }

func (jp2Lane) header(_ context.Context, data []byte, _ format.Format, _ int) (Info, error) {
	h, err := jp2.ReadHeader(data) // Go code, so no admission is needed
	if err != nil {
		return Info{}, jp2Cut(err, data)
	}
	return Info{Format: format.JP2, Frames: 1, Width: h.Width, Height: h.Height, Channels: h.Channels(), Bits: h.Bits,
		Alpha:       h.Alpha,
		Orientation: 1, inks: h.Color == jp2.CMYK, icc: h.ICC, memory: h.Memory(), own: h}, nil
}

// intake leaves dropping alpha and repeating gray to the decoder.
func (jp2Lane) intake(i Info, s Spec) pixels.Intake {
	return s.intake(i, i.own.(jp2.Header).Color == jp2.Gray)
}

func (jp2Lane) decode(ctx context.Context, data []byte, i Info, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	o := jp2.Options{Sink: r.sink.Pointer(), Channels: r.channels, Wide: r.bits == 16, Inks: r.inks, Partial: r.accept > 0,
		MaxMemory: r.maxMemory}
	if r.inks {
		o.Channels = 4
	}
	report, err := jp2.Decode(c, i.own.(jp2.Header), o)
	read := report.Rows
	if first, _ := r.sink.Wanted(); read > 0 {
		read += first // the rows above were decoded or skipped
	}
	return settle(jp2Cut(err, data), float64(read)/float64(i.Height), r.accept)
}

// jp2Cut turns an error for a corrupt file into one for a truncated file where the file's boxes extend beyond its end.
// libopenjp2 does not distinguish the two.
func jp2Cut(err error, data []byte) error {
	if spool.ClassOf(err) != spool.ErrCorrupt || !truncated(format.JP2, data) {
		return err
	}
	return &spool.Error{Op: "decode", Class: spool.ErrTruncated, Lib: "libopenjp2",
		Text: "the file ends before its content does"}
}
