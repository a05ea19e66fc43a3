package image

import (
	"context"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/jpegfile"
	"github.com/spoolmedia/spool/decode/internal/pixels"
)

// jpegLane decodes with our own engine, and falls back to libjpeg-turbo. Both give the pixels of torchvision, Pillow
// and OpenCV.
type jpegLane struct{}

func (jpegLane) String() string { return "jpeg" }

// header always uses libjpeg-turbo: it takes a microsecond, and images that it refuses are refused by either engine.
func (jpegLane) header(_ context.Context, data []byte, _ format.Format, _ int) (Info, error) {
	h, err := jpeg.ReadHeader(data)
	if err != nil {
		return Info{}, err
	}
	i := Info{Format: format.JPEG, Frames: 1, Width: h.Width, Height: h.Height, Channels: h.Components, Bits: h.Precision,
		Orientation: jpegfile.Orientation(jpegfile.Exif(data))}
	if h.Progressive {
		i.memory = int64(i.Width) * int64(i.Height) * int64(i.Channels) * 2 // the library keeps 16-bit coefficients
	}
	i.inks, i.icc, i.own = h.Components == 4, jpegICC(data), h.Space
	return i, nil
}

// intake leaves color conversion to the decoder, where it costs nothing. Only a color profile needs all channels for
// gray.
func (jpegLane) intake(i Info, s Spec) pixels.Intake {
	if i.Channels == 1 || s.Color == decode.Gray && !s.converts(i) {
		return pixels.Intake{Channels: 1}
	}
	return pixels.Intake{Channels: 3, Gray: s.Color == decode.Gray}
}

func (l jpegLane) decode(ctx context.Context, data []byte, i Info, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	if r.jpeg.turboOnly || i.left != baseline.Decoded {
		return l.turbo(c, data, i, r)
	}
	reason, err := r.jpeg.engine.Decode(c, data, baseline.Options{Sink: r.sink.Pointer(), Width: i.Width, Height: i.Height,
		Gray: r.channels == 1, MaxMemory: max(r.maxMemory, 1)})
	if err != nil || reason != baseline.Decoded {
		return progress{left: reason}, err
	}
	r.jpeg.own.Add(1)
	return progress{engine: "own", fraction: 1}, nil
}

// turbo decodes with libjpeg-turbo.
func (jpegLane) turbo(c *call.Call, data []byte, i Info, r rows) (progress, error) {
	r.jpeg.turbo.Add(1)
	o := jpeg.Options{Sink: r.sink.Pointer(), Width: i.Width, Height: i.Height, Accept: r.accept, MaxMemory: r.maxMemory}
	switch {
	case r.inks:
		o.Color = jpeg.Inks
	case r.channels == 1:
		o.Color = jpeg.Gray
	}
	done := progress{engine: "turbo"}
	if !r.jpeg.turboOnly {
		r.jpeg.left[i.left].Add(1)
		done.reason = i.left.String()
	}
	report, err := jpeg.Decode(c, data, o)
	if err != nil {
		return progress{}, err
	}
	done.damaged, done.fraction = report.Truncated, report.Fraction
	done.warnings, done.warning = report.Warnings, report.Warning
	if done.damaged && done.warnings == 0 {
		done.warnings, done.warning = 1, "the data end too early"
	}
	return done, nil
}
