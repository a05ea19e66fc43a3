package codec

import (
	"context"
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
)

// step does the whole work for an image, or a part of it. It writes its result to memory.
type step struct {
	name    string
	engine  string // empty for the lane, which is known after an image was decoded
	perItem bool   // its cost does not depend on pixels
	pixels  bool   // it writes the lane's pixels to memory: RGB as stored, rows without gaps
	run     func(ctx context.Context, p *photo, memory []byte) error
}

// errNone reports that an image does not have the step.
var errNone = errors.New("no such step")

func (b bare) asStep() step {
	return step{name: b.step, engine: b.engine, pixels: b.pixels,
		run: func(_ context.Context, p *photo, memory []byte) error {
			return b.run(p.data, memory[:3*p.width*p.height])
		}}
}

// stepsOf returns the steps of a codec: those of bare libraries, then the codec's additional steps, then the common
// ones.
func stepsOf(c Codec, d *decoders.Set, size int, own []step) (all []step) {
	for _, b := range c.bare {
		all = append(all, b.asStep())
	}
	all = append(all, own...)
	all = append(all,
		step{name: "header", perItem: true, run: func(ctx context.Context, p *photo, _ []byte) error {
			_, err := image.Probe(ctx, spool.Bytes{Data: p.data}, decode.Limits{})
			return err
		}},
		step{name: "decode", run: func(ctx context.Context, p *photo, memory []byte) error {
			_, err := d.Images.DecodeInto(ctx, spool.Bytes{Data: p.data}, memory[:3*p.width*p.height], asStored)
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

// asStored gives the pixels of an image as stored.
var asStored = image.Spec{Stored: true}

// resized gives an image of size x size pixels.
func resized(size int, profile resize.Profile) image.Spec {
	return image.Spec{Stored: true, Resize: resize.Spec{Width: size, Height: size, Profile: profile}}
}

// tensor gives a resized image as an input of models: normalized planes of float32, with ImageNet's mean and deviation.
func tensor(size int) image.Spec {
	s := resized(size, resize.Exact)
	s.DType, s.Layout = spool.Float32, spool.CHW
	s.Mean, s.Std = []float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225}
	return s
}

// fromFile returns an image as the lane gets it.
func fromFile(p *photo) []byte { return p.data }

// fromRows returns a decoded image, so that only the work after the decoder is measured. It is in memory, not in the
// CPU cache, where a decoder's rows are.
func fromRows(p *photo) []byte { return p.ppm }

// into returns a step that decodes to a size which does not depend on the image.
func into(d *decoders.Set, name, engine string, spec image.Spec, from func(*photo) []byte) step {
	sample, ok := spec.Sample()
	n, fits := sample.Bytes()
	if !ok || !fits {
		panic(fmt.Sprintf("codec: the result of step %s has no fixed size", name))
	}
	return step{name: name, engine: engine, run: func(ctx context.Context, p *photo, memory []byte) error {
		_, err := d.Images.DecodeInto(ctx, spool.Bytes{Data: from(p)}, memory[:n], spec)
		return err
	}}
}
