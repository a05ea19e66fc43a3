package decode

import (
	"context"
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/av"
	"github.com/spoolmedia/spool/cbridge/icc"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/internal/ranges"
	"github.com/spoolmedia/spool/resize"
)

// Options are the settings of a Decoder.
type Options struct {
	Limits Limits
	// Pool provides the buffers that Image returns. nil means a pool of the decoder's own with a ceiling of
	// Limits.MaxMemory.
	Pool *spool.Pool
	// Tables caches resize weights for later images, and may be shared. nil means the decoder's own.
	Tables *resize.Tables
	// JPEG selects the engine for JPEG images.
	JPEG JPEGEngine
	// FLAC selects the engine for FLAC files.
	FLAC FLACEngine
}

// Decoder decodes images, video and audio. It reuses working memory and resize weights, so one should serve a whole
// program. It is safe for concurrent use.
type Decoder struct {
	limits  Limits
	pixels  *spool.Pool // for the results of Image
	owned   bool        // Close closes pixels
	files   *spool.Pool // file contents of images, during a call
	remote  *spool.Pool // memory of ranges
	ranges  *ranges.Store
	scratch *spool.Pool // working memory: one buffer a call, so that no call waits for memory while it holds some
	tables  *resize.Tables
	colors  icc.Transforms
	jpeg    jpegEngine
	flac    flacEngine
	scaler  av.Scaler
	codecs  av.Codecs
	probes  probes
	ends    farEnds
	indexes *indexCache
	filters resample.Filters
}

// New makes a decoder. The caller releases it by Close. The error is ErrOptions for an unknown engine.
func New(o Options) (*Decoder, error) {
	if o.JPEG > JPEGTurbo {
		return nil, fmt.Errorf("%w: there is no %v", spool.ErrOptions, o.JPEG)
	}
	if o.FLAC > FLACFFmpeg {
		return nil, fmt.Errorf("%w: there is no %v", spool.ErrOptions, o.FLAC)
	}
	o.Limits.setDefaults()
	d := &Decoder{indexes: newIndexCache(), limits: o.Limits, pixels: o.Pool, tables: o.Tables, jpeg: jpegEngine{turboOnly: o.JPEG == JPEGTurbo}}
	d.flac.ffmpegOnly = o.FLAC == FLACFFmpeg
	var err error
	if d.scratch, err = spool.NewPool(spool.PoolOptions{MaxBytes: d.limits.MaxMemory}); err != nil {
		return nil, err
	}
	if d.files, err = newFilePool(d.limits); err != nil {
		return nil, err
	}
	if d.remote, err = newRangePool(); err != nil {
		return nil, err
	}
	d.ranges = ranges.NewStore(d.remote)
	if d.pixels == nil {
		d.owned = true
		if d.pixels, err = spool.NewPool(spool.PoolOptions{MaxBytes: d.limits.MaxMemory}); err != nil {
			return nil, err
		}
	}
	if d.tables == nil {
		d.tables = new(resize.Tables)
	}
	return d, nil
}

// Close frees what the decoder holds. It must not be called during another call. Buffers that Image returned stay
// valid. If some of the decoder's own pool are not released yet, Close returns ErrLeaked.
func (d *Decoder) Close() error {
	err := errors.Join(d.colors.Close(), d.jpeg.engine.Close(), d.scaler.Close(), d.codecs.Close(), d.files.Close(), d.remote.Close(), d.scratch.Close())
	if d.owned {
		err = errors.Join(err, d.pixels.Close())
	}
	return err
}

// ImageReport is the outcome of decoding an image.
type ImageReport struct {
	Info     ImageInfo
	Desc     spool.Desc // of the result
	Damaged  bool       // damage was accepted: the rest is ImageSpec.Fill
	Fraction float64    // of the image that was read; 1 without damage
	Warnings int        // oddities that the library tolerated
	Warning  string     // the first of these
	Road     Road

	// Region is the region of the upright image that the result shows, mirrored if FlipX or FlipY are set. It maps the
	// boxes and key points of a detector. See resize.Plan.
	Region       resize.Region
	FlipX, FlipY bool
}

// Road describes how an image was decoded, for diagnosis.
type Road struct {
	Lane          string // lane that decoded it: "jpeg", "png", "vips", ...
	Engine        string // within the lane, if it has several: "own", or the library: "turbo", "libpng"
	Reason        string // why the own engine declined (baseline.Reason); empty if it did not, or was not asked
	Scale         Scale  // of the planes, if profile fast resized these; else zero
	Width, Height int    // of the rows from the lane: less than the image's if profile fast shrank it
	Scratch       int64  // bytes of working memory, without the result and the library's memory
	Profile       int64  // bytes for the conversion to sRGB; 0 without one
}

// Image decodes an image into a buffer from the pool, owned by the caller.
//
//	Input:   any object. spool.Bytes are read in place, a spool.Stream is read to its end, and other objects are read into
//	         a buffer of the decoder first.
//	Result:  spec.DType, HWC or CHW according to spec.Layout, [h w c]; rows without gaps; see ImageSpec.
//	Errors:  *spool.Error with ErrEmpty, ErrNotMedia, ErrUnsupported, ErrTruncated, ErrCorrupt,
//	         ErrTooLarge, ErrCanceled or ErrTimeout, and the errors of opening and reading the object. They name the
//	         object. ErrOptions for a spec that is not valid.
//	Cost:    two calls into C; no Go memory in proportion to the image, except the bytes of a Stream.
func (d *Decoder) Image(ctx context.Context, object spool.Object, spec ImageSpec) (buffer *spool.Buffer, report ImageReport, err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		buffer, report, err = d.image(ctx, data, spec)
		return err
	})
	return buffer, report, err
}

func (d *Decoder) image(ctx context.Context, data []byte, spec ImageSpec) (*spool.Buffer, ImageReport, error) {
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

// ImageInto decodes an image into dst, which must have exactly the size of the result: that of ImageSpec.Sample for a
// spec with a fixed size, else see Image. It may begin at any memory address. Input, result, errors and cost are
// those of Image, and ErrShape for a dst of another size. On error the contents of dst are unspecified.
func (d *Decoder) ImageInto(ctx context.Context, object spool.Object, dst []byte, spec ImageSpec) (report ImageReport, err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		report, err = d.imageInto(ctx, data, dst, spec)
		return err
	})
	return report, err
}

func (d *Decoder) imageInto(ctx context.Context, data, dst []byte, spec ImageSpec) (ImageReport, error) {
	p, err := d.open(ctx, data, spec)
	if err != nil {
		return ImageReport{}, err
	}
	if n, _ := p.desc.Bytes(); n != len(dst) {
		return ImageReport{}, fmt.Errorf("%w: %v takes %d bytes, the destination has %d", spool.ErrShape, p.desc, n, len(dst))
	}
	return d.run(ctx, p, dst, 0)
}

// ended adds a class to a context's error, and returns others unchanged.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Text: "stopped", Err: err}
}

// Limits are the limits in force.
func (d *Decoder) Limits() Limits { return d.limits }

// JPEG counts the JPEG images decoded so far, by engine. It may be called at any time.
func (d *Decoder) JPEG() JPEGCounts { return d.jpeg.counts() }

// FLAC counts the FLAC files decoded so far, by engine. It may be called at any time.
func (d *Decoder) FLAC() FLACCounts { return d.flac.counts() }

// Blank fills dst, which has the size of spec.Sample, as if all rows of an image were lost. If the spec has no fixed
// size, the error is ErrOptions.
func (d *Decoder) Blank(ctx context.Context, dst []byte, spec ImageSpec) error {
	w, h, ok := spec.Resize.Size()
	if !ok {
		return fmt.Errorf("%w: a blank image needs a fixed size", spool.ErrOptions)
	}
	p := picture{lane: goLane{}, info: ImageInfo{Width: 1, Height: 1, Channels: 3, Orientation: 1}, spec: spec.ofIndices()}
	var err error
	if p.geometry, err = (resize.Spec{Width: w, Height: h}).Plan(1, 1, d.tables); err != nil {
		return err
	}
	p.desc = spec.desc(p.geometry.OutWidth, p.geometry.OutHeight)
	return d.fill(ctx, p, dst)
}

// fill fills dst with the color of an image of which nothing was read.
func (d *Decoder) fill(ctx context.Context, p picture, dst []byte) error {
	plan := p.pass(intake{channels: 3, bits: p.spec.Resize.Bits, gray: p.spec.Color == Gray})
	buffer, err := d.scratch.GetFor(ctx, plan.ScratchBytes(), spool.Scratch)
	if err != nil {
		return ended(ctx, err)
	}
	defer buffer.Release()
	return withSink(&plan, dst, buffer.Bytes(), func(sink *kernel.Sink) error { return sink.Fill(p.spec.fill()) })
}
