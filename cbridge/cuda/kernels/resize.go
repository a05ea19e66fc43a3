package kernels

// #include "params.h"
import "C"

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/kernel"
)

// Resize resizes an area of an interleaved uint8 image, [h w c], in two passes with rounding between them: the bytes
// are those of kernel.Plan with the same axes.
type Resize struct {
	Width, Height, Channels  int
	Left, Top, Right, Bottom int // the area; H.In is its width, and V.In its height
	H, V                     kernel.Axis
	VerticalFirst            bool
}

// Validate returns all problems, as spool.ErrOptions.
func (r *Resize) Validate() error {
	p := problems{of: "resize"}
	p.require(r.Channels > 0 && fits(r.Width, r.Height), "%d channels of %dx%d", r.Channels, r.Width, r.Height)
	p.require(0 <= r.Left && r.Left < r.Right && r.Right <= r.Width && 0 <= r.Top && r.Top < r.Bottom &&
		r.Bottom <= r.Height, "area (%d, %d, %d, %d) of %dx%d", r.Left, r.Top, r.Right, r.Bottom, r.Width, r.Height)
	p.require(r.H.In == r.Right-r.Left && r.V.In == r.Bottom-r.Top, "axes for %dx%d", r.H.In, r.V.In)
	p.require(countable(r.Channels, r.Width, max(r.V.In, r.V.Out)) && countable(r.Channels, r.H.Out, max(r.V.In, r.V.Out)),
		"more than 2^31 bytes")
	for _, a := range []*kernel.Axis{&r.H, &r.V} {
		p.require(a.Out > 0 && (a.Start == nil && a.In == a.Out || len(a.Start) == a.Out && len(a.Count) == a.Out &&
			max(len(a.Weights), len(a.Wide)) >= a.Out*a.Stride && a.Precision >= 1 && a.Precision <= 22), "taps")
	}
	return errors.Join(p.list...)
}

// countable reports whether a product is below 2^31.
func countable(numbers ...int) bool {
	product := 1
	for _, n := range numbers {
		if n <= 0 || product > math.MaxInt32/n {
			return false
		}
		product *= n
	}
	return true
}

// Mirrored returns an axis whose outputs come in reverse order. kernel.Plan refuses it, since its Start decreases.
func Mirrored(a kernel.Axis) kernel.Axis {
	if a.Start == nil {
		m := kernel.Axis{In: a.In, Out: a.Out, Stride: 1, Precision: identityPrecision}
		for i := range a.Out {
			m.Start, m.Count = append(m.Start, int32(a.Out-1-i)), append(m.Count, 1)
			m.Weights = append(m.Weights, 1<<identityPrecision)
		}
		return m
	}
	a.Start, a.Count = reversed(a.Start, 1), reversed(a.Count, 1)
	a.Weights, a.Wide = reversed(a.Weights, a.Stride), reversed(a.Wide, a.Stride)
	return a
}

// reversed returns groups of n values in reverse order.
func reversed[T any](all []T, n int) (r []T) {
	for end := len(all); end >= n; end -= n {
		r = append(r, all[end-n:end]...)
	}
	return r
}

// Between is the number of bytes between the passes.
func (r *Resize) Between() int {
	if r.VerticalFirst {
		return r.V.Out * r.H.In * r.Channels
	}
	return r.V.In * r.H.Out * r.Channels
}

// Taps are the taps of both axes for the device.
func (r *Resize) Taps() []byte { return appendTaps(appendTaps(nil, &r.H), &r.V) }

// appendTaps appends the taps of an axis, as spool_resize describes them. An identity has one tap for each place.
func appendTaps(to []byte, a *kernel.Axis) []byte {
	for i := range a.Out {
		if a.Start == nil {
			for _, n := range []int{i, 1, 1 << identityPrecision} {
				to = binary.NativeEndian.AppendUint32(to, uint32(n))
			}
			continue
		}
		to = binary.NativeEndian.AppendUint32(to, uint32(a.Start[i]))
		to = binary.NativeEndian.AppendUint32(to, uint32(a.Count[i]))
		for j := range a.Stride {
			to = binary.NativeEndian.AppendUint32(to, uint32(weight(a, i*a.Stride+j)))
		}
	}
	return to
}

const identityPrecision = 1

func weight(a *kernel.Axis, i int) int32 {
	if a.Wide != nil {
		return a.Wide[i]
	}
	return int32(a.Weights[i])
}

// pass describes a pass along an axis.
func pass(a *kernel.Axis) C.spool_resize {
	p := C.spool_resize{in: C.uint(a.In), out: C.uint(a.Out), stride: C.uint(a.Stride), precision: C.uint(a.Precision)}
	if a.Start == nil {
		p.stride, p.precision = 1, identityPrecision
	}
	return p
}

// Resize queues a resize of an image. taps has the bytes of Taps, and between room for Between bytes.
func (k *Kernels) Resize(s cuda.Stream, r *Resize, in, taps, between, out cuda.Pointer) error {
	if err := r.Validate(); err != nil {
		return err
	}
	h, v := pass(&r.H), pass(&r.V)
	tapsOfV := taps + cuda.Pointer(4*r.H.Out*int(h.stride+2))
	in += cuda.Pointer((r.Top*r.Width + r.Left) * r.Channels)
	pitch := C.uint(r.Width * r.Channels) // of the input of the first pass
	h.inner, h.tap_pitch = C.uint(r.Channels), C.uint(r.Channels)
	v.lines = 1
	if r.VerticalFirst {
		v.inner, v.tap_pitch = C.uint(r.H.In*r.Channels), pitch
		h.lines, h.line_pitch = C.uint(r.V.Out), v.inner
		return errors.Join(k.pass(s, v, in, tapsOfV, between), k.pass(s, h, between, taps, out))
	}
	h.lines, h.line_pitch = C.uint(r.V.In), pitch
	v.inner = C.uint(r.H.Out * r.Channels)
	v.tap_pitch = v.inner
	return errors.Join(k.pass(s, h, in, taps, between), k.pass(s, v, between, tapsOfV, out))
}

func (k *Kernels) pass(s cuda.Stream, p C.spool_resize, in, taps, out cuda.Pointer) error {
	launch := C.spool_resize_launch{in: C.ulonglong(in), taps: C.ulonglong(taps), out: C.ulonglong(out), p: p}
	return k.launch(s, "resize", blocks(int(p.lines*p.out*p.inner), 1), 1, unsafe.Pointer(&launch), unsafe.Sizeof(launch))
}

// OnHost does the same as Kernels.Resize on the host, synchronously.
func (r *Resize) OnHost(in, out []byte) error {
	if err := r.Validate(); err != nil {
		return err
	}
	if len(in) != r.Width*r.Height*r.Channels || len(out) != r.H.Out*r.V.Out*r.Channels {
		return fmt.Errorf("%w: resize: %d bytes into %d for %+v", spool.ErrShape, len(in), len(out), r)
	}
	in = in[(r.Top*r.Width+r.Left)*r.Channels:]
	between := make([]byte, r.Between())
	if r.VerticalFirst {
		inner := r.H.In * r.Channels
		along(&r.V, 1, 0, r.Width*r.Channels, inner, in, between)
		along(&r.H, r.V.Out, inner, r.Channels, r.Channels, between, out)
		return nil
	}
	along(&r.H, r.V.In, r.Width*r.Channels, r.Channels, r.Channels, in, between)
	along(&r.V, 1, 0, r.H.Out*r.Channels, r.H.Out*r.Channels, between, out)
	return nil
}

// along does a pass along an axis: see spool_resize.
func along(a *kernel.Axis, lines, linePitch, tapPitch, inner int, in, out []byte) {
	for line := range lines {
		for place := range a.Out {
			first, count := place, 1
			if a.Start != nil {
				first, count = int(a.Start[place]), int(a.Count[place])
			}
			from := in[line*linePitch+first*tapPitch:]
			for i := range inner {
				if a.Start == nil {
					out[i] = from[i]
					continue
				}
				sum := 1 << (a.Precision - 1)
				for j := range count {
					sum += int(weight(a, place*a.Stride+j)) * int(from[j*tapPitch+i])
				}
				out[i] = byte(min(max(sum>>a.Precision, 0), 255))
			}
			out = out[inner:]
		}
	}
}
