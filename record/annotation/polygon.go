package annotation

import (
	"math"
	"slices"
)

// maxCorner bounds the coordinates of polygons, so that the arithmetic has no overflow.
const maxCorner = 1 << 28

// polygon finds the pixels in a polygon as COCO's mask API does. The outline is drawn with 5 steps a pixel. Where it
// crosses the middle of a column, the pixels below change sides.
type polygon struct {
	width, height int
	crossings     []int // as positions of pixels in COCO's order
	u, v          int   // the last point of the outline, in steps
	begun         bool
}

// steps returns the length of an outline.
func steps(corners []float64) (n int) {
	k := len(corners)
	for i := 0; i < k; i += 2 {
		j := (i + 2) % k
		n += max(abs(step(corners[i])-step(corners[j])), abs(step(corners[i+1])-step(corners[j+1]))) + 1
	}
	return n
}

// step converts a coordinate to steps. It truncates towards zero.
func step(n float64) int { return int(float64(5*n) + .5) }

func abs(n int) int { return max(n, -n) }

// runs calls fill with each run of pixels in the polygon, in COCO's order.
func (p *polygon) runs(corners []float64, fill func(from, to int)) {
	p.crossings, p.begun = p.crossings[:0], false
	k := len(corners)
	for i := 0; i < k; i += 2 {
		j := (i + 2) % k
		p.edge(step(corners[i]), step(corners[i+1]), step(corners[j]), step(corners[j+1]))
	}
	slices.Sort(p.crossings)
	for i := 0; i+1 < len(p.crossings); i += 2 {
		if from, to := p.crossings[i], p.crossings[i+1]; from < to {
			fill(from, to)
		}
	}
}

// edge draws an edge, in its direction. Points between corners are rounded on the way from the left, or from the top.
func (p *polygon) edge(xs, ys, xe, ye int) {
	dx, dy := abs(xe-xs), abs(ye-ys)
	flat := dx >= dy
	backward := flat && xs > xe || !flat && ys > ye
	if backward {
		xs, ys, xe, ye = xe, ye, xs, ys
	}
	n, slope := dx, 0.0
	if flat && dx > 0 {
		slope = float64(ye-ys) / float64(dx)
	} else if !flat {
		n, slope = dy, float64(xe-xs)/float64(dy)
	}
	for d := range n + 1 {
		t := d
		if backward {
			t = n - d
		}
		across := float64(slope * float64(t))
		if flat {
			p.point(t+xs, int(float64(ys)+across+.5))
		} else {
			p.point(int(float64(xs)+across+.5), t+ys)
		}
	}
}

// point goes to the next point of the outline.
func (p *polygon) point(u, v int) {
	lastU, lastV := p.u, p.v
	p.u, p.v = u, v
	if !p.begun || u == lastU {
		p.begun = true
		return
	}
	at := u
	if u > lastU {
		at--
	}
	// Step 5 x + 2 is the middle of column x.
	if at < 0 || at%5 != 2 || at/5 >= p.width {
		return
	}
	y := (float64(min(v, lastV))+.5)/5 - .5
	p.crossings = append(p.crossings, at/5*p.height+int(math.Ceil(min(max(y, 0), float64(p.height)))))
}
