package record

import (
	"context"
	"errors"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/order"
)

// Ahead is videos of a record that were opened before Decode, with the packets of their clips. A nil Ahead has none.
type Ahead struct {
	videos map[string]*chosen // by field
}

// Prefetches reports whether Prefetch fetches packets of an input: it has videos.
func (p *Plan) Prefetches(input int) bool {
	for i := range p.fields {
		if _, ok := p.fields[i].Kind.(Video); ok && p.fields[i].input == input {
			return true
		}
	}
	return false
}

// Prefetch opens the videos of the inputs for which videos is true, and fetches the packets of their clips into memory.
// Decode then need not wait for them, with the result as Decoders.Ahead. The caller closes the result after Decode, and
// before the memory. Other arguments and errors are those of Decode, but all inputs are lent until then.
func (p *Plan) Prefetch(ctx context.Context, d Decoders, inputs []spool.Object, videos []bool, memory *spool.Pool,
	by order.Draw) (_ *Ahead, err error) {
	a := &Ahead{videos: map[string]*chosen{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close())
		}
	}()
	r := run{Plan: p, ctx: ctx, decoders: d, inputs: inputs, draw: by}
	for i := range p.fields {
		f := &p.fields[i]
		if _, ok := f.Kind.(Video); !ok || !videos[f.input] || inputs[f.input] == nil {
			continue
		}
		c, err := r.choose(f, func(o video.OpenOptions) (*OpenVideo, error) {
			o.Memory, o.Workers = memory, max(o.Workers, 1)
			return openVideo(ctx, d.Videos, inputs[f.input], o)
		})
		if c != nil {
			a.videos[f.Name] = c
		}
		if err != nil {
			return nil, inField(f.Name, err)
		}
		if c == nil {
			continue
		}
		var frames []int
		for _, x := range c.clips {
			frames = append(frames, x.frames...)
		}
		if err := c.Expect(ctx, frames); err != nil {
			return nil, inField(f.Name, err)
		}
	}
	return a, nil
}

// of returns the video of a field, or nil.
func (a *Ahead) of(field string) *chosen {
	if a == nil {
		return nil
	}
	return a.videos[field]
}

// take returns the video of a field, which the caller owns, or nil.
func (a *Ahead) take(field string) *chosen {
	c := a.of(field)
	if c != nil {
		delete(a.videos, field)
	}
	return c
}

// Close closes the videos that Decode has not used.
func (a *Ahead) Close() (err error) {
	for field := range a.videos {
		err = errors.Join(err, a.take(field).file.close())
	}
	return err
}
