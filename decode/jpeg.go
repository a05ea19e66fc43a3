package decode

import (
	"context"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
)

// jpegLane decodes with libjpeg-turbo: the same pixels as torchvision, Pillow and OpenCV.
type jpegLane struct{}

func (jpegLane) String() string { return "jpeg" }

func (jpegLane) header(_ context.Context, data []byte, _ Format, _ int) (ImageInfo, error) {
	h, err := jpeg.ReadHeader(data) // microseconds: not worth waiting for admission
	if err != nil {
		return ImageInfo{}, err
	}
	i := ImageInfo{Format: JPEG, Frames: 1, Width: h.Width, Height: h.Height, Channels: h.Components, Bits: h.Precision,
		Orientation: orientation(jpegExif(data))}
	if h.Progressive {
		i.memory = int64(i.Width) * int64(i.Height) * int64(i.Channels) * 2 // the library keeps 16-bit coefficients
	}
	i.inks, i.icc = h.Components == 4, jpegICC(data)
	return i, nil
}

// intake leaves all conversion to the library: it is free there. Only a profile needs the colours.
func (jpegLane) intake(i ImageInfo, s ImageSpec) intake {
	if i.Channels == 1 || s.Color == Gray && !s.converts(i) {
		return intake{channels: 1}
	}
	return intake{channels: 3, gray: s.Color == Gray}
}

func (jpegLane) decode(ctx context.Context, data []byte, i ImageInfo, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	o := jpeg.Options{Sink: r.sink.Pointer(), Width: i.Width, Height: i.Height, Accept: r.accept, MaxMemory: r.maxMemory}
	switch {
	case r.inks:
		o.Color = jpeg.Inks
	case r.channels == 1:
		o.Color = jpeg.Gray
	}
	report, err := jpeg.Decode(c, data, o)
	if err != nil {
		return progress{}, err
	}
	done := progress{engine: "turbo", damaged: report.Truncated, fraction: report.Fraction, warnings: report.Warnings, warning: report.Warning}
	if done.damaged && done.warnings == 0 {
		done.warnings, done.warning = 1, "the data end too early"
	}
	return done, nil
}
