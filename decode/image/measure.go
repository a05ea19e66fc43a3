package image

import (
	"context"

	"github.com/spoolmedia/spool"
)

// Measure reports what Decode would give, from the image's header only: Desc, Region, FlipX, FlipY and Info. It calls
// spec.Draw, as Decode does. Input and errors are those of Decode, as far as the header tells.
func (d *Decoder) Measure(ctx context.Context, object spool.Object, spec Spec) (report Report, err error) {
	err = d.reading(ctx, object, func(data []byte) error {
		p, err := d.open(ctx, data, spec)
		if err != nil {
			return err
		}
		g := &p.geometry
		report = Report{Info: p.stored.Detached(), Desc: p.desc, Region: g.Region, FlipX: g.FlipX, FlipY: g.FlipY}
		return nil
	})
	return report, err
}
