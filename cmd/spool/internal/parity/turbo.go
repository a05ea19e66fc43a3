package parity

import (
	"context"
	"fmt"
	"io"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/output"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
)

// turbo is the name in --against for spool's JPEG decoder with libjpeg-turbo only.
const turbo = "turbo"

// engines compares the cases of a JPEG file, decoded as usual and with libjpeg-turbo only. It counts files of other
// formats.
func (p *parity) engines(ctx context.Context, d *decoders.Set, name string, info image.Info, data []byte,
	cases []resize.Spec, r *report) error {
	if info.Format != format.JPEG && info.Format != 0 {
		r.others++
		return nil
	}
	before := d.Images.JPEG()
	for _, s := range cases {
		for _, s.Profile = range p.profiles {
			c := newComparison(name, info.Format, s)
			c.Reader = "libjpeg-turbo"
			apart, err := p.engineDifference(ctx, d, data, s, &c)
			if err == nil {
				err = r.add(c, apart)
			}
			if err != nil {
				return err
			}
		}
	}
	r.count(since(before, d.Images.JPEG()))
	return nil
}

// engineDifference returns the difference between the two images, or nil if there are none, and completes c. Warnings
// and errors must be equal as well.
func (p *parity) engineDifference(ctx context.Context, d *decoders.Set, data []byte, s resize.Spec,
	c *comparison) (*difference, error) {
	spec := p.spec
	spec.Resize = s
	before := d.Images.JPEG()
	ours, our, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
	c.Engine, c.Reason = since(before, d.Images.JPEG())
	if err == nil {
		defer ours.Release()
	} else {
		c.Error["spool"] = classAndText(err)
	}
	theirs, their, err := p.turbo.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
	if err == nil {
		defer theirs.Release()
	} else {
		c.Error[turbo] = classAndText(err)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(c.Error) == 0 && (our.Warnings != their.Warnings || our.Warning != their.Warning) {
		c.Error["spool"] = fmt.Sprintf("%d warnings (%s) instead of %d (%s)", our.Warnings, our.Warning, their.Warnings,
			their.Warning)
	}
	if len(c.Error) > 0 {
		return nil, nil
	}
	apart := new(difference)
	apart.add(ours.Bytes(), theirs.Bytes())
	return apart, nil
}

// since returns what decoded a file between two counts, and why libjpeg-turbo did in at least one case.
func since(before, after image.JPEGCounts) (engine, reason string) {
	for reason, n := range after.Left {
		if n > before.Left[reason] {
			return turbo, reason
		}
	}
	if after.Own > before.Own {
		return "own", ""
	}
	return "", "" // its header was refused
}

// count counts a file by its decoder.
func (r *report) count(engine, reason string) {
	switch engine {
	case "own":
		r.JPEG.Own++
	case turbo:
		r.JPEG.Turbo++
		r.JPEG.Left[reason]++
	}
}

// printEngines prints which engine decoded the files, and how many were skipped.
func (r *report) printEngines(w io.Writer) {
	fmt.Fprintf(w, "\nof %d files %d by our engine, %d left to libjpeg-turbo", r.JPEG.Own+r.JPEG.Turbo, r.JPEG.Own,
		r.JPEG.Turbo)
	if r.JPEG.Turbo > 0 {
		fmt.Fprintf(w, ": %s", output.Counts(r.JPEG.Left))
	}
	if r.others > 0 {
		fmt.Fprintf(w, "; %d are no JPEG", r.others)
	}
	fmt.Fprintln(w)
}
