package loader_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// A folder of pictures to batches of 224x224, in the order of the files' names.
func ExampleImages() {
	ctx := context.Background()
	src, err := source.Folder(ctx, "../testdata/photos", source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ld, err := loader.Images(src, loader.ImageOptions{Batch: 16, Spec: decode.ImageSpec{Resize: resize.Spec{Width: 224, Height: 224}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ld.Close()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if b.Index == 0 {
			fmt.Println(b.Desc(), "labels", b.Labels()[:3])
		}
		b.Release()
	}
	// Output: uint8 NHWC [16 224 224 3] labels [0 0 0]
}
