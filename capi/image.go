package main

/*
#include "spool.h"
*/
import "C"

import (
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// spool_image_spec is the options and the decoder for images.
type spool_image_spec struct {
	*decoder
	settings.DecodeImage
	augment resize.Augment
	ops     augment.Ops
}

// Close releases the decoder.
func (s *spool_image_spec) Close() error { return s.release() }

// newImageSpec parses the options for images.
func newImageSpec(json *C.char) (*spool_image_spec, error) {
	var s spool_image_spec
	if err := readOptions(json, func(set *settings.Set) func() {
		set.Augment(&s.Spec.Resize, &s.augment, &s.ops)
		judge := set.DecodeImage(&s.DecodeImage)
		return func() {
			if len(s.ops) > 0 {
				s.Spec.Adjust = s.ops.Steps(order.Draw{})
			}
			judge()
			set.Check(s.ops.Validate())
			set.Check(s.augment.Validate(s.Spec.Resize))
		}
	}); err != nil {
		return nil, err
	}
	var err error
	s.decoder, err = library.decoder(decoderKey{s.Options, s.Stores})
	return &s, err
}

// drawn returns the spec with the random choices for an image.
func (s *spool_image_spec) drawn(seed, epoch, id uint64) image.Spec {
	spec, by := s.Spec, order.Draw{Seed: seed, Epoch: epoch, ID: id}
	if s.augment != (resize.Augment{}) {
		spec.Draw = s.augment.Drawing(s.Spec.Resize, by)
	}
	spec.Adjust = s.ops.Steps(by)
	return spec
}

// image decodes an image into a new buffer.
func (s *spool_image_spec) image(ctx context.Context, o spool.Object) (*spool.Buffer, image.Report, error) {
	if s.All {
		return s.Images.DecodeFrames(ctx, o, s.drawn(0, 0, 0), 0)
	}
	return s.Images.Decode(ctx, o, s.drawn(0, 0, 0))
}

// into decodes an image into the caller's memory.
func (s *spool_image_spec) into(ctx context.Context, o spool.Object, out []byte) (image.Report, error) {
	if s.All {
		return s.Images.DecodeFramesInto(ctx, o, out, s.drawn(0, 0, 0), 0)
	}
	return s.Images.DecodeInto(ctx, o, out, s.drawn(0, 0, 0))
}

// setReport copies a report to C, unless to is NULL.
func setReport(to *C.spool_image_report, r image.Report) {
	if to == nil {
		return
	}
	i := r.Info
	*to = C.spool_image_report{width: C.int32_t(i.Width), height: C.int32_t(i.Height), channels: C.int32_t(i.Channels),
		bits:   C.int32_t(i.Bits),
		frames: C.int32_t(i.Frames), orientation: C.int32_t(i.Orientation), damaged: cBool(r.Damaged),
		warnings: C.int32_t(min(r.Warnings, math.MaxInt32)),
		fraction: C.double(r.Fraction), region: regionOf(r), ndim: C.int32_t(len(r.Desc.Shape))}
	for i, n := range r.Desc.Shape {
		to.shape[i] = C.int64_t(n)
	}
}

func regionOf(r image.Report) C.spool_region {
	return C.spool_region{left: C.double(r.Region.Left), top: C.double(r.Region.Top), width: C.double(r.Region.Width),
		height: C.double(r.Region.Height),
		flip_x: cBool(r.FlipX), flip_y: cBool(r.FlipY)}
}

func cBool(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}

// cBytes returns C memory that is borrowed for a call.
func cBytes(p unsafe.Pointer, size C.size_t) ([]byte, error) {
	if p == nil && size > 0 || size > math.MaxInt {
		return nil, fmt.Errorf("%w: %d bytes at %p", spool.ErrOptions, size, p)
	}
	return unsafe.Slice((*byte)(p), int(size)), nil
}

//export goImageSpecNew
func goImageSpecNew(json *C.char, spec *C.uintptr_t, e *C.spool_error) C.int32_t {
	return guard(e, "options", func() error {
		s, err := newImageSpec(json)
		if err == nil {
			*spec = register(s)
		}
		return err
	})
}

//export goImageSpecRelease
func goImageSpecRelease(spec C.uintptr_t) {
	guard(nil, "release", func() error { return release[*spool_image_spec](spec) })
}

//export goImageSpecDescribe
func goImageSpecDescribe(spec C.uintptr_t, view *C.spool_array_view, e *C.spool_error) C.int32_t {
	return guard(e, "describe", func() error {
		return use(spec, func(_ context.Context, s *spool_image_spec) error {
			d, fixed := s.Spec.Sample()
			if !fixed || s.All {
				d = spool.Desc{DType: s.Spec.DType}
			}
			return describe(view, d)
		})
	})
}

//export goDecodeImage
func goDecodeImage(spec C.uintptr_t, source *C.spool_source, cancel C.uintptr_t, array **C.spool_array,
	report *C.spool_image_report, e *C.spool_error) C.int32_t {
	return guard(e, "decode", func() error {
		return decodeImage(spec, source, cancel, func(ctx context.Context, s *spool_image_spec, o spool.Object) error {
			b, r, err := s.image(ctx, o)
			if err != nil {
				return err
			}
			setReport(report, r)
			*array, err = bufferArray(b)
			return err
		})
	})
}

//export goDecodeImageInto
func goDecodeImageInto(spec C.uintptr_t, source *C.spool_source, cancel C.uintptr_t, out unsafe.Pointer, size C.size_t,
	report *C.spool_image_report, e *C.spool_error) C.int32_t {
	return guard(e, "decode", func() error {
		return decodeImage(spec, source, cancel, func(ctx context.Context, s *spool_image_spec, o spool.Object) error {
			room, err := cBytes(out, size)
			if err != nil {
				return err
			}
			r, err := s.into(ctx, o, room)
			if err == nil {
				setReport(report, r)
			}
			return err
		})
	})
}

// decodeImage calls do with the object of a source.
func decodeImage(spec C.uintptr_t, source *C.spool_source, cancel C.uintptr_t,
	do func(context.Context, *spool_image_spec, spool.Object) error) error {
	in, err := inputOf(source)
	if err != nil {
		return err
	}
	return use(spec, func(ctx context.Context, s *spool_image_spec) error {
		return withCancel(ctx, cancel, func(ctx context.Context) error {
			return in.named(do(ctx, s, in.object(s.decoder.stores)))
		})
	})
}
