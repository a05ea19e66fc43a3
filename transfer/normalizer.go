package transfer

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
)

// Flip says how a picture is mirrored.
type Flip = kernels.Flip

// FlipX mirrors left to right, FlipY top to bottom, and both together turn by half.
const (
	FlipX = kernels.FlipX
	FlipY = kernels.FlipY
)

// NormalizerOptions say what becomes of a byte.
type NormalizerOptions struct {
	DType     spool.DType // Float32, Float16 or BFloat16
	Mean, Std []float32   // of x/255: one for all channels or one for each; nil is 0 and 1
}

// Normalizer brings batches of uint8 pictures to a device and makes floats of them there: (x/255 - mean) / std, planes of
// channels, mirrored if wished. Bytes go over the bus, a half or a quarter of what floats would be. On "host" and
// "pinned" the host computes the same, to the last bit; decoding to floats costs less there.
//
// It is safe for concurrent use, and ends with its copier.
type Normalizer struct {
	copier *Copier
	scale  kernels.Scale
}

// NewNormalizer makes one. On a CUDA device the driver compiles the kernels, once for each [Device], and keeps the result
// for later processes. Errors are spool.ErrOptions, all problems at once, spool.ErrClosed, or of class device: kernels need
// compute capability 7.0.
func NewNormalizer(c *Copier, o NormalizerOptions) (*Normalizer, error) {
	n := &Normalizer{copier: c, scale: kernels.Scale{DType: o.DType, Mean: o.Mean, Std: o.Std}}
	if err := n.scale.Validate(max(len(o.Mean), len(o.Std))); err != nil {
		return nil, err
	}
	return n, c.compile()
}

// Copy is [Copier.Copy] for a batch of uint8 pictures or clips, NHWC of 1, 3 or 4 channels: the result is NCHW, [n c h w] or
// [n t c h w]. Flips are one for each sample, or nil.
//
//   - Ownership, cancellation and errors are those of Copier.Copy, and spool.ErrShape for other batches, spool.ErrOptions for
//     another number of flips or channels.
//   - Cost: the copy of the batch's bytes, and a pass over the device's memory that reads these and writes the
//     floats, about as quickly as that memory can, where sizes allow stores of 16 bytes: pictures whose number of
//     pixels is a multiple of 8, of float32 4, and among them those that are flipped, whose width is.
//   - Memory: slabs hold floats, and one block for all of them the bytes under way.
func (n *Normalizer) Copy(ctx context.Context, b *batch.Batch, flips []Flip) (*Batch, error) {
	w, err := n.work(b.Desc(), flips)
	if err != nil {
		return nil, err
	}
	l, err := n.copier.converted(b.Bytes(), b.Release, w)
	if err != nil {
		return nil, err
	}
	return n.copier.bringBatch(ctx, b, l)
}

// work is what becomes of a batch.
func (n *Normalizer) work(in spool.Desc, flips []Flip) (work, error) {
	dims := len(in.Shape)
	if in.DType != spool.Uint8 || in.Layout != spool.NHWC || dims < 4 {
		return work{}, fmt.Errorf("%w: %v is no batch of uint8 pictures, NHWC", spool.ErrShape, in)
	}
	k := &kernels.Normalize{Samples: 1, Height: in.Shape[dims-3], Width: in.Shape[dims-2], Channels: in.Shape[dims-1], Scale: n.scale}
	for _, d := range in.Shape[:dims-3] {
		k.Samples *= d
	}
	if flips != nil && len(flips) != in.Shape[0] {
		return work{}, fmt.Errorf("%w: %d flips for %d samples", spool.ErrOptions, len(flips), in.Shape[0])
	}
	for _, f := range flips {
		for range k.Samples / in.Shape[0] { // the pictures of a clip
			k.Flips = append(k.Flips, f)
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
