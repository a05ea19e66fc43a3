package codec

import (
	"context"
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// step is a way to do the work, or a part of it. Memory takes what it makes of the picture.
type step struct {
	name    string
	engine  string // empty: the lane, which is known once a picture was decoded
	perItem bool   // its cost does not depend on pixels
	pixels  bool   // it leaves the lane's pixels in memory: RGB as stored, rows without gaps
	run     func(ctx context.Context, p *picture, memory []byte) error
}

// errNone says that a picture has no such step.
var errNone = errors.New("no such step")

func (b bare) asStep() step {
	return step{name: b.step, engine: b.engine, pixels: b.pixels, run: func(_ context.Context, p *picture, memory []byte) error {
		return b.run(p.data, memory[:3*p.width*p.height])
	}}
}

// stepsOf are the steps for a codec, its bare ones first, then those of its own.
func stepsOf(c Codec, d *decode.Decoder, size int, own []step) (all []step) {
	for _, b := range c.bare {
		all = append(all, b.asStep())
	}
	all = append(all, own...)
	all = append(all,
		step{name: "header", perItem: true, run: func(ctx context.Context, p *picture, _ []byte) error {
			_, err := decode.ProbeImage(ctx, p.data, decode.Limits{})
			return err
		}},
		step{name: "decode", run: func(ctx context.Context, p *picture, memory []byte) error {
			_, err := d.ImageInto(ctx, p.data, memory[:3*p.width*p.height], asStored)
			return err
		}})
	for _, profile := range []resize.Profile{resize.Exact, resize.Pillow, resize.Fast} {
		all = append(all, into(d, "decode+"+profile.String(), "", resized(size, profile), fromFile))
	}
	all = append(all, into(d, "decode+tensor", "", tensor(size), fromFile))
	engine := "spool, " + kernel.SIMD()
	for _, profile := range []resize.Profile{resize.Exact, resize.Pillow} {
		all = append(all, into(d, "resize-"+profile.String(), engine, resized(size, profile), fromRows))
	}
	return append(all, into(d, "resize+tensor", engine, tensor(size), fromRows))
}

// asStored is a picture's own pixels.
var asStored = decode.ImageSpec{Stored: true}

// resized is a picture of size x size.
func resized(size int, profile resize.Profile) decode.ImageSpec {
	return decode.ImageSpec{Stored: true, Resize: resize.Spec{Width: size, Height: size, Profile: profile}}
}

// tensor is the same as models take it: normalised planes of float32, with ImageNet's mean and deviation.
func tensor(size int) decode.ImageSpec {
	s := resized(size, resize.Exact)
	s.DType, s.Layout = spool.Float32, spool.CHW
	s.Mean, s.Std = []float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225}
	return s
}

// fromFile is a picture as the lane gets it.
func fromFile(p *picture) []byte { return p.data }

// fromRows is a picture that is decoded already, so that what is left is the work behind the decoder. It is in
// the memory rather than in the cache, where a decoder's rows are.
func fromRows(p *picture) []byte { return p.ppm }

// into is a step that decodes to a size which does not depend on the picture.
func into(d *decode.Decoder, name, engine string, spec decode.ImageSpec, from func(*picture) []byte) step {
	sample, ok := spec.Sample()
	n, fits := sample.Bytes()
	if !ok || !fits {
		panic(fmt.Sprintf("codec: step %s has no size of its own", name))
	}
	return step{name: name, engine: engine, run: func(ctx context.Context, p *picture, memory []byte) error {
		_, err := d.ImageInto(ctx, from(p), memory[:n], spec)
		return err
	}}
}
