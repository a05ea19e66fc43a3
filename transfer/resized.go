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
	Offset int           // of the image in the memory that is filled
	Desc   spool.Desc    // of the image: uint8, HWC
	Region resize.Region // the area of the image that the result shows, mirrored as the spec says
	plan   kernels.Resize
}

// NewResized plans the resize of an image at an offset.
//
//	Errors: those of Spec.Plan, and spool.ErrOptions for padding and profile Fast, which a device does not do;
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
	if s.Profile == resize.Fast || p.W != p.OutWidth || p.H != p.OutHeight {
		return Resized{}, fmt.Errorf("%w: a device does not pad, or resize by profile fast", spool.ErrOptions)
	}
	k := kernels.Resize{Width: width, Height: height, Channels: image.Shape[2], Left: p.Left, Top: p.Top, Right: p.Right,
		Bottom: p.Bottom, H: kernel.Axis(*p.Horizontal), V: kernel.Axis(*p.Vertical), VerticalFirst: p.VerticalFirst}
	if p.FlipX {
		k.H = kernels.Mirrored(k.H)
	}
	if p.FlipY {
		k.V = kernels.Mirrored(k.V)
	}
	return Resized{Offset: offset, Desc: image, Region: p.Region, plan: k}, k.Validate()
}

// Result describes the resized image.
func (r *Resized) Result() spool.Desc {
	return spool.Desc{Shape: spool.Shape{r.plan.V.Out, r.plan.H.Out, r.plan.Channels}, Layout: spool.HWC}
}

const resizedAlignment = 256 // of images in a batch

// FillResized is [Copier.Fill] for images that the device then resizes. queue writes the images to memory of the
// copier, at their offsets. The batch has an array for each, of uint8, HWC, in the same order. The bytes are those of
// decoding with the same resize.Spec, if the images are those of decoding without one.
//
//   - Ownership, cancellation and errors are those of Fill.
//   - Cost: two passes over each image on the device.
//   - Memory: one more block, shared by all slabs, holds images in flight, their taps, and an image between the passes.
func (c *Copier) FillResized(ctx context.Context, images []Resized, release func(),
	queue func(memory uint64, s spool.DeviceStream) error) (*Batch, error) {
	var parts []ArrayAt
	var places []int
	end := 0
	for i := range images {
		n, _ := images[i].Result().Bytes()
		parts, places = append(parts, ArrayAt{Offset: end, Desc: images[i].Result()}), append(places, end)
		end += aligned(n)
	}
	return c.fillResized(ctx, images, places, parts, release, queue)
}

// fillResized is FillResized into a batch with other parts. The result of an image begins at its place.
func (c *Copier) fillResized(ctx context.Context, images []Resized, places []int, parts []ArrayAt, release func(),
	queue func(memory uint64, s spool.DeviceStream) error) (*Batch, error) {
	if c.ring.lease == nil || len(images) == 0 {
		return nil, fmt.Errorf("%w: %d images on %s", spool.ErrOptions, len(images), c.ring.device.Name())
	}
	w := newResizing(images)
	r, size := c.ring, 0
	for i, place := range places {
		n, _ := images[i].Result().Bytes()
		size = max(size, place+n)
	}
	done := func() {
		w.pinned.Unpin()
		release()
	}
	b, err := c.start(ctx, load{size: size, parts: parts, release: done, queue: func(s *slab) error {
		k, err := r.lease.kernels()
		if err != nil {
			return err
		}
		if err := r.grow(&r.staging, w.filled+aligned(len(w.taps))+w.between); err != nil {
			return err
		}
		memory, stream := r.staging.memory, r.upload.stream
		if err := queue(uint64(memory), spool.DeviceStream(stream)); err != nil {
			return err
		}
		taps := memory + cuda.Pointer(w.filled)
		if err := r.lease.context.ToDevice(taps, w.taps, stream); err != nil {
			return err
		}
		between := taps + cuda.Pointer(aligned(len(w.taps)))
		var errs []error
		for i := range images {
			from, to := memory+cuda.Pointer(images[i].Offset), s.memory+cuda.Pointer(places[i])
			errs = append(errs, k.Resize(stream, &images[i].plan, from, taps+cuda.Pointer(w.first[i]), between, to))
		}
		return errors.Join(errs...)
	}})
	if err != nil {
		w.pinned.Unpin()
	}
	return b, err
}

// resizing is what the device needs for images, besides them and their results.
type resizing struct {
	filled, between int // bytes of all images, and of the largest between its passes
	taps            []byte
	first           []int // of the taps of each image
	pinned          runtime.Pinner
}

func newResizing(images []Resized) *resizing {
	w := &resizing{}
	for i := range images {
		r := &images[i]
		n, _ := r.Desc.Bytes()
		w.filled, w.between = max(w.filled, aligned(r.Offset+n)), max(w.between, r.plan.Between())
		w.first, w.taps = append(w.first, len(w.taps)), append(w.taps, r.plan.Taps()...)
	}
	w.pinned.Pin(unsafe.SliceData(w.taps))
	return w
}

// aligned rounds up to the alignment of images.
func aligned(n int) int { return (n + resizedAlignment - 1) / resizedAlignment * resizedAlignment }
