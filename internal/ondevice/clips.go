package ondevice

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/spoolmedia/spool/decode/device"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/deviceframes"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/transfer"
)

// Clips decodes clips by NVDEC. It is safe for concurrent use.
type Clips struct {
	videos  *video.Device
	gpu     *transfer.Device
	copiers chan *transfer.Copier // unused ones: each clip has one for itself

	onDevice, onHost atomic.Int64
}

// NewClips opens NVDEC. The caller owns the result.
func NewClips(o video.DeviceOptions) (_ *Clips, err error) {
	d := &Clips{copiers: make(chan *transfer.Copier, 64)}
	if d.videos, err = video.NewDevice(o); err != nil {
		return nil, err
	}
	var first *transfer.Copier
	if d.gpu, first, err = open(o.Device, "", 1); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.copiers <- first
	return d, nil
}

// copier returns a copier that no other clip uses.
func (d *Clips) copier() (*transfer.Copier, error) {
	select {
	case c := <-d.copiers:
		return c, nil
	default:
		return transfer.NewCopier(d.gpu, transfer.CopierOptions{Slabs: 1})
	}
}

// put takes back a copier.
func (d *Clips) put(c *transfer.Copier) error {
	select {
	case d.copiers <- c:
		return nil
	default:
		return c.Close()
	}
}

// Decode decodes frames of a video to memory of the size of the result. It reports false if the host has to decode
// them, by a spec that has the geometry that was drawn: NVDEC declines the video, or a frame is damaged. Errors are
// those of the device and of ctx.
func (d *Clips) Decode(ctx context.Context, v *video.Video, frames []int, s *video.Spec, to []byte) (r video.Report,
	ok bool, err error) {
	r, ok, err = d.decode(ctx, v, frames, s, to)
	switch {
	case err == nil && ok:
		d.onDevice.Add(1)
	case err == nil:
		d.onHost.Add(1)
	}
	return r, ok, err
}

func (d *Clips) decode(ctx context.Context, v *video.Video, frames []int, s *video.Spec, to []byte) (r video.Report,
	ok bool, err error) {
	width, height := v.Info().Oriented()
	if s.Draw != nil {
		if s.Resize, err = s.Draw(width, height); err != nil {
			return r, false, err
		}
		drawn := s.Resize
		s.Draw = func(int, int) (resize.Spec, error) { return drawn, nil }
	}
	plan, err := s.Resize.Plan(width, height, nil)
	if err != nil || deviceframes.Refusal(v.Info(), *s) != nil {
		return r, false, nil // the host reports it
	}
	c, err := d.copier()
	if err != nil {
		return r, false, err
	}
	defer func() { err = errors.Join(err, d.put(c)) }()
	on, decoded, why, err := deviceframes.Decode(ctx, v, d.videos, c, frames, *s,
		func(work func(context.Context) (*transfer.Batch, error)) (*transfer.Batch, error) { return work(ctx) })
	if err != nil || why != nil {
		return r, false, err
	}
	defer on.Release()
	if err := on.FetchInto(0, to); err != nil {
		return r, false, err
	}
	return video.Report{Desc: on.Arrays()[0].Desc, Frames: decoded, Region: plan.Region, FlipX: plan.FlipX,
		FlipY: plan.FlipY}, true, nil
}

// Counts returns the clips so far by where they were decoded.
func (d *Clips) Counts() device.Counts {
	c := device.Counts{Device: d.onDevice.Load()}
	if n := d.onHost.Load(); n > 0 {
		c.Host = map[string]int64{"declined": n}
	}
	return c
}

// Close frees everything. No clip may be decoded.
func (d *Clips) Close() (err error) {
	for len(d.copiers) > 0 {
		err = errors.Join(err, (<-d.copiers).Close())
	}
	err = errors.Join(err, d.videos.Close())
	if d.gpu != nil {
		err = errors.Join(err, d.gpu.Close())
	}
	return err
}
