package decode

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

// picture is a decode that is planned but not begun.
type picture struct {
	lane     lane
	info     ImageInfo
	spec     ImageSpec
	geometry resize.Plan
	desc     spool.Desc
}

// open reads the header, checks the limits and plans the decode.
func (d *Decoder) open(ctx context.Context, data []byte, spec ImageSpec) (picture, error) {
	if err := spec.Validate(); err != nil {
		return picture{}, err
	}
	lane, info, err := header(ctx, data, d.limits)
	if err != nil {
		return picture{}, err
	}
	if spec.Stored {
		info.Orientation = 1
	}
	p := picture{lane: lane, info: info, spec: spec}
	width, height := info.Oriented()
	if p.geometry, err = spec.Resize.Plan(width, height, d.tables); err != nil {
		return picture{}, err
	}
	p.desc = spec.desc(p.geometry.OutWidth, p.geometry.OutHeight)
	if n, ok := p.desc.Bytes(); !ok || int64(n) > d.limits.MaxMemory {
		return picture{}, tooLarge("a result of %v, the limit is %d bytes", p.desc, d.limits.MaxMemory)
	}
	return p, nil
}

// run decodes into dst, which has the size of p.desc.
func (d *Decoder) run(ctx context.Context, data []byte, p picture, dst []byte) (ImageReport, error) {
	steps := p.steps()
	need := 0
	for i := range steps {
		need += steps[i].scratch()
	}
	need -= aligned(steps[len(steps)-1].bytes()) // the last one's result is dst
	if all := int64(need) + int64(len(dst)) + p.info.workingSet(); all > d.limits.MaxMemory {
		return ImageReport{}, tooLarge("decoding %dx%d to %v takes about %d bytes of memory, the limit is %d",
			p.info.Width, p.info.Height, p.desc, all, d.limits.MaxMemory)
	}
	buffer, err := d.scratch.GetFor(ctx, need, spool.Scratch)
	if err != nil {
		return ImageReport{}, ended(ctx, err)
	}
	defer buffer.Release()

	done, err := p.walk(ctx, data, steps, dst, buffer.Bytes(), d.limits.MaxMemory)
	if err != nil {
		return ImageReport{}, ended(ctx, err)
	}
	return ImageReport{Info: p.info, Desc: p.desc, Damaged: done.damaged, Fraction: done.fraction, Warnings: done.warnings, Warning: done.warning}, nil
}

// header finds the lane of a picture and reads its header, under the limits.
func header(ctx context.Context, data []byte, limits Limits) (lane, ImageInfo, error) {
	if err := limits.file(len(data)); err != nil {
		return nil, ImageInfo{}, err
	}
	format := sniff(data)
	lane := laneOf(format)
	if lane == nil {
		return nil, ImageInfo{}, refuse("decode", format)
	}
	info, err := lane.header(ctx, data, format)
	if err != nil {
		return nil, ImageInfo{}, ended(ctx, err)
	}
	if info.Width <= 0 || info.Height <= 0 {
		return nil, ImageInfo{}, &spool.Error{Op: "decode", Class: spool.ErrCorrupt, Text: fmt.Sprintf("a picture of %dx%d", info.Width, info.Height)}
	}
	return lane, info, limits.picture(info)
}
