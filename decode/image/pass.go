package image

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/internal/pixels"
	"github.com/spoolmedia/spool/internal/memo"
	"github.com/spoolmedia/spool/resize"
)

// pass is the kernels' work for the images of one geometry.
type pass struct {
	planes *kernel.PreparedPlanes // in front of rows; nil where the lane gives rows
	rows   *kernel.Prepared
}

// keptPasses is how many passes a decoder keeps: data sets have images of a few sizes, or of any size.
const keptPasses = 64

func newPasses() *memo.Cache[passKey, pass] {
	return memo.New[passKey](keptPasses, func(pass) int64 { return 1 })
}

// passKey is all that a pass depends on.
type passKey struct {
	width, height, orientation int // of the lane's rows
	intake                     pixels.Intake
	planes                     planes // zero where the lane gives rows
	geometry                   resize.Plan
	resize                     resize.Spec
	color                      decode.Color
	over                       decode.RGB8
	dtype                      spool.DType
	layout                     spool.Layout
	mean, std                  channels
}

// channels are values of up to four channels.
type channels struct {
	n      int
	values [4]float32
}

func channelsOf(values []float32) (c channels) {
	c.n = copy(c.values[:], values)
	return c
}

// key is the key of the plan's pass.
func (p *plan) key() passKey {
	t := p.target()
	s := t.Spec
	k := passKey{width: p.info.Width, height: p.info.Height, orientation: p.info.Orientation, intake: p.intake,
		geometry: p.geometry, resize: s.Resize, color: s.Color, over: s.Over, dtype: s.DType, layout: t.Desc.Layout,
		mean: channelsOf(s.Mean), std: channelsOf(s.Std)}
	if p.planes != nil {
		k.planes = *p.planes
	}
	return k
}

// pass is the pass of the plan. A fixed geometry is likely to come again; a drawn one is not.
func (p *plan) pass(ctx context.Context) (pass, error) {
	if p.spec.Draw != nil {
		return p.prepare()
	}
	kept, _, err := p.decoder.passes.Get(ctx, p.key(), func(context.Context) (pass, error) { return p.prepare() })
	return kept, err
}

func (p *plan) prepare() (made pass, err error) {
	if p.planes == nil {
		rows := p.target().Plan(p.intake)
		made.rows, err = rows.Prepare()
		return made, err
	}
	if made.planes, err = p.planes.prepare(p); err != nil {
		return pass{}, err
	}
	rows := p.target().PlanAfterPlanes(p.intake)
	made.rows, err = rows.Prepare()
	return made, err
}
