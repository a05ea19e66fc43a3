package annotation

import "slices"

// Points are key points of an image: pixels, named by their column and row.
type Points struct {
	Coords     []float32 // two of each point
	Visibility []float32 // of each point, or nil; COCO's are 0 (not labeled), 1 (hidden) and 2 (visible)
	Index      []int64   // of each point: the position in the input of the annotation or group it belongs to, or nil

	// Integer is for inputs of integers: all results are integers, truncated as by torchvision.
	Integer bool
}

// Len returns the number of points.
func (p Points) Len() int { return len(p.Coords) / 2 }

// Transform returns the points as they are in a decoder's output. None is clamped or removed.
func (p Points) Transform(g Geometry) Points {
	axes := [2]axis{}
	axes[0], axes[1] = g.axes()
	p.Coords = slices.Clone(p.Coords)
	for i := range 2 * p.Len() {
		a, at := axes[i%2], p.Coords[i]
		at -= a.from
		if a.scale != 1 {
			at = product(at, a.scale)
		}
		if p.Integer {
			at = truncate(at)
		}
		if at += a.shift; p.Integer {
			at = truncate(at)
		}
		if a.flip {
			at = a.canvas - 1 - at
		}
		p.Coords[i] = at
	}
	p.Visibility, p.Index = slices.Clone(p.Visibility), slices.Clone(p.Index)
	return p
}
