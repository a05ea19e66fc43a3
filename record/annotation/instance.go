package annotation

import (
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/resize"
)

// InstanceMasks makes a mask of each annotation, 1 in its area and 0 elsewhere: pycocotools' decode. The masks of a
// source image of width x height are in dst one after the other, row by row. Errors are those of SemanticMask.
func InstanceMasks(dst []uint8, list []Annotation, width, height int) error {
	if err := checkMask(len(dst), len(list), width, height); err != nil {
		return err
	}
	clear(dst)
	s := newStencil(width, height)
	for i := range list {
		first, last, err := s.cut(list, i)
		if err != nil {
			return err
		}
		mask := dst[i*width*height:]
		transpose(s.area, first, last, width, height, func(at int, inside uint8) { mask[at] = inside })
		s.clear(first, last)
	}
	return nil
}

// ResizedMasks makes the masks of the annotations at some positions, in this order, as they are in a resized image:
// those of InstanceMasks, after the plan of the image of width x height with a filter that picks pixels. Padding is 0.
// The masks are in dst one after the other, row by row. Errors are those of SemanticMask, and spool.ErrCorrupt for a
// position without an annotation.
func ResizedMasks(dst []uint8, list []Annotation, positions []int64, width, height int, plan resize.Plan) error {
	if err := checkMask(len(dst), len(positions), plan.OutWidth, plan.OutHeight); err != nil {
		return err
	}
	if err := checkMask(0, 0, width, height); err != nil {
		return err
	}
	if plan.Right > width || plan.Bottom > height {
		return fmt.Errorf("%w: a plan for an image of at least %dx%d, and one of %dx%d", spool.ErrShape, plan.Right,
			plan.Bottom, width, height)
	}
	clear(dst)
	columns := picks(plan.Horizontal, plan.Left, plan.X, plan.OutWidth, plan.FlipX)
	rows := picks(plan.Vertical, plan.Top, plan.Y, plan.OutHeight, plan.FlipY)
	s := newStencil(width, height)
	for k, i := range positions {
		if i < 0 || i >= int64(len(list)) {
			return failed(spool.ErrCorrupt, "box %d, and there are %d annotations", i, len(list))
		}
		first, last, err := s.cut(list, int(i))
		if err != nil {
			return err
		}
		mask := dst[k*plan.OutWidth*plan.OutHeight:]
		for _, column := range columns {
			if column.from < first || column.from >= last {
				continue
			}
			area := s.area[column.from*height:]
			for _, row := range rows {
				mask[row.to*plan.OutWidth+column.to] = area[row.from]
			}
		}
		s.clear(first, last)
	}
	return nil
}

// pick is a column or row of a result, and that of the source which it shows.
type pick struct{ from, to int }

// picks returns the columns or rows of a canvas that show the image. The image's first is at offset; the axis begins at
// the source's pixel start.
func picks(a *resize.Axis, start, offset, canvas int, flip bool) []pick {
	all := make([]pick, a.Out)
	for i := range all {
		from, to := i, offset+i
		if a.Start != nil {
			from = int(a.Start[i])
		}
		if flip {
			to = canvas - 1 - to
		}
		all[i] = pick{start + from, to}
	}
	return all
}

// stencil makes the areas of one image's annotations, one after the other.
type stencil struct {
	painter *painter
	width   int
	height  int
	area    []uint8 // 1 in the area, in COCO's order
}

func newStencil(width, height int) *stencil {
	return &stencil{painter: newPainter(width, height), width: width, height: height, area: make([]uint8, width*height)}
}

// cut makes the area of annotation i, which is in columns [first, last).
func (s *stencil) cut(list []Annotation, i int) (first, last int, err error) {
	first = s.width
	err = s.painter.paint(list[i].Segmentation, func(from, to int) {
		first, last = min(first, from/s.height), max(last, (to-1)/s.height+1)
		run := s.area[from:to]
		for j := range run {
			run[j] = 1
		}
	})
	if err != nil {
		return 0, 0, inAnnotation(i, err)
	}
	return min(first, last), last, nil
}

// clear removes an area.
func (s *stencil) clear(first, last int) { clear(s.area[first*s.height : last*s.height]) }

func inAnnotation(i int, err error) error {
	e := *err.(*spool.Error) //nolint:errorlint // as paint returned it
	e.Text = fmt.Sprintf("annotation %d: %s", i, e.Text)
	return &e
}
