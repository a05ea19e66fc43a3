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
)

// FramesOptions say what the planes of a video's frames are, as decode.Stored does of frames that VideoSpec.Planes asks for, and
// what becomes of them.
type FramesOptions struct {
	Width, Height int
	Paired        bool // U and V in turn, and deeper samples the high bits of words (NV12, P010); otherwise U, then V, and the low bits (I420)
	Bits          int  // of a sample, 8 to 16; 0 means 8. Deeper ones are words
	SubX, SubY    int  // samples of luma to one of chroma, 1 or 2, in each direction; 0 means 2
	Matrix        int  // the code point of ITU-T H.273; 2, where the video does not say, is BT.601
	Full          bool // the whole range, instead of the limited one

	DType     spool.DType // Uint8, or Float32, Float16, BFloat16
	Mean, Std []float32   // of floats, as of NormalizerOptions
}

// Frames brings planes of video to a device and makes RGB of them there: of 4:2:0 half of the bytes that RGB has
// go over the bus, of float32 an eighth. Frames of 8 bits whose height is even become the bytes that decoding to RGB in
// the profile exact gives. The others are what their matrix says, with chroma repeated, where decoding has it interpolated as
// swscale does. On "host" and "pinned" the host computes the same, some 7 ns a pixel: decoding to RGB costs less there.
//
// It is safe for concurrent use, and ends with its copier.
type Frames struct {
	copier *Copier
	plan   kernels.Frames // of one frame, packed
	u, v   int            // where planes begin in a packed frame
	bytes  int
}

// NewFrames makes one, as [NewNormalizer] does.
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
		unknown = fmt.Errorf("%w: frames: Matrix %d is none of luma and chroma", spool.ErrOptions, o.Matrix)
	}
	if err := errors.Join(f.plan.Validate(), unknown); err != nil {
		return nil, err
	}
	f.u, f.v, f.bytes = f.plan.Pack()
	return f, c.compile()
}

// Copy is [Copier.Copy] for a batch of planes: uint8, of deeper samples uint16, whose last dimensions are a frame's. Those
// before them stay, and behind them come [h w 3] (NHWC) of uint8 and [3 h w] (NCHW) of floats.
//
// Ownership, cancellation and errors are those of Copier.Copy, and spool.ErrShape for other batches. It costs the copy of
// the planes, and a pass over the device's memory.
func (f *Frames) Copy(ctx context.Context, b *batch.Batch) (*Batch, error) {
	in := b.Desc()
	want := spool.Uint8
	if f.plan.Bits > 8 {
		want = spool.Uint16
	}
	size, dims := want.Size(), len(in.Shape)
	for dims > 0 && size < f.bytes {
		dims--
		size *= in.Shape[dims]
	}
	if in.DType != want || size != f.bytes || dims == 0 {
		return nil, fmt.Errorf("%w: %v is no batch of frames of %d bytes, %v", spool.ErrShape, in, f.bytes, want)
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
	return f.copier.bringBatch(ctx, b, l)
}

// desc is what so many frames become.
func (f *Frames) desc(frames spool.Shape) spool.Desc {
	if f.plan.DType == spool.Uint8 {
		return spool.Desc{Shape: append(slices.Clone(frames), f.plan.Height, f.plan.Width, 3), Layout: spool.NHWC}
	}
	return spool.Desc{Shape: append(slices.Clone(frames), 3, f.plan.Height, f.plan.Width), DType: f.plan.DType, Layout: spool.NCHW}
}

// DeviceFrame is a frame on the copier's device: where its planes begin, and how many bytes their rows are apart. Of pairs U is where
// these begin, and V does not matter. It is there behind what is queued in Stream.
type DeviceFrame struct {
	Y, U, V                uint64
	LumaPitch, ChromaPitch int
	Stream                 Stream
}

// Convert makes a batch of frames that a decoder left on the device: [n h w 3] of uint8, or [n 3 h w] of floats. Release is called
// once they are read. Ownership and errors are those of [Copier.Fill].
func (f *Frames) Convert(ctx context.Context, frames []DeviceFrame, release func()) (*Batch, error) {
	r, out := f.copier.ring, f.desc(spool.Shape{len(frames)})
	size, ok := out.Bytes()
	if !ok || len(frames) == 0 {
		return nil, fmt.Errorf("%w: %d frames", spool.ErrShape, len(frames))
	}
	size /= len(frames)
	return f.copier.Fill(ctx, []Part{{Desc: out}}, release, func(memory uint64, s Stream) error {
		k, err := r.held.kernels()
		if err != nil {
			return err
		}
		behind := []Stream{s}
		for i, frame := range frames {
			if !slices.Contains(behind, frame.Stream) {
				if err := r.chain(cuda.Stream(frame.Stream), cuda.Stream(s)); err != nil {
					return err
				}
				behind = append(behind, frame.Stream)
			}
			plan := f.plan
			plan.LumaPitch, plan.ChromaPitch = frame.LumaPitch, frame.ChromaPitch
			to := cuda.Pointer(memory) + cuda.Pointer(i*size)
			if err := k.Frames(cuda.Stream(s), &plan, cuda.Pointer(frame.Y), cuda.Pointer(frame.U), cuda.Pointer(frame.V), to); err != nil {
				return err
			}
		}
		return nil
	})
}
