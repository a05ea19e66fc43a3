package annotation

import (
	"slices"

	"github.com/spoolmedia/spool/internal/invalid"
)

// Boxes are the bounding boxes of an image.
type Boxes struct {
	Format Format
	Coords []float32 // four of each box
	Labels []int64   // of each box, or nil
	Index  []int64   // of each box: its position in the input, to find its other properties

	// Integer is for inputs of integers: all results are integers, rounded by torchvision's rules. Coordinates are exact
	// up to 2^24.
	Integer bool
	// Unclamped turns clamping off: tv_tensors' clamping_mode None.
	Unclamped bool
}

// Len returns the number of boxes.
func (b Boxes) Len() int { return len(b.Coords) / 4 }

// Convert returns the boxes in another format.
func (b Boxes) Convert(to Format) Boxes {
	out := b.each(func(c box) box { return c.convert(b.Format, to, b.Integer) })
	out.Format = to
	return out
}

// Transform returns the boxes as they are in a decoder's output, in the same format. None is removed. Boxes that are
// clamped to an edge from outside have no area: see [Boxes.Sanitize].
func (b Boxes) Transform(g Geometry) Boxes {
	x, y := g.axes()
	scaled := x.scale != 1 || y.scale != 1
	return b.each(func(c box) box {
		c = c.move(b.Format, -x.from, -y.from)
		if x.size > 0 && !b.Unclamped {
			c = c.clamp(b.Format, b.Integer, x.size, y.size)
		}
		if scaled {
			c = c.scale(b.Integer, x.scale, y.scale)
		}
		if c = c.move(b.Format, x.shift, y.shift); b.Integer {
			c = c.truncate()
		}
		if !g.Resized && !b.Unclamped {
			c = c.clamp(b.Format, b.Integer, float32(g.Width), float32(g.Height))
		}
		if g.FlipX {
			c = c.flip(b.Format, 0, float32(g.Width))
		}
		if g.FlipY {
			c = c.flip(b.Format, 1, float32(g.Height))
		}
		return c
	})
}

// each returns the boxes with changed coordinates.
func (b Boxes) each(change func(box) box) Boxes {
	b.Coords = slices.Clone(b.Coords)
	for i := range b.Len() {
		c := (*box)(b.Coords[4*i:])
		*c = change(*c)
	}
	b.Labels, b.Index = slices.Clone(b.Labels), slices.Clone(b.Index)
	return b
}

// Minimum is what a box needs so that [Boxes.Sanitize] keeps it, in pixels. Zero means 1, as in torchvision.
type Minimum struct {
	Size float64 // width and height
	Area float64
}

// Validate returns all problems, each a *spool.OptionError. As in torchvision's transform, values below 1 are invalid.
func (m Minimum) Validate() error {
	var bad invalid.Options
	if m.Size != 0 && !(m.Size >= 1) {
		bad.Value("Size", m.Size, "must be at least 1")
	}
	if m.Area != 0 && !(m.Area >= 1) {
		bad.Value("Area", m.Area, "must be at least 1")
	}
	return bad.Err()
}

// Sanitize removes boxes that are smaller than a minimum, and those that are not within an image of width x height:
// torchvision's SanitizeBoundingBoxes. Boxes that remain keep their labels and indices.
func (b Boxes) Sanitize(width, height int, least Minimum) Boxes {
	size, area := float32(least.Size), float32(least.Area)
	if size == 0 {
		size = 1
	}
	if area == 0 {
		area = 1
	}
	out := Boxes{Format: b.Format, Integer: b.Integer, Unclamped: b.Unclamped, Coords: []float32{}, Index: []int64{}}
	if b.Labels != nil {
		out.Labels = []int64{}
	}
	for i := range b.Len() {
		c := box(b.Coords[4*i:]).convert(b.Format, XYXY, b.Integer)
		w, h := c[2]-c[0], c[3]-c[1]
		inside := slices.Min(c[:]) >= 0 && max(c[0], c[2]) <= float32(width) && max(c[1], c[3]) <= float32(height)
		if !inside || !(w >= size) || !(h >= size) || !(w*h >= area) {
			continue
		}
		out.Coords = append(out.Coords, b.Coords[4*i:4*i+4]...)
		if b.Labels != nil {
			out.Labels = append(out.Labels, b.Labels[i])
		}
		index := int64(i)
		if b.Index != nil {
			index = b.Index[i]
		}
		out.Index = append(out.Index, index)
	}
	return out
}
