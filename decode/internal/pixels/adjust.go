package pixels

import (
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/cbridge/imageops"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/internal/invalid"
)

// Plain returns the spec of the pixels that steps change: the resized bytes, interleaved, RGB or gray.
func (s Spec) Plain() Spec {
	s.DType, s.Mean, s.Std, s.Layout = spool.Uint8, nil, nil, spool.HWC
	if s.Color == decode.BGR {
		s.Color = decode.RGB
	}
	return s
}

// ValidateAdjust adds a color that steps cannot change.
func ValidateAdjust(bad *invalid.Options, c decode.Color) {
	if c == decode.RGBA || c == decode.Index {
		bad.Excludes(invalid.Named("Adjust"), invalid.With("Color", c), "it changes colors; take rgb, bgr or gray")
	}
}

// Adjust is the steps that change the pixels of a result, and the conversion to the result's type and layout.
type Adjust struct {
	steps   []augment.Step
	raster  imageops.Raster // without pixels
	convert *kernel.Prepared
	image   int // bytes of the image in scratch memory; 0 if it is the result
	work    int // bytes of scratch memory for steps or for the conversion
}

// NewAdjust prepares steps for results of a size. The pixels come as s.Plain.
func NewAdjust(s Spec, steps []augment.Step, width, height int) (*Adjust, error) {
	plain := s.Plain()
	channels := plain.Color.Channels()
	if plain.Color == decode.Gray {
		steps = gray(steps)
	}
	a := &Adjust{steps: steps, raster: imageops.Raster{Width: width, Height: height, Channels: channels},
		work: imageops.ScratchBytes(steps, width, height, channels)}
	if s.DType == spool.Uint8 && s.Layout != spool.CHW && s.Color == plain.Color {
		return a, nil
	}
	layout := s.Layout
	if layout == spool.Flat {
		layout = spool.HWC
	}
	whole := func(n int) kernel.Axis { return kernel.Axis{In: n, Out: n} }
	plan := kernel.Plan{Width: width, Height: height, Channels: channels, Bits: 8, Right: width, H: whole(width),
		V: whole(height), CanvasWidth: width, CanvasHeight: height, OutChannels: s.Color.Channels(),
		Swap: s.Color == decode.BGR, DType: s.DType, Layout: layout, Mean: s.Mean, Std: s.Std}
	var err error
	if a.convert, err = plan.Prepare(); err != nil {
		return nil, err
	}
	a.image = (width*height*channels + alignment - 1) / alignment * alignment
	a.work = max(a.work, a.convert.ScratchBytes())
	return a, nil
}

// alignment of the parts of scratch memory.
const alignment = 64

// ScratchBytes is the size of the scratch memory. It is 0 for nil.
func (a *Adjust) ScratchBytes() int {
	if a == nil {
		return 0
	}
	return a.image + a.work
}

// Pixels returns the memory that takes the pixels before Run: dst itself, as for nil, or a part of scratch.
func (a *Adjust) Pixels(dst, scratch []byte) []byte {
	if a == nil || a.convert == nil {
		return dst
	}
	return scratch[:a.raster.Width*a.raster.Height*a.raster.Channels]
}

// Run applies the steps to the pixels in Pixels, and writes the result to dst.
func (a *Adjust) Run(dst, scratch []byte) error {
	r := a.raster
	r.Pixels = a.Pixels(dst, scratch)
	work := scratch[a.image:]
	if err := r.Apply(a.steps, work); err != nil || a.convert == nil {
		return err
	}
	return WithSink(a.convert, dst, work, func(sink *kernel.Sink) error {
		_, err := sink.Push(r.Pixels, r.Width*r.Channels, r.Height)
		return err
	})
}

// gray returns steps for gray images, whose colors have their luma.
func gray(steps []augment.Step) []augment.Step {
	steps = slices.Clone(steps)
	for i := range steps {
		steps[i].Color[0], steps[i].Noise[0] = luma(steps[i].Color), luma(steps[i].Noise)
	}
	return steps
}

// luma is the gray of a color, by Pillow's rule, like the kernels.
func luma(c [3]uint8) uint8 {
	return uint8((19595*uint32(c[0]) + 38470*uint32(c[1]) + 7471*uint32(c[2]) + 1<<15) >> 16)
}
