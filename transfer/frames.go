package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/resize"
)

// FramesOptions describe the planes of video frames, as video.Stored does for frames of video.Spec.Planes, and their
// conversion.
type FramesOptions struct {
	Width, Height int
	Paired        bool // U and V interleaved, words use the high bits (NV12, P010); else U before V, low bits (I420)
	Bits          int  // of a sample, 8 to 16; 0 means 8. Samples of more than 8 bits are 16-bit words
	SubX, SubY    int  // luma samples for each chroma sample, 1 or 2, in each direction; 0 means 2
	Matrix        int  // the code point of ITU-T H.273; 2, unspecified, is BT.601
	Full          bool // full range, instead of limited

	DType     spool.DType // Uint8, or Float32, Float16, BFloat16
	Mean, Std []float32   // for floats, as in NormalizerOptions

	// Resize makes Convert and Gather resize and crop frames of Uint8, as NewResized does. The zero value keeps their size.
	Resize resize.Spec
}

// Frames copies video planes to a device and converts them to RGB there. For 4:2:0, half of the bytes of RGB go over
// the bus, and an eighth of those of float32. 8-bit frames with even height become the bytes of decoding to RGB in
// profile exact. Other frames are converted by their matrix with repeated chroma, where decoding interpolates chroma
// like swscale. On "host" and "pinned" the host computes the same in about 7 ns a pixel: decoding to RGB is cheaper
// there.
//
// It is safe for concurrent use, and valid as long as its copier.
type Frames struct {
	copier *Copier
	plan   kernels.Frames // of one frame, packed
	u, v   int            // offsets of planes in a packed frame
	bytes  int

	resized *Resized // of one frame; nil if frames keep their size
}

// NewFrames makes a Frames under the rules of [NewNormalizer].
func NewFrames(c *Copier, o FramesOptions) (*Frames, error) {
	if o.SubX == 0 {
		o.SubX = 2
	}
	if o.SubY == 0 {
		o.SubY = 2
	}
	f := &Frames{copier: c, plan: kernels.Frames{Frames: 1, Width: o.Width, Height: o.Height, SubX: o.SubX, SubY: o.SubY,
		Video: kernel.Video{Full: o.Full, Bits: o.Bits}, Scale: kernels.Scale{DType: o.DType, Mean: o.Mean, Std: o.Std}}}
	if o.Paired {
		f.plan.Chroma, f.plan.High = kernel.PairsUV, o.Bits > 8
	}
	var known bool
	var unknown error
	if f.plan.Matrix, known = kernel.MatrixOf(o.Matrix); !known {
		unknown = fmt.Errorf("%w: frames: Matrix %d is not a matrix of luma and chroma", spool.ErrOptions, o.Matrix)
	}
	if err := errors.Join(f.plan.Validate(), unknown); err != nil {
		return nil, err
	}
	f.u, f.v, f.bytes = f.plan.Pack()
	if o.Resize != (resize.Spec{}) {
		if o.DType != spool.Uint8 {
			return nil, fmt.Errorf("%w: frames: a device resizes frames of uint8, not of %v", spool.ErrOptions, o.DType)
		}
		r, err := NewResized(0, spool.Desc{Shape: spool.Shape{o.Height, o.Width, 3}, Layout: spool.HWC}, o.Resize)
		if err != nil {
			return nil, err
		}
		f.resized = &r
	}
	return f, c.compile()
}

// Copy is [Copier.Copy] for a batch of planes: uint8, or uint16 for deeper samples. The last dimensions are those of a
// frame. The dimensions before them are kept, and followed by [h w 3] (NHWC) for uint8 or [3 h w] (NCHW) for floats.
//
// Ownership, cancellation and errors are those of Copier.Copy, and spool.ErrShape for other batches. The cost is the
// copy of the planes, and a pass over the device's memory.
func (f *Frames) Copy(ctx context.Context, b *batch.Batch) (*Batch, error) {
	in := b.Desc()
	want := spool.Uint8
	if f.plan.Bits > 8 {
		want = spool.Uint16
	}
	if f.resized != nil {
		return nil, fmt.Errorf("%w: frames of the host are not resized on the device", spool.ErrOptions)
	}
	size, dims := want.Size(), len(in.Shape)
	for dims > 0 && size < f.bytes {
		dims--
		size *= in.Shape[dims]
	}
	if in.DType != want || size != f.bytes || dims == 0 {
		return nil, fmt.Errorf("%w: %v is not a batch of frames of %d bytes, %v", spool.ErrShape, in, f.bytes, want)
	}
	plan := f.plan
	for _, d := range in.Shape[:dims] {
		plan.Frames *= d
	}
	w := work{out: f.desc(in.Shape[:dims]),
		host: func(in, out []byte) error { return plan.OnHost(in, in[f.u:], in[f.v:], out) },
		device: func(on *kernels.Kernels, s cuda.Stream, in, out cuda.Pointer) error {
			return on.Frames(s, &plan, in, in+cuda.Pointer(f.u), in+cuda.Pointer(f.v), out)
		}}
	l, err := f.copier.converted(b.Bytes(), b.Release, w)
	if err != nil {
		return nil, err
	}
	return f.copier.startBatch(ctx, b, l)
}

// desc returns the Desc of converted frames.
func (f *Frames) desc(frames spool.Shape) spool.Desc {
	if f.plan.DType == spool.Uint8 {
		return spool.Desc{Shape: append(slices.Clone(frames), f.plan.Height, f.plan.Width, 3), Layout: spool.NHWC}
	}
	return spool.Desc{Shape: append(slices.Clone(frames), 3, f.plan.Height, f.plan.Width), DType: f.plan.DType,
		Layout: spool.NCHW}
}

// DevicePlanes is a frame on the copier's device: the addresses of its planes, and the bytes from one row to the next.
// If chroma is interleaved, it is at U, and V is ignored. The frame is complete after the work that is queued in
// Stream.
type DevicePlanes struct {
	Y, U, V                uint64
	LumaPitch, ChromaPitch int
	Stream                 spool.DeviceStream
}

// Convert makes a batch of frames that a decoder left on the device: [n h w 3] of uint8, or [n 3 h w] of floats.
// release is called once they are read. Ownership and errors are those of [Copier.Fill].
func (f *Frames) Convert(ctx context.Context, frames []DevicePlanes, release func()) (*Batch, error) {
	return f.gather(ctx, len(frames), release, func(put func(int, DevicePlanes) error) error {
		for i, frame := range frames {
			if err := put(i, frame); err != nil {
				return err
			}
		}
		return nil
	})
}

// Gather is Convert for frames that come one by one, from a decoder that has room for few. each calls put with the
// position of each frame in the batch, in any order, also several times for one frame. Once put returns, the frame may
// be given back to its decoder: work that is then queued in its Stream waits until the frame is read.
//
// Ownership and errors are those of [Copier.Fill], and each's.
func (f *Frames) Gather(ctx context.Context, n int, each func(put func(at int, p DevicePlanes) error) error) (*Batch,
	error) {
	return f.gather(ctx, n, func() {}, func(put func(int, DevicePlanes) error) error {
		return each(func(at int, p DevicePlanes) error {
			if at < 0 || at >= n {
				return fmt.Errorf("%w: frame %d of %d", spool.ErrOptions, at, n)
			}
			if err := put(at, p); err != nil {
				return err
			}
			return f.copier.ring.chain(f.copier.ring.upload.stream, cuda.Stream(p.Stream))
		})
	})
}

// gather fills a batch of n frames.
func (f *Frames) gather(ctx context.Context, n int, release func(),
	each func(put func(at int, p DevicePlanes) error) error) (*Batch, error) {
	r, out := f.copier.ring, f.desc(spool.Shape{n})
	size, ok := out.Bytes()
	if !ok || n == 0 {
		return nil, fmt.Errorf("%w: %d frames", spool.ErrShape, n)
	}
	size /= n
	queue := func(memory uint64, s spool.DeviceStream) error {
		k, err := r.lease.kernels()
		if err != nil {
			return err
		}
		return each(func(at int, p DevicePlanes) error {
			if p.Stream != s {
				if err := r.chain(cuda.Stream(p.Stream), cuda.Stream(s)); err != nil {
					return err
				}
			}
			plan := f.plan
			plan.LumaPitch, plan.ChromaPitch = p.LumaPitch, p.ChromaPitch
			to := cuda.Pointer(memory) + cuda.Pointer(at*size)
			return k.Frames(cuda.Stream(s), &plan, cuda.Pointer(p.Y), cuda.Pointer(p.U), cuda.Pointer(p.V), to)
		})
	}
	if f.resized == nil {
		return f.copier.Fill(ctx, []ArrayAt{{Desc: out}}, release, queue)
	}
	images, places := slices.Repeat([]Resized{*f.resized}, n), make([]int, n)
	room, _ := f.resized.Result().Bytes()
	for i := range images {
		images[i].Offset, places[i] = i*size, i*room
	}
	small := spool.Desc{Shape: append(spool.Shape{n}, f.resized.Result().Shape...), Layout: spool.NHWC}
	return f.copier.fillResized(ctx, images, places, []ArrayAt{{Desc: small}}, release, queue)
}
