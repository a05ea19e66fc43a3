package annotation

import (
	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/jsonscan"
)

// ParsePoints parses the key points of an image. The forms are:
//
//   - JSON: [[x, y], ...], or [[x, y, visibility], ...]
//   - JSON: groups of points, [[[x, y], ...], ...], of which Index has the positions
//   - JSON: {"points": [...]} or {"keypoints": [...]} with one of these. Other members are ignored.
//   - JSON: COCO's annotations of one image, as for ParseCOCO, or {"annotations": [...]}. Index has the annotations'
//     positions.
//   - NPY: an array [n, 2] or [n, 3], or [g, n, 2] or [g, n, 3] of groups
//
// Either all points of an input have a visibility, or none. Integers, memory and errors are as for ParseBoxes; the
// visibility does not decide whether points are integers.
func ParsePoints(data []byte) (Points, error) {
	if isNPY(data) {
		return pointsOfArray(data)
	}
	s := jsonscan.New(data)
	p, err := readPoints(s)
	if err == nil {
		err = s.End()
	}
	if err != nil {
		return Points{}, classified(err)
	}
	return p, nil
}

func pointsOfArray(data []byte) (Points, error) {
	n, shape, err := parseArray(data)
	if err != nil {
		return Points{}, err
	}
	if d := len(shape); d != 2 && d != 3 || shape[d-1] != 2 && shape[d-1] != 3 {
		return Points{}, failed(spool.ErrCorrupt, "an array of shape %v, not [n 2], [n 3], [g n 2] or [g n 3]", shape)
	}
	p := pointReader{numbers: n, width: shape[len(shape)-1]}
	if len(shape) == 3 {
		p.index = make([]int64, len(n.values)/p.width)
		for i := range p.index {
			p.index[i] = int64(i / shape[1])
		}
	}
	return p.points(), nil
}

// pointReader collects points.
type pointReader struct {
	numbers
	width int // numbers of a point, 2 or 3; 0 before the first
	index []int64
}

// number reads number k of a point.
func (p *pointReader) number(s *jsonscan.Scanner, k int) error {
	if k > 2 {
		return s.Errorf("more than 3 numbers")
	}
	fractional := p.fractional
	err := p.read(s)
	if k == 2 {
		p.fractional = fractional
	}
	return err
}

// end checks how many numbers the point at an offset has.
func (p *pointReader) end(at, count int) error {
	if count < 2 {
		return jsonscan.ErrorAt(at, "fewer than 2 numbers")
	}
	if p.width == 0 {
		p.width = count
	}
	if count != p.width {
		return jsonscan.ErrorAt(at, "%d numbers, after points of %d", count, p.width)
	}
	return nil
}

func (p *pointReader) points() Points {
	n := 0
	if p.width > 0 {
		n = len(p.values) / p.width
	}
	out := Points{Coords: make([]float32, 0, 2*n), Index: p.index, Integer: !p.fractional && n > 0}
	for i := range n {
		out.Coords = append(out.Coords, p.values[i*p.width:][:2]...)
		if p.width == 3 {
			out.Visibility = append(out.Visibility, p.values[i*3+2])
		}
	}
	return out
}

func readPoints(s *jsonscan.Scanner) (Points, error) {
	if s.Next() != jsonscan.Object {
		return readPointList(s)
	}
	at, found := s.Offset(), ""
	var p Points
	err := s.Object(func(name string) (err error) {
		switch name {
		case "points", "keypoints", "annotations":
			if found != "" {
				return s.Errorf("points, after those of %q", found)
			}
			found = name
			if name == "annotations" {
				p, err = readCOCOPoints(s)
			} else {
				p, err = readPointList(s)
			}
			return err
		}
		return s.Skip()
	})
	if err == nil && found == "" {
		err = jsonscan.ErrorAt(at, `none of "points", "keypoints" and "annotations"`)
	}
	return p, err
}

// readPointList reads an array of points, of groups of points, or of COCO's annotations.
func readPointList(s *jsonscan.Scanner) (Points, error) {
	var p pointReader
	grouped := false
	coco, err := readList(s, func(i int) error { return p.element(s, i, &grouped) })
	if err == nil && coco != nil {
		return PointsOf(coco), nil
	}
	return p.points(), err
}

// element reads a point, or a group of points. The first decides what all are.
func (p *pointReader) element(s *jsonscan.Scanner, i int, grouped *bool) error {
	at, count, group := s.Offset(), 0, true
	err := s.Array(func(k int) error {
		if k == 0 {
			group = s.Next() == jsonscan.Array
		}
		if !group {
			count++
			return p.number(s, k)
		}
		p.index = append(p.index, int64(i))
		return p.point(s)
	})
	if err != nil {
		return err
	}
	if i == 0 {
		*grouped = group
	}
	switch {
	case group != *grouped:
		return jsonscan.ErrorAt(at, "points beside groups of points")
	case group:
		return nil
	}
	return p.end(at, count)
}

func (p *pointReader) point(s *jsonscan.Scanner) error {
	at, count := s.Offset(), 0
	err := s.Array(func(k int) error {
		count++
		return p.number(s, k)
	})
	if err != nil {
		return err
	}
	return p.end(at, count)
}

func readCOCOPoints(s *jsonscan.Scanner) (Points, error) {
	list, err := readAnnotations(s)
	if err != nil {
		return Points{}, err
	}
	return PointsOf(list), nil
}
