package image

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/contents"
	"github.com/spoolmedia/spool/decode/internal/failure"
	"github.com/spoolmedia/spool/decode/internal/limit"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/internal/helper"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/internal/memo"
	"github.com/spoolmedia/spool/resize"
)

// Options are the settings of a Decoder.
type Options struct {
	// JPEG selects the engine for JPEG images.
	JPEG JPEGEngine
}

// Validate reports an unknown engine, as ErrOptions.
func (o Options) Validate() error {
	var bad invalid.Options
	if o.JPEG > JPEGTurbo {
		bad.Value("JPEG", uint8(o.JPEG), "no such engine")
	}
	return bad.Err()
}

// Decoder decodes images. It is safe for concurrent use.
type Decoder struct {
	isolate decode.Isolate
	helpers *helper.Pool
	alone   atomic.Bool // no helper could be started
	limits  decode.Limits
	pixels  *spool.Pool // for results
	files   *spool.Pool // file contents, during a call
	scratch *spool.Pool
	tables  *resize.Tables
	colors  icc.Transforms
	jpeg    *jpegLane
	passes  *memo.Cache[passKey, pass]
}

// New makes a decoder of images with the limits and the memory of d. The caller releases it by Close, before d.
func New(d *decode.Decoder, o Options) (*Decoder, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Decoder{isolate: d.Isolate(), helpers: helper.Of(d), limits: d.Limits(), pixels: d.Results(),
		files: d.Files(), scratch: d.Scratch(), tables: d.Tables(),
		jpeg: &jpegLane{turboOnly: o.JPEG == JPEGTurbo}, passes: newPasses()}, nil
}

// Close frees what the decoder holds. It must not be called during another call.
func (d *Decoder) Close() error { return errors.Join(d.colors.Close(), d.jpeg.close()) }

// Limits are the limits in force.
func (d *Decoder) Limits() decode.Limits { return d.limits }

// reading calls do with all bytes of an image's file, which are lent to it. Errors name the file.
func (d *Decoder) reading(ctx context.Context, object spool.Object, do func(data []byte) error) error {
	data, buffer, err := contents.Read(ctx, object, d.limits, d.files)
	if err != nil {
		return contents.Named(object, failure.Ended(ctx, err))
	}
	if buffer != nil {
		defer buffer.Release()
	}
	return contents.Named(object, do(data))
}

// Decode decodes an image into a buffer from the pool, owned by the caller.
//
//	Input:   any object. spool.Bytes are read in place, a spool.Stream is read to its end, and other objects are read into
//	         a buffer of the decoder first.
//	Result:  spec.DType, HWC or CHW according to spec.Layout, [h w c]; rows without gaps; see Spec.
//	Errors:  *spool.Error with ErrEmpty, ErrNotMedia, ErrUnsupported, ErrTruncated, ErrCorrupt,
//	         ErrTooLarge, ErrCanceled or ErrTimeout, and the errors of opening and reading the object. They name the
//	         object. ErrOptions for a spec that is not valid.
//	Cost:    three calls into C for a JPEG image; no Go memory in proportion to the image, except the bytes of a Stream.
func (d *Decoder) Decode(ctx context.Context, object spool.Object, spec Spec) (buffer *spool.Buffer, report Report,
	err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		if spec.Crops == resize.OneCrop && d.isolated(ctx, data, spec.Allow) {
			buffer, report, err = d.imageInHelper(ctx, opImage, 1, data, spec)
		} else {
			buffer, report, err = d.image(ctx, data, spec)
		}
		return err
	})
	return buffer, report, err
}

func (d *Decoder) image(ctx context.Context, data []byte, spec Spec) (*spool.Buffer, Report, error) {
	if spec.Crops != resize.OneCrop {
		return d.crops(ctx, data, spec)
	}
	p, err := d.open(ctx, data, spec)
	if err != nil {
		return nil, Report{}, err
	}
	n, _ := p.desc.Bytes()
	buffer, err := d.pixels.GetFor(ctx, n, spool.Pixels)
	if err != nil {
		return nil, Report{}, failure.Ended(ctx, err)
	}
	report, err := d.run(ctx, p, buffer.Bytes(), 0)
	if err != nil {
		buffer.Release()
		return nil, Report{}, err
	}
	buffer.SetDesc(p.desc)
	return buffer, report, nil
}

// crops decodes the crops of an image into a buffer.
func (d *Decoder) crops(ctx context.Context, data []byte, spec Spec) (*spool.Buffer, Report, error) {
	if err := spec.Validate(); err != nil {
		return nil, Report{}, err
	}
	desc, _ := spec.Sample() // the crops fix the size
	n, ok := desc.Bytes()
	if !ok || int64(n) > d.limits.MaxMemory {
		return nil, Report{}, limit.Exceeded("a result of %v, the limit is %d bytes", desc, d.limits.MaxMemory)
	}
	buffer, err := d.pixels.GetFor(ctx, n, spool.Pixels)
	if err != nil {
		return nil, Report{}, failure.Ended(ctx, err)
	}
	var report Report
	if err := d.oneView(ctx, data, View{spec, buffer.Bytes()}, &report); err != nil {
		buffer.Release()
		return nil, Report{}, err
	}
	buffer.SetDesc(desc)
	return buffer, report, nil
}

// DecodeInto decodes an image into dst, which must have exactly the size of the result: that of Spec.Sample for a
// spec with a fixed size, else see Decode. It may begin at any memory address. Input, result, errors and cost are
// those of Decode, and ErrShape for a dst of another size. On error the contents of dst are unspecified.
func (d *Decoder) DecodeInto(ctx context.Context, object spool.Object, dst []byte, spec Spec) (report Report,
	err error) {
	err = d.reading(ctx, object, func(data []byte) error { return d.oneView(ctx, data, View{spec, dst}, &report) })
	return report, err
}

// oneView decodes one view, in this process or in a helper.
func (d *Decoder) oneView(ctx context.Context, data []byte, v View, report *Report) error {
	if !d.isolated(ctx, data, v.Spec.Allow) {
		return d.into(ctx, data, v, report)
	}
	reports, err := d.viewsInHelper(ctx, data, []View{v})
	if err == nil {
		*report = reports[0]
	}
	return err
}

// JPEG counts the JPEG images decoded so far, by engine. It may be called at any time.
func (d *Decoder) JPEG() JPEGCounts { return d.jpeg.counts() }

// Blank fills dst, which has the size of spec.Sample, as if all rows of an image were lost. If the spec has no fixed
// size, the error is ErrOptions.
func (d *Decoder) Blank(ctx context.Context, dst []byte, spec Spec) error {
	w, h, ok := spec.Resize.Size()
	if !ok {
		return fmt.Errorf("%w: a blank image needs a fixed size", spool.ErrOptions)
	}
	p := plan{lane: goLane{}, info: Info{Width: 1, Height: 1, Channels: 3, Orientation: 1}, spec: spec.ofIndices()}
	var err error
	if p.geometry, err = (resize.Spec{Width: w, Height: h}).Plan(1, 1, d.tables); err != nil {
		return err
	}
	pixels := spec.pixels()
	p.desc = pixels.Describe(p.geometry.OutWidth, p.geometry.OutHeight)
	size := len(dst) / spec.Crops.Len()
	if err := d.fill(ctx, p, dst[:size]); err != nil {
		return err
	}
	for at := size; at < len(dst); at += size {
		copy(dst[at:], dst[:size])
	}
	return nil
}

// fill fills dst with the color of an image of which nothing was read.
func (d *Decoder) fill(ctx context.Context, p plan, dst []byte) error {
	if p.adjust != nil { // no step changes this color
		p.spec = p.wanted
		p.spec.Resize.Bits = 8
	}
	plan := p.target().Plan(pixels.Intake{Channels: 3, Bits: p.spec.Resize.Bits, Gray: p.spec.Color == decode.Gray})
	pass, err := plan.Prepare()
	if err != nil {
		return err
	}
	buffer, err := d.scratch.GetFor(ctx, pass.ScratchBytes(), spool.Scratch)
	if err != nil {
		return failure.Ended(ctx, err)
	}
	defer buffer.Release()
	return pixels.WithSink(pass, dst, buffer.Bytes(), func(sink *kernel.Sink) error { return sink.Fill(p.spec.fill()) })
}
