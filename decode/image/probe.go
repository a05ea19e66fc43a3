package image

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/decode/internal/contents"
	"github.com/spoolmedia/spool/decode/internal/failure"
)

// Probe reads an image's header without decoding it. It reads the whole object, as [Decoder.Decode] does, and returns
// the same errors.
func Probe(ctx context.Context, object spool.Object, limits decode.Limits) (Info, error) {
	limits = limits.WithDefaults()
	data, _, err := contents.Read(ctx, object, limits, nil)
	if err != nil {
		return Info{}, contents.Named(object, failure.Ended(ctx, err))
	}
	info, err := ReadHeader(ctx, data, limits)
	if err != nil {
		return Info{}, contents.Named(object, err)
	}
	return info.Detached(), nil
}

// ReadHeader reads the header of the image in data, under limits, which have their defaults set. Where it is not
// Detached, the result refers to data.
func ReadHeader(ctx context.Context, data []byte, limits decode.Limits) (Info, error) {
	_, info, err := lanes{}.header(ctx, data, 0, limits)
	return info, err
}

// CheckFormat returns nil if images of a format are decoded without a loader that must be allowed. Otherwise it returns
// the error for such an image.
func CheckFormat(f format.Format) error {
	if (lanes{}).of(f) == nil {
		return refuse("probe", f)
	}
	return nil
}

// Measure reports what Decode would give, from the image's header only: Desc, Region, FlipX, FlipY and Info. It calls
// spec.Draw, as Decode does. Input and errors are those of Decode, as far as the header tells.
func (d *Decoder) Measure(ctx context.Context, object spool.Object, spec Spec) (report Report, err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		if d.isolated(ctx, data, spec.Allow) {
			report, err = d.measureInHelper(ctx, data, spec)
		} else {
			report, err = d.measure(ctx, data, spec)
		}
		return err
	})
	return report, err
}

func (d *Decoder) measure(ctx context.Context, data []byte, spec Spec) (Report, error) {
	p, err := d.open(ctx, data, spec)
	if err != nil {
		return Report{}, err
	}
	g := &p.geometry
	return Report{Info: p.stored.Detached(), Desc: p.desc, Region: g.Region, FlipX: g.FlipX, FlipY: g.FlipY}, nil
}
