package transfer

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
)

// Flip selects how an image is mirrored.
type Flip uint8

// FlipX mirrors left to right, FlipY top to bottom. Both together rotate by 180 degrees.
const (
	FlipX Flip = 1 << iota
	FlipY
)

// NormalizerOptions are the parameters of the conversion from bytes to floats.
type NormalizerOptions struct {
	DType     spool.DType // Float32, Float16 or BFloat16
	Mean, Std []float32   // of x/255: one for all channels or one for each; nil is 0 and 1
}

// Normalizer copies batches of uint8 images to a device and converts them to floats there: (x/255 - mean) / std, in
// planar layout, optionally mirrored. Bytes go over the bus, which are a half or a quarter of the floats. On "host" and
// "pinned" the host computes the same bits; decoding to floats is cheaper there.
//
// It is safe for concurrent use, and valid as long as its copier.
type Normalizer struct {
	copier *Copier
	scale  kernels.Scale
}

// NewNormalizer makes a Normalizer. On a CUDA device the driver compiles the kernels once for each [Device], and caches
// the result for later processes. Errors are spool.ErrOptions, all problems at once, spool.ErrClosed, or of class
// device: kernels need compute capability 7.0.
func NewNormalizer(c *Copier, o NormalizerOptions) (*Normalizer, error) {
	n := &Normalizer{copier: c, scale: kernels.Scale{DType: o.DType, Mean: o.Mean, Std: o.Std}}
	if err := n.scale.Validate(max(len(o.Mean), len(o.Std))); err != nil {
		return nil, err
	}
	return n, c.compile()
}

// Copy is [Copier.Copy] for a batch of uint8 images or clips, NHWC with 1, 3 or 4 channels. The result is NCHW, [n c h
// w] or [n t c h w]. There is one flip for each sample, or flips is nil.
//
//   - Ownership, cancellation and errors are those of Copier.Copy, and spool.ErrShape for other batches,
//     spool.ErrOptions for another number of flips or channels.
//   - Cost: the copy of the batch's bytes, and a pass over the device's memory that reads them and writes the floats.
//     The pass is about as fast as the memory if sizes allow stores of 16 bytes: if the number of pixels is a multiple
//     of 8 (float32: 4) and, for flipped images, the width is.
//   - Memory: slabs hold floats. One more block, shared by all slabs, holds the bytes in flight.
func (n *Normalizer) Copy(ctx context.Context, b *batch.Batch, flips []Flip) (*Batch, error) {
	w, err := n.work(b.Desc(), flips)
	if err != nil {
		return nil, err
	}
	l, err := n.copier.converted(b.Bytes(), b.Release, w)
	if err != nil {
		return nil, err
	}
	return n.copier.startBatch(ctx, b, l)
}

// work returns the conversion for a batch.
func (n *Normalizer) work(in spool.Desc, flips []Flip) (work, error) {
	dims := len(in.Shape)
	if in.DType != spool.Uint8 || in.Layout != spool.NHWC || dims < 4 {
		return work{}, fmt.Errorf("%w: %v is not a batch of uint8 images, NHWC", spool.ErrShape, in)
	}
	k := &kernels.Normalize{Samples: 1, Height: in.Shape[dims-3], Width: in.Shape[dims-2], Channels: in.Shape[dims-1],
		Scale: n.scale}
	for _, d := range in.Shape[:dims-3] {
		k.Samples *= d
	}
	if flips != nil && len(flips) != in.Shape[0] {
		return work{}, fmt.Errorf("%w: %d flips for %d samples", spool.ErrOptions, len(flips), in.Shape[0])
	}
	for _, f := range flips {
		for range k.Samples / in.Shape[0] { // the frames of a clip
			k.Flips = append(k.Flips, kernels.Flip(f))
		}
	}
	if err := k.Validate(); err != nil {
		return work{}, err
	}
	out := spool.Desc{DType: n.scale.DType, Layout: spool.NCHW}
	out.Shape = append(append(out.Shape, in.Shape[:dims-3]...), k.Channels, k.Height, k.Width)
	return work{out: out, host: k.OnHost,
		device: func(on *kernels.Kernels, s cuda.Stream, in, out cuda.Pointer) error {
			return on.Normalize(s, k, in, out)
		}}, nil
}
