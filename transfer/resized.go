package transfer

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/cuda"
	"github.com/spoolmedia/spool/cbridge/cuda/kernels"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/resize"
)

// Resized is an image that the device resizes after it was filled: see [Copier.FillResized].
type Resized struct {
	Offset int        // of the image in the memory that is filled
	Desc   spool.Desc // of the image: uint8, HWC
	plan   kernels.Resize
}

// NewResized plans the resize of an image at an offset.
//
//	Errors: those of Spec.Plan, and spool.ErrOptions for what a device does not do: padding, flips and profile Fast;
//	        spool.ErrShape for another image than of uint8, HWC.
func NewResized(offset int, image spool.Desc, s resize.Spec) (Resized, error) {
	if image.DType != spool.Uint8 || image.Layout != spool.HWC || len(image.Shape) != 3 || offset < 0 {
		return Resized{}, fmt.Errorf("%w: %v at byte %d is not an image of uint8, HWC", spool.ErrShape, image, offset)
	}
	height, width := image.Shape[0], image.Shape[1]
	p, err := s.Plan(width, height, nil)
	if err != nil {
		return Resized{}, err
	}
	if s.Profile == resize.Fast || p.FlipX || p.FlipY || p.W != p.OutWidth || p.H != p.OutHeight {
		return Resized{}, fmt.Errorf("%w: a device does not pad, flip or resize by profile fast", spool.ErrOptions)
	}
	k := kernels.Resize{Width: width, Height: height, Channels: image.Shape[2], Left: p.Left, Top: p.Top, Right: p.Right,
		Bottom: p.Bottom, H: kernel.Axis(*p.Horizontal), V: kernel.Axis(*p.Vertical), VerticalFirst: p.VerticalFirst}
	return Resized{Offset: offset, Desc: image, plan: k}, k.Validate()
}

// Result describes the resized image.
func (r *Resized) Result() spool.Desc {
	return spool.Desc{Shape: spool.Shape{r.plan.V.Out, r.plan.H.Out, r.plan.Channels}, Layout: spool.HWC}
}

const resizedAlignment = 256 // of images in a batch

// FillResized is [Copier.Fill] for images that the device then resizes. queue writes the images to memory of the copier,
// at their offsets. The batch has an array for each, of uint8, HWC, in the same order. The bytes are those of decoding with
// the same resize.Spec, if the images are those of decoding without one.
//
//   - Ownership, cancellation and errors are those of Fill.
//   - Cost: two passes over each image on the device.
//   - Memory: one more block, shared by all slabs, holds images in flight, their taps, and one image between the passes.
func (c *Copier) FillResized(ctx context.Context, images []Resized, release func(),
	queue func(memory uint64, s spool.DeviceStream) error) (*Batch, error) {
	filled, between := 0, 0
	var taps []byte
	var parts []ArrayAt
	var places []int // of the taps of each image
	offset := 0
	for i := range images {
		r := &images[i]
		n, _ := r.Desc.Bytes()
		filled = max(filled, aligned(r.Offset+n))
		between = max(between, r.plan.Between())
		places = append(places, len(taps))
		taps = append(taps, r.plan.Taps()...)
		parts = append(parts, ArrayAt{Offset: offset, Desc: r.Result()})
		n, _ = r.Result().Bytes()
		offset += aligned(n)
	}
	if c.ring.lease == nil || len(images) == 0 {
		return nil, fmt.Errorf("%w: %d images on %s", spool.ErrOptions, len(images), c.ring.device.Name())
	}
	r := c.ring
	var pinned runtime.Pinner
	pinned.Pin(unsafe.SliceData(taps))
	done := func() {
		pinned.Unpin()
		release()
	}
	b, err := c.start(ctx, load{size: offset, parts: parts, release: done, queue: func(s *slab) error {
		k, err := r.lease.kernels()
		if err != nil {
			return err
		}
		if err := r.grow(&r.staging, filled+aligned(len(taps))+between); err != nil {
			return err
		}
		memory, stream := r.staging.memory, r.upload.stream
		if err := queue(uint64(memory), spool.DeviceStream(stream)); err != nil {
			return err
		}
		at := memory + cuda.Pointer(filled)
		if err := r.lease.context.ToDevice(at, taps, stream); err != nil {
			return err
		}
		room := at + cuda.Pointer(aligned(len(taps)))
		var errs []error
		for i := range images {
			from, to := memory+cuda.Pointer(images[i].Offset), s.memory+cuda.Pointer(parts[i].Offset)
			errs = append(errs, k.Resize(stream, &images[i].plan, from, at+cuda.Pointer(places[i]), room, to))
		}
		return errors.Join(errs...)
	}})
	if err != nil {
		pinned.Unpin()
	}
	return b, err
}

// aligned rounds up to the alignment of images.
func aligned(n int) int { return (n + resizedAlignment - 1) / resizedAlignment * resizedAlignment }
