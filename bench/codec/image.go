package codec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/resize"
)

// image is an image that is measured.
type photo struct {
	data          []byte // its file
	width, height int    // as stored
	ppm           []byte // its pixels as a file whose decoding takes almost no time
	lane          string // the lane that decoded it
	without       []bool // the steps that it does not have
}

// rgb returns the image's pixels.
func (p *photo) rgb() []byte { return p.ppm[len(p.ppm)-3*p.width*p.height:] }

// memory returns the number of bytes that the result of any step needs.
func (p *photo) memory(size int) int { return max(3*p.width*p.height, 4*3*size*size) }

// open decodes a file, and compares all ways to its pixels.
func (b *Bench) open(ctx context.Context, data []byte) (*photo, error) {
	info, err := image.Probe(ctx, spool.Bytes{Data: data}, decode.Limits{})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(b.codec.formats, info.Format) {
		return nil, fmt.Errorf("%v where %s is measured", info.Format, b.codec.Name)
	}
	pixels, report, err := b.decoder.Images.Decode(ctx, spool.Bytes{Data: data}, asStored)
	if err != nil {
		return nil, err
	}
	defer pixels.Release()
	p := &photo{data: data, width: info.Width, height: info.Height, lane: "spool, " + report.Trace.Lane}
	if report.Trace.Engine != "" {
		p.lane += " (" + report.Trace.Engine + ")"
	}
	p.ppm = append(fmt.Appendf(nil, "P6\n%d %d\n255\n", p.width, p.height), pixels.Bytes()...)
	return p, b.verify(ctx, p)
}

// verify runs every step, and compares the pixels of steps that should give the same pixels.
func (b *Bench) verify(ctx context.Context, p *photo) error {
	memory := make([]byte, p.memory(b.size))
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
		for i, from := range []func(*photo) []byte{fromFile, fromRows} {
			ways[i] = make([]byte, 3*b.size*b.size)
			if _, err := b.decoder.Images.DecodeInto(ctx, spool.Bytes{Data: from(p)}, ways[i], spec); err != nil {
				return err
			}
		}
		if !bytes.Equal(ways[0], ways[1]) {
			return fmt.Errorf("profile %v gives other pixels when the rows come from memory", profile)
		}
	}
	return nil
}
