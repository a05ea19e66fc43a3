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
	"github.com/spoolmedia/spool/resize"
)

// Options are a Decoder's settings.
type Options struct {
	Limits Limits
	// Pool is where Image gets the buffers that it returns. nil means a pool of the decoder's own
	// with a ceiling of Limits.MaxMemory.
	Pool *spool.Pool
	// Tables holds resize weights for reuse between pictures, and may be shared. nil means the decoder's own.
	Tables *resize.Tables
	// JPEG says what decodes JPEG pictures.
	JPEG JPEGEngine
	// FLAC says what decodes FLAC files.
	FLAC FLACEngine
}

// Decoder decodes pictures. It holds working memory and resize weights for reuse, so one should serve
// a whole program. It is safe for concurrent use.
type Decoder struct {
	limits  Limits
	pixels  *spool.Pool // what Image returns
	owned   bool        // pixels is ours to close
	scratch *spool.Pool // working memory of the calls under way: one buffer a call, so that no call waits for another while it holds any
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

// New makes a decoder. It is released by Close. The error is ErrOptions for an engine that there is not.
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

// Close frees what the decoder holds. It must not be called while a call is under way. Buffers that
// Image returned stay valid; when the decoder's own pool still has some out, Close reports ErrLeaked.
func (d *Decoder) Close() error {
	err := errors.Join(d.colors.Close(), d.jpeg.engine.Close(), d.scaler.Close(), d.codecs.Close(), d.scratch.Close())
	if d.owned {
		err = errors.Join(err, d.pixels.Close())
	}
	return err
}

// ImageReport says how decoding went.
type ImageReport struct {
	Info     ImageInfo
	Desc     spool.Desc // of the result
	Damaged  bool       // damage was accepted: a part is ImageSpec.Fill
	Fraction float64    // how much of the picture was read; 1 of a whole one
	Warnings int        // what the library found odd but read
	Warning  string     // the first of these
	Road     Road

	// Region is the part of the upright picture that the result shows, mirrored where FlipX or FlipY say
	// so: what moves the boxes and key points of a detector along. See resize.Plan.
	Region       resize.Region
	FlipX, FlipY bool
}

// Road is how a picture was decoded, for people who want to know what it took.
type Road struct {
	Lane          string // what decoded it: "jpeg", "png", "vips", ...
	Engine        string // what in the lane, where that has a choice: "own", or the library: "turbo", "libpng"
	Reason        string // why the lane's own engine left it to the library, in a word (baseline.Reason); empty where it did not, or was not to be asked
	Scale         Scale  // of the planes, where profile fast took the picture by these; zero where not
	Width, Height int    // of the rows that came from it: less than the picture's where profile fast shrank it
	Scratch       int64  // bytes of working memory beside the result and what the library takes
	Profile       int64  // bytes that the conversion to sRGB took; 0 when there was none
}

// Image decodes a picture into a buffer from the pool, owned by the caller.
//
//	Result:  spec.DType, HWC or CHW as spec.Layout says, [h w c]; rows without gaps; see ImageSpec.
//	Errors:  *spool.Error with ErrEmpty, ErrNotMedia, ErrUnsupported, ErrTruncated, ErrCorrupt,
//	         ErrTooLarge, ErrCanceled or ErrTimeout; ErrOptions for a spec that is not valid.
//	Cost:    two calls into C; no Go memory in proportion to the picture.
func (d *Decoder) Image(ctx context.Context, data []byte, spec ImageSpec) (*spool.Buffer, ImageReport, error) {
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

// ImageInto decodes a picture into dst, which must have exactly the size of the result: for a spec
// with a fixed size that of ImageSpec.Sample, else see Image. It may begin at any address. Result, errors
// and cost are Image's, and ErrShape for a dst of another size. On error the contents of dst are unspecified.
func (d *Decoder) ImageInto(ctx context.Context, data, dst []byte, spec ImageSpec) (ImageReport, error) {
	p, err := d.open(ctx, data, spec)
	if err != nil {
		return ImageReport{}, err
	}
	if n, _ := p.desc.Bytes(); n != len(dst) {
		return ImageReport{}, fmt.Errorf("%w: %v takes %d bytes, the destination has %d", spool.ErrShape, p.desc, n, len(dst))
	}
	return d.run(ctx, p, dst, 0)
}

// ended gives a context's error a class, and leaves others alone.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return &spool.Error{Op: "decode", Class: spool.ClassOf(err), Text: "stopped", Err: err}
}

// Limits are the limits in force.
func (d *Decoder) Limits() Limits { return d.limits }

// JPEG says what has decoded JPEG pictures so far. It may be called at any time.
func (d *Decoder) JPEG() JPEGCounts { return d.jpeg.counts() }

// FLAC says what has decoded FLAC files so far. It may be called at any time.
func (d *Decoder) FLAC() FLACCounts { return d.flac.counts() }

// Blank fills dst, the size of spec.Sample, as if every row of a picture had been lost. Without a fixed
// size the error is ErrOptions.
func (d *Decoder) Blank(ctx context.Context, dst []byte, spec ImageSpec) error {
	w, h, ok := spec.Resize.Size()
	if !ok {
		return fmt.Errorf("%w: a blank picture needs a size", spool.ErrOptions)
	}
	p := picture{lane: goLane{}, info: ImageInfo{Width: 1, Height: 1, Channels: 3, Orientation: 1}, spec: spec.ofIndices()}
	var err error
	if p.geometry, err = (resize.Spec{Width: w, Height: h}).Plan(1, 1, d.tables); err != nil {
		return err
	}
	p.desc = spec.desc(p.geometry.OutWidth, p.geometry.OutHeight)
	return d.fill(ctx, p, dst)
}

// fill gives dst the colour of a picture of which nothing was read.
func (d *Decoder) fill(ctx context.Context, p picture, dst []byte) error {
	plan := p.pass(intake{channels: 3, bits: p.spec.Resize.Bits, gray: p.spec.Color == Gray})
	buffer, err := d.scratch.GetFor(ctx, plan.ScratchBytes(), spool.Scratch)
	if err != nil {
		return ended(ctx, err)
	}
	defer buffer.Release()
	return withSink(&plan, dst, buffer.Bytes(), func(sink *kernel.Sink) error { return sink.Fill(p.spec.fill()) })
}
