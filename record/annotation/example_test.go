package annotation_test

import (
	"fmt"
	"log"

	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/resize"
)

// Boxes after a crop that cuts one of them, and misses another.
func Example() {
	boxes, err := annotation.ParseBoxes([]byte(`{"boxes": [[60, 40, 100, 80], [150, 90, 100, 100], [0, 0, 9, 9]],
		"labels": [3, 17, 5]}`), annotation.XYWH)
	if err != nil {
		log.Fatal(err)
	}
	spec := resize.Spec{Box: resize.Rect{Left: 50, Top: 30, Width: 120, Height: 120}, Width: 240, Height: 240, FlipX: true}
	plan, err := spec.Plan(640, 480, nil)
	if err != nil {
		log.Fatal(err)
	}
	moved := boxes.Transform(annotation.GeometryOf(spec, plan, resize.Augment{}))
	kept := moved.Sanitize(plan.OutWidth, plan.OutHeight, annotation.Minimum{})
	fmt.Println(kept.Coords, kept.Labels, kept.Index)
	// Output: [20 20 200 160 0 120 40 120] [3 17] [0 1]
}

// The mask of a triangle.
func ExampleSemanticMask() {
	list, err := annotation.ParseCOCO([]byte(`[{"category_id": 7, "segmentation": [[0, 0, 5, 0, 5, 4]]}]`))
	if err != nil {
		log.Fatal(err)
	}
	const width, height = 6, 4
	mask := make([]uint8, width*height)
	if err := annotation.SemanticMask(mask, list, width, height, 255); err != nil {
		log.Fatal(err)
	}
	for y := range height {
		fmt.Println(mask[y*width : (y+1)*width])
	}
	// Output:
	// [0 7 7 7 7 0]
	// [0 0 7 7 7 0]
	// [0 0 0 7 7 0]
	// [0 0 0 0 7 0]
}
