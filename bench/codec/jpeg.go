package codec

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/jpeg"
	"github.com/spoolmedia/spool/cbridge/jpeg/baseline"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
)

// jpegKind returns the kind of a JPEG file. Kinds are decoded by different code, or differ in the time a pixel.
func jpegKind(data []byte, pixels int) string {
	kind := "sequential"
	if h, err := jpeg.ReadHeader(data); err == nil && h.Progressive {
		kind = "progressive"
	}
	if pixels >= 1<<20 {
		return kind + ", large"
	}
	return kind + ", small"
}

// jpegSteps returns the lane with libjpeg-turbo only, and the steps of our own engine for the files that it accepts.
func jpegSteps(size int) (steps []step, closed func() error, err error) {
	d, err := decoders.New(decoders.Options{JPEG: image.JPEGTurbo})
	if err != nil {
		return nil, nil, err
	}
	engine := new(baseline.Engine)
	closed = func() error {
		_ = engine.Close() // never fails
		return d.Close()
	}
	for _, s := range []struct {
		name string
		step baseline.Step
	}{{"own-unstuff", baseline.Unstuff}, {"own-entropy", baseline.Entropy}, {"own-planes", baseline.Samples},
		{"own-upsample", baseline.Upsample}, {"own-convert", baseline.Convert}} {
		steps = append(steps, step{name: s.name, engine: "spool, own (" + baseline.SIMD() + ")",
			run: func(_ context.Context, p *photo, memory []byte) error {
				reason, err := engine.Run(s.step, p.data, memory)
				if err == nil && reason != baseline.Decoded {
					err = errNone
				}
				return err
			}})
	}
	const lane = "spool, jpeg (turbo)"
	whole := step{name: "turbo", engine: lane, pixels: true,
		run: func(ctx context.Context, p *photo, memory []byte) error {
			_, err := d.Images.DecodeInto(ctx, spool.Bytes{Data: p.data}, memory[:3*p.width*p.height], asStored)
			return err
		}}
	return append(steps, whole, into(d, "turbo+exact", lane, resized(size, resize.Exact), fromFile)), closed, nil
}
