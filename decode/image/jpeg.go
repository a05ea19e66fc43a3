package image

import (
	"context"
	"sync/atomic"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/jpegfile"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/internal/enum"
)

// jpegLane decodes with our own engine, and falls back to libjpeg-turbo. Both give the pixels of torchvision, Pillow
// and OpenCV. A lane of nil reads headers only.
type jpegLane struct {
	baseline   baseline.Engine
	turboOnly  bool
	own, turbo atomic.Int64 // images, by engine
	left       [baseline.Reasons]atomic.Int64
}

// jpegImage is what the lane keeps of an image.
type jpegImage struct {
	header jpeg.Header
	left   baseline.Reason // why our engine declined the image; Decoded: it did not, or was not asked yet
}

func (*jpegLane) String() string { return "jpeg" }

func (l *jpegLane) close() error { return l.baseline.Close() }

func (l *jpegLane) counts() JPEGCounts {
	c := JPEGCounts{Own: l.own.Load(), Turbo: l.turbo.Load()}
	c.Left = enum.Counts(l.left[:], func(reason int) string { return baseline.Reason(reason).String() })
	return c
}

// count adds the images that a helper has decoded.
func (l *jpegLane) count(reports []Report) {
	for i := range reports {
		switch t := &reports[i].Trace; {
		case t.Lane != l.String():
		case t.Engine == "own":
			l.own.Add(1)
		case t.Engine == "turbo":
			l.turbo.Add(1)
			for reason := range l.left {
				if t.Reason != "" && t.Reason == baseline.Reason(reason).String() {
					l.left[reason].Add(1)
				}
			}
		}
	}
}

// PlainJPEG reports whether a header of ReadHeader is that of a JPEG image stored as gray or YCbCr.
func (i Info) PlainJPEG() bool {
	own, ok := i.own.(*jpegImage)
	return ok && (own.header.Space == jpeg.SpaceGray || own.header.Space == jpeg.SpaceYCbCr)
}

// header always uses libjpeg-turbo: it takes a microsecond, and images that it refuses are refused by either engine.
func (*jpegLane) header(_ context.Context, data []byte, _ format.Format, _ int) (Info, error) {
	h, err := jpeg.ReadHeader(data)
	if err != nil {
		return Info{}, err
	}
	i := Info{Format: format.JPEG, Frames: 1, Width: h.Width, Height: h.Height, Channels: h.Components, Bits: h.Precision,
		own: &jpegImage{header: h}, inks: h.Components == 4}
	exif, profile := jpegfile.Metadata(data)
	i.Orientation, i.icc = jpegfile.Orientation(exif), profile
	if h.Progressive {
		i.memory = int64(i.Width) * int64(i.Height) * int64(i.Channels) * 2 // the library keeps 16-bit coefficients
	}
	return i, nil
}

// intake leaves color conversion to the decoder, where it costs nothing. Only a color profile needs all channels for
// gray.
func (*jpegLane) intake(i Info, s Spec) pixels.Intake {
	if i.Channels == 1 || s.Color == decode.Gray && !s.converts(i) {
		return pixels.Intake{Channels: 1}
	}
	return pixels.Intake{Channels: 3, Gray: s.Color == decode.Gray}
}

func (l *jpegLane) decode(ctx context.Context, data []byte, i Info, r rows) (progress, error) {
	c, err := call.Enter(ctx, 1)
	if err != nil {
		return progress{}, err
	}
	defer c.Leave()
	own := i.own.(*jpegImage)
	if l.turboOnly || own.left != baseline.Decoded {
		return l.byTurbo(c, data, i, r)
	}
	reason, err := l.baseline.Decode(c, data, baseline.Options{Sink: r.sink.Pointer(), Width: i.Width,
		Height: i.Height, Gray: r.channels == 1, MaxMemory: max(r.maxMemory, 1)})
	if err != nil {
		return progress{}, err
	}
	if own.left = reason; reason != baseline.Decoded {
		if err := r.restart(); err != nil {
			return progress{}, err
		}
		return l.byTurbo(c, data, i, r)
	}
	l.own.Add(1)
	return progress{engine: "own", fraction: 1}, nil
}

// byTurbo decodes with libjpeg-turbo.
func (l *jpegLane) byTurbo(c *call.Call, data []byte, i Info, r rows) (progress, error) {
	l.turbo.Add(1)
	o := jpeg.Options{Sink: r.sink.Pointer(), Width: i.Width, Height: i.Height, Accept: r.accept, MaxMemory: r.maxMemory}
	switch {
	case r.inks:
		o.Color = jpeg.Inks
	case r.channels == 1:
		o.Color = jpeg.Gray
	}
	done := progress{engine: "turbo"}
	if own := i.own.(*jpegImage); !l.turboOnly {
		l.left[own.left].Add(1)
		done.reason = own.left.String()
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
