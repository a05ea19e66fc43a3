package annotation

import (
	"fmt"
	"math"

	"github.com/spoolmedia/spool"
)

// The work of one call is bounded, in pixels painted and steps of outlines: about a second for a photo.
const (
	mostWork  = 1 << 28
	mostPaint = 16 // times all pixels of the image, in addition
)

// Label is a type of a semantic mask's pixels.
type Label interface {
	uint8 | uint16 | int32 | int64
}

// SemanticMask makes a mask of the categories of a source image of width x height, in dst, row by row. Pixels of no
// annotation are 0, and those of more than one are ignore, even if all have the same category: the rule of
// torchvision's segmentation reference, which ignores 255. A group (Crowd) is an annotation as any other.
//
// Errors: spool.ErrShape if dst has another length; spool.ErrCorrupt for run lengths of another size;
// spool.ErrUnsupported for a category that the type of pixels does not hold; and spool.ErrTooLarge for annotations that
// together cover more than 16 times the image and 2^28 pixels. The content of dst is then undefined.
func SemanticMask[T Label](dst []T, list []Annotation, width, height int, ignore T) error {
	if err := checkMask(len(dst), 1, width, height); err != nil {
		return err
	}
	painter := newPainter(width, height)
	categories := make([]T, 1, len(list)+1) // by owner; the background has none
	owner := make([]int32, len(dst))        // of each pixel in COCO's order: its annotation, from 1
	for i, a := range list {
		category, me := T(a.Category), int32(i+1)
		if int64(category) != a.Category || a.Category < 0 {
			return failed(spool.ErrUnsupported, "annotation %d: category %d in a mask of %T", i, a.Category, category)
		}
		categories = append(categories, category)
		err := painter.paint(a.Segmentation, func(from, to int) {
			run := owner[from:to]
			for j, first := range run {
				if first == 0 {
					run[j] = me
				} else if first != me {
					run[j] = several
				}
			}
		})
		if err != nil {
			return inAnnotation(i, err)
		}
	}
	transpose(owner, 0, width, width, height, func(at int, by int32) {
		if by == several {
			dst[at] = ignore
		} else {
			dst[at] = categories[by]
		}
	})
	return nil
}

// several is the owner of a pixel with several annotations.
const several = -1

// transpose calls set for the pixels of columns [first, last) in COCO's order, with their positions row by row. It goes
// through tiles, which caches hold.
func transpose[T any](from []T, first, last, width, height int, set func(at int, value T)) {
	const tile = 32
	for left := first; left < last; left += tile {
		for top := 0; top < height; top += tile {
			for y := top; y < min(top+tile, height); y++ {
				for x := left; x < min(left+tile, last); x++ {
					set(y*width+x, from[x*height+y])
				}
			}
		}
	}
}

func checkMask(length, masks, width, height int) error {
	if width < 0 || height < 0 || width > math.MaxInt32 || height > math.MaxInt32 ||
		uint64(width)*uint64(height) > math.MaxInt/uint64(max(masks, 1)) || length != masks*width*height {
		return fmt.Errorf("%w: %d pixels for %d masks of %dx%d", spool.ErrShape, length, masks, width, height)
	}
	return nil
}

// painter paints segmentations of one image.
type painter struct {
	polygon
	left int // of the work
}

func newPainter(width, height int) *painter {
	return &painter{polygon: polygon{width: width, height: height}, left: mostWork + mostPaint*width*height}
}

// paint calls fill for each run of pixels of a segmentation, in COCO's order. A pixel in several polygons is filled
// several times.
func (p *painter) paint(g Segmentation, fill func(from, to int)) error {
	paid := func(from, to int) {
		if p.left -= to - from; p.left >= 0 {
			fill(from, to)
		}
	}
	if r := g.RLE; r != nil {
		if r.Width != p.width || r.Height != p.height {
			return failed(spool.ErrCorrupt, "a mask of %dx%d, in an image of %dx%d", r.Width, r.Height, p.width, p.height)
		}
		if problem := r.problem(); problem != "" {
			return failed(spool.ErrCorrupt, "%s", problem)
		}
		r.runs(paid)
	}
	for _, corners := range g.Polygons {
		if problem := polygonProblem(corners); problem != "" {
			return failed(spool.ErrCorrupt, "%s", problem)
		}
		if p.left -= steps(corners); p.left < 0 {
			break
		}
		p.runs(corners, paid)
	}
	if p.left < 0 {
		return failed(spool.ErrTooLarge, "annotations that together cover more than %d times the image and %d pixels",
			mostPaint, mostWork)
	}
	return nil
}
