package parity

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/image/format"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
)

// file compares what the peer and the profiles decode from a file.
func (p *parity) file(ctx context.Context, d *decoders.Set, i int, name string, data []byte, r *report) error {
	info, err := image.Probe(ctx, spool.Bytes{Data: data}, p.limits)
	info.Format = format.Of(data)
	cases := p.cases(i, info)
	if p.turbo != nil {
		return p.engines(ctx, d, name, info, data, cases, r)
	}
	if spool.ClassOf(err) == spool.ErrTooLarge { // the peer may have no limit, and use all memory
		refused := map[string]string{"spool": classAndText(err), p.peer.against: "not asked"}
		for _, profile := range p.profiles {
			if err := r.add(comparison{File: name, Profile: profile, Format: info.Format.String(), Error: refused},
				nil); err != nil {
				return err
			}
		}
		return nil
	}
	for _, s := range cases {
		spec := p.spec
		spec.Resize = s
		if err := p.compare(ctx, d, name, info.Format, data, spec, r); err != nil {
			return err
		}
	}
	return nil
}

// cases returns the cases of file i: the requested one, or random ones. The two JPEG engines decode the same rows for
// any size, so one size is enough in addition to the whole image.
func (p *parity) cases(i int, info image.Info) (list []resize.Spec) {
	s := p.spec.Resize
	random := rand.New(rand.NewPCG(uint64(p.seed), uint64(i)))
	for range p.random {
		width, height := info.Oriented()
		if p.spec.Stored || info.Format == format.WebP { // only one profile turns WebP images
			width, height = info.Width, info.Height
		}
		if info.Format == format.WebP && info.Orientation >= 5 {
			width, height = 0, 0 // no box
		}
		list = append(list, drawCase(random, against[p.peer.against].filters, width, height))
	}
	if p.random == 0 {
		list = []resize.Spec{s}
	}
	if p.bothSizes() {
		s.Width, s.Height = 224, 224
		list = append(list, s)
	}
	return list
}

// bothSizes reports whether files are compared in two sizes, since none was requested.
func (p *parity) bothSizes() bool {
	s := p.spec.Resize
	return p.peer.against == turbo && p.random == 0 && !s.Resizes() && s.CropWidth == 0
}

// compare compares one case. The peer works at the same time as the first profile.
func (p *parity) compare(ctx context.Context, d *decoders.Set, name string, format format.Format, data []byte,
	spec image.Spec, r *report) error {
	request, asked := newPeerRequest(spec.Resize, !spec.Stored), make(chan struct{})
	var theirs peerImage
	var refused error
	go func() {
		theirs, refused = p.peer.image(ctx, data, request)
		close(asked)
	}()
	for _, profile := range p.profiles {
		spec.Resize.Profile = profile
		ours, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
		<-asked
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else {
			c := newComparison(name, format, spec.Resize)
			c.Reader, c.against, c.data, c.stored = theirs.Reader, p.peer.against, data, spec.Stored
			err = p.judge(c, ours, err, theirs, refused, r)
		}
		if ours != nil {
			ours.Release()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// judge adds the result of a case on both sides to the report: pixels, or an error. It returns an error of the peer
// that does not concern the image.
func (p *parity) judge(c comparison, ours *spool.Buffer, failed error, theirs peerImage, refused error,
	r *report) error {
	if failed != nil {
		c.Error["spool"], c.refusal = classAndText(failed), spool.ClassOf(failed)
	}
	if refused != nil {
		if _, ok := errors.AsType[refusal](refused); !ok {
			return refused
		}
		c.Error[p.peer.against] = refused.Error()
	}
	if len(c.Error) > 0 {
		return r.add(c, nil)
	}
	if size := ours.Desc().Shape; size[0] != theirs.Height || size[1] != theirs.Width {
		c.Error["size"] = fmt.Sprintf("%dx%d instead of %dx%d", size[1], size[0], theirs.Width, theirs.Height)
		return r.add(c, nil)
	}
	apart := new(difference)
	apart.add(ours.Bytes(), theirs.pixels)
	return r.add(c, apart)
}

// classAndText formats an error whose file is known.
func classAndText(err error) string {
	line, _ := cli.Describe(err)
	return strings.TrimPrefix(line, "spool: ")
}

// drawCase draws a case at random: a size of up to 700 pixels and, half of the time, a box in the image. An image that
// could not be read has no size, and no box.
func drawCase(r *rand.Rand, filters []resize.Filter, width, height int) resize.Spec {
	const largest = 700
	s := resize.Spec{Width: 1 + r.IntN(largest), Height: 1 + r.IntN(largest), Filter: filters[r.IntN(len(filters))]}
	if width > 0 && height > 0 && r.IntN(2) == 0 {
		s.Box.Width, s.Box.Height = 1+r.IntN(width), 1+r.IntN(height)
		s.Box.Left, s.Box.Top = r.IntN(width-s.Box.Width+1), r.IntN(height-s.Box.Height+1)
	}
	return s
}

// caseSize formats the requested size.
func caseSize(s resize.Spec) string {
	size := "own"
	switch {
	case s.Width > 0:
		size = fmt.Sprintf("%dx%d", s.Width, s.Height)
	case s.Shorter > 0:
		size = fmt.Sprintf("shorter %d", s.Shorter)
	}
	if s.MaxSize > 0 {
		size = strings.TrimPrefix(fmt.Sprintf("%s at most %d", size, s.MaxSize), "own ")
	}
	if s.Width > 0 && s.Mode != resize.Stretch {
		size += " " + s.Mode.String()
	}
	if s.CropWidth > 0 {
		size += fmt.Sprintf(" crop %dx%d", s.CropWidth, s.CropHeight)
	}
	return size
}
