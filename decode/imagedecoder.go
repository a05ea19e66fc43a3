package decode

import (
	"context"
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/resize"
)

// ImageDecoderOptions are the settings of an ImageDecoder.
type ImageDecoderOptions struct {
	// JPEG selects the engine for JPEG images.
	JPEG JPEGEngine
}

// Validate reports an unknown engine, as ErrOptions.
func (o ImageDecoderOptions) Validate() error {
	if o.JPEG > JPEGTurbo {
		return fmt.Errorf("%w: there is no %v", spool.ErrOptions, o.JPEG)
	}
	return nil
}

// ImageDecoder decodes images. It is safe for concurrent use.
type ImageDecoder struct {
	limits  Limits
	pixels  *spool.Pool // for results
	files   *spool.Pool // file contents, during a call
	scratch *spool.Pool
	tables  *resize.Tables
	colors  icc.Transforms
	jpeg    jpegEngine
}

// NewImageDecoder makes a decoder of images with the limits and the memory of d. The caller releases it by Close, before d.
func NewImageDecoder(d *Decoder, o ImageDecoderOptions) (*ImageDecoder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &ImageDecoder{limits: d.Limits(), pixels: d.Results(), files: d.Files(), scratch: d.Scratch(), tables: d.Tables(),
		jpeg: jpegEngine{turboOnly: o.JPEG == JPEGTurbo}}, nil
}

// Close frees what the decoder holds. It must not be called during another call.
func (d *ImageDecoder) Close() error { return errors.Join(d.colors.Close(), d.jpeg.engine.Close()) }

// Limits are the limits in force.
func (d *ImageDecoder) Limits() Limits { return d.limits }

// reading calls do with all bytes of an image's file, which are lent to it. Errors name the file.
func (d *ImageDecoder) reading(ctx context.Context, object spool.Object, do func(data []byte) error) error {
	data, buffer, err := readContents(ctx, object, d.limits, d.files)
	if err != nil {
		return named(object, ended(ctx, err))
	}
	if buffer != nil {
		defer buffer.Release()
	}
	return named(object, do(data))
}

// Decode decodes an image into a buffer from the pool, owned by the caller.
//
//	Input:   any object. spool.Bytes are read in place, a spool.Stream is read to its end, and other objects are read into
//	         a buffer of the decoder first.
//	Result:  spec.DType, HWC or CHW according to spec.Layout, [h w c]; rows without gaps; see ImageSpec.
//	Errors:  *spool.Error with ErrEmpty, ErrNotMedia, ErrUnsupported, ErrTruncated, ErrCorrupt,
//	         ErrTooLarge, ErrCanceled or ErrTimeout, and the errors of opening and reading the object. They name the
//	         object. ErrOptions for a spec that is not valid.
//	Cost:    two calls into C; no Go memory in proportion to the image, except the bytes of a Stream.
func (d *ImageDecoder) Decode(ctx context.Context, object spool.Object, spec ImageSpec) (buffer *spool.Buffer, report ImageReport, err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		buffer, report, err = d.image(ctx, data, spec)
		return err
	})
	return buffer, report, err
}

func (d *ImageDecoder) image(ctx context.Context, data []byte, spec ImageSpec) (*spool.Buffer, ImageReport, error) {
	p, err := d.open(ctx, data, spec)
	if err != nil {
		return nil, ImageReport{}, err
	}
	n, _ := p.desc.Bytes()
	buffer, err := d.pixels.GetFor(ctx, n, spool.Pixels)
	if err != nil {
		return nil, ImageReport{}, ended(ctx, err)
	}
	report, err := d.run(ctx, p, buffer.Bytes(), 0)
	if err != nil {
		buffer.Release()
		return nil, ImageReport{}, err
	}
	buffer.SetDesc(p.desc)
	return buffer, report, nil
}

// DecodeInto decodes an image into dst, which must have exactly the size of the result: that of ImageSpec.Sample for a
// spec with a fixed size, else see Decode. It may begin at any memory address. Input, result, errors and cost are
// those of Decode, and ErrShape for a dst of another size. On error the contents of dst are unspecified.
func (d *ImageDecoder) DecodeInto(ctx context.Context, object spool.Object, dst []byte, spec ImageSpec) (report ImageReport, err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		report, err = d.imageInto(ctx, data, dst, spec)
		return err
	})
	return report, err
}

func (d *ImageDecoder) imageInto(ctx context.Context, data, dst []byte, spec ImageSpec) (ImageReport, error) {
	p, err := d.open(ctx, data, spec)
	if err != nil {
		return ImageReport{}, err
	}
	if n, _ := p.desc.Bytes(); n != len(dst) {
		return ImageReport{}, fmt.Errorf("%w: %v takes %d bytes, the destination has %d", spool.ErrShape, p.desc, n, len(dst))
	}
	return d.run(ctx, p, dst, 0)
}

// JPEG counts the JPEG images decoded so far, by engine. It may be called at any time.
func (d *ImageDecoder) JPEG() JPEGCounts { return d.jpeg.counts() }

// Blank fills dst, which has the size of spec.Sample, as if all rows of an image were lost. If the spec has no fixed
// size, the error is ErrOptions.
func (d *ImageDecoder) Blank(ctx context.Context, dst []byte, spec ImageSpec) error {
	w, h, ok := spec.Resize.Size()
	if !ok {
		return fmt.Errorf("%w: a blank image needs a fixed size", spool.ErrOptions)
	}
	p := picture{lane: goLane{}, info: ImageInfo{Width: 1, Height: 1, Channels: 3, Orientation: 1}, spec: spec.ofIndices()}
	var err error
	if p.geometry, err = (resize.Spec{Width: w, Height: h}).Plan(1, 1, d.tables); err != nil {
		return err
	}
	pixels := spec.pixels()
	p.desc = pixels.describe(p.geometry.OutWidth, p.geometry.OutHeight)
	return d.fill(ctx, p, dst)
}

// fill fills dst with the color of an image of which nothing was read.
func (d *ImageDecoder) fill(ctx context.Context, p picture, dst []byte) error {
	plan := p.target().pass(intake{channels: 3, bits: p.spec.Resize.Bits, gray: p.spec.Color == Gray})
	buffer, err := d.scratch.GetFor(ctx, plan.ScratchBytes(), spool.Scratch)
	if err != nil {
		return ended(ctx, err)
	}
	defer buffer.Release()
	return withSink(&plan, dst, buffer.Bytes(), func(sink *kernel.Sink) error { return sink.Fill(p.spec.fill()) })
}
