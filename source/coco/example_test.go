package coco_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/record/annotation"
	"github.com/spoolmedia/spool/source/coco"
)

// The boxes of each image.
func Example() {
	ctx := context.Background()
	file := spool.Bytes{Data: []byte(`{
		"images": [{"id": 9, "file_name": "000009.jpg", "width": 640, "height": 480}, {"id": 25, "file_name": "000025.jpg"}],
		"annotations": [
			{"id": 1, "image_id": 25, "category_id": 51, "bbox": [385.5, 60, 214.5, 297]},
			{"id": 2, "image_id": 9, "category_id": 51, "bbox": [1, 188, 612, 285]},
			{"id": 3, "image_id": 25, "category_id": 56, "bbox": [53, 356, 132, 55]}],
		"categories": [{"id": 51, "name": "bowl"}, {"id": 56, "name": "broccoli"}]
	}`)}
	set, err := coco.Open(ctx, file)
	if err != nil {
		log.Fatal(err)
	}
	for i := range set.Len() {
		list, err := set.Annotations(ctx, i)
		if err != nil {
			log.Fatal(err)
		}
		boxes, err := annotation.ParseBoxes(list, annotation.XYWH)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(set.Image(i).File, boxes.Coords, boxes.Labels)
	}
	// Output:
	// 000009.jpg [1 188 612 285] [51]
	// 000025.jpg [385.5 60 214.5 297 53 356 132 55] [51 56]
}
