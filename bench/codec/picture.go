package codec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/resize"
)

// picture is what is measured.
type picture struct {
	data          []byte // of its file
	width, height int    // as stored
	ppm           []byte // its pixels as a file that costs next to nothing to decode
	lane          string // what decoded it
	without       []bool // by step: it has none
}

// rgb are the picture's pixels.
func (p *picture) rgb() []byte { return p.ppm[len(p.ppm)-3*p.width*p.height:] }

// memory takes the result of any step.
func (p *picture) memory(size int) []byte {
	return make([]byte, max(3*p.width*p.height, 4*3*size*size))
}

// open decodes a file and compares the ways to its pixels.
func (b *Bench) open(ctx context.Context, data []byte) (*picture, error) {
	info, err := decode.ProbeImage(ctx, data, decode.Limits{})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(b.codec.formats, info.Format) {
		return nil, fmt.Errorf("%v where %s is measured", info.Format, b.codec.Name)
	}
	pixels, report, err := b.decoder.Image(ctx, data, asStored)
	if err != nil {
		return nil, err
	}
	defer pixels.Release()
	p := &picture{data: data, width: info.Width, height: info.Height, lane: "spool, " + report.Road.Lane}
	if report.Road.Engine != "" {
		p.lane += " (" + report.Road.Engine + ")"
	}
	p.ppm = append(fmt.Appendf(nil, "P6\n%d %d\n255\n", p.width, p.height), pixels.Bytes()...)
	return p, b.verify(ctx, p)
}

// verify runs every step, and compares the pixels of those that lead to the same ones.
func (b *Bench) verify(ctx context.Context, p *picture) error {
	memory := p.memory(b.size)
	p.without = make([]bool, len(b.steps))
	for i, s := range b.steps {
		err := s.run(ctx, p, memory)
		if p.without[i] = errors.Is(err, errNone); p.without[i] {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if s.pixels && !bytes.Equal(memory[:len(p.rgb())], p.rgb()) {
			return fmt.Errorf("%s gives other pixels than the lane", s.name)
		}
	}
	for _, profile := range []resize.Profile{resize.Exact, resize.Pillow} {
		spec := resized(b.size, profile)
		var ways [2][]byte
		for i, from := range []func(*picture) []byte{fromFile, fromRows} {
			ways[i] = make([]byte, 3*b.size*b.size)
			if _, err := b.decoder.ImageInto(ctx, from(p), ways[i], spec); err != nil {
				return err
			}
		}
		if !bytes.Equal(ways[0], ways[1]) {
			return fmt.Errorf("profile %v gives other pixels when the rows come from memory", profile)
		}
	}
	return nil
}
