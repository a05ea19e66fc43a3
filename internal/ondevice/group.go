package ondevice

import (
	"context"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/transfer"
)

// Shown is the area of an image, or of the frames of a clip, that a result shows.
type Shown struct {
	Region       resize.Region
	FlipX, FlipY bool
}

// Decode decodes an image to memory of the size of its result. While the device is busy with earlier groups, images of
// other callers join. It reports false if the host has to decode the image: nvJPEG does not take it, the device does
// not resize it like this, or the image is bad. The spec then has the geometry that was drawn.
//
// Errors are those of the device and of ctx. Data and memory are in use until Decode returns.
func (d *Images) Decode(ctx context.Context, data []byte, s *image.Spec, to []byte) (shown Shown, ok bool, err error) {
	w := &waiting{data: data, done: make(chan struct{})}
	if ok, err = d.plan(ctx, w, s); !ok || err != nil {
		return Shown{}, false, err
	}
	d.mu.Lock()
	d.waiting = append(d.waiting, w)
	d.mu.Unlock()
	if err := d.wait(ctx, w); err != nil || w.batch == nil {
		return Shown{}, false, err
	}
	defer w.batch.Release()
	if err := w.batch.FetchInto(w.array, to); err != nil {
		return Shown{}, false, err
	}
	return Shown{w.planned.Region, s.Resize.FlipX, s.Resize.FlipY}, true, nil
}

// plan plans the resize of an image that nvJPEG takes. It reports false if the host has to decode the image.
func (d *Images) plan(ctx context.Context, w *waiting, s *image.Spec) (bool, error) {
	b, err := d.decoder.Plan(ctx, [][]byte{w.data})
	if err != nil {
		return false, err
	}
	defer b.Release()
	p := b.Images[0]
	if p.Err != nil || p.Host != device.OnDevice {
		return false, nil // the host reports it
	}
	if s.Draw != nil {
		if s.Resize, err = s.Draw(p.Info.Width, p.Info.Height); err != nil {
			return false, err
		}
		drawn := s.Resize
		s.Draw = func(int, int) (resize.Spec, error) { return drawn, nil }
	}
	w.planned, err = transfer.NewResized(0, p.Desc, s.Resize)
	return err == nil, nil
}

// wait waits until an image was decoded. The first caller that gets a turn decodes the images of all that wait.
func (d *Images) wait(ctx context.Context, w *waiting) error {
	for {
		select {
		case <-w.done:
			return w.err
		case d.turns <- struct{}{}:
			d.mu.Lock()
			group := d.waiting
			d.waiting = nil
			d.mu.Unlock()
			if len(group) > 0 { // w may be in the group of another caller
				d.decode(context.WithoutCancel(ctx), group)
			}
			<-d.turns
		case <-ctx.Done():
			if d.leave(w) {
				return ctx.Err()
			}
			<-w.done // the device reads the image
			return w.err
		}
	}
}

// leave removes an image that is in no group yet.
func (d *Images) leave(w *waiting) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.waiting, w)
	if i < 0 {
		return false
	}
	d.waiting = slices.Delete(d.waiting, i, i+1)
	return true
}

// decode decodes a group of images on the device, and waits until they are done.
func (d *Images) decode(ctx context.Context, group []*waiting) {
	on, refused, err := d.fill(ctx, group)
	if err == nil {
		if err = on.Wait(ctx); err != nil {
			on.Release()
			on = nil
		}
	}
	for i, w := range group {
		if w.err = err; err == nil && !refused[i] {
			w.batch, w.array = on.Retain(), i
		}
		close(w.done)
	}
	if on != nil {
		on.Release()
	}
}

// fill queues the work of the device. It reports which images nvJPEG has refused.
func (d *Images) fill(ctx context.Context, group []*waiting) (on *transfer.Batch, refused []bool, err error) {
	data, planned := make([][]byte, len(group)), make([]transfer.Resized, len(group))
	for i, w := range group {
		data[i] = w.data
	}
	b, err := d.decoder.Plan(ctx, data)
	if err != nil {
		return nil, nil, err
	}
	for i, w := range group {
		planned[i] = w.planned
		planned[i].Offset = b.Images[i].Offset
	}
	on, err = d.copier.FillResized(ctx, planned, b.Release, func(memory uint64, s spool.DeviceStream) error {
		return b.Decode(ctx, memory, s)
	})
	if err != nil {
		b.Release()
		return nil, nil, err
	}
	refused = make([]bool, len(group))
	for i, p := range b.Images {
		refused[i] = p.Host != device.OnDevice
	}
	return on, refused, nil
}
