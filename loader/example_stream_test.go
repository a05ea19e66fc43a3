package loader_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// A stream is loaded while it is listed, so its length is not known in advance.
func Example_stream() {
	ctx := context.Background()
	src, err := source.OpenStream(ctx, []string{"../testdata/photos/animal"}, source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ld, err := loader.Images(src, loader.ImageOptions{
		Spec:    image.Spec{Resize: resize.Spec{Width: 64, Height: 64}},
		Options: loader.Options{Batch: 5},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ld.Close()
	for b, err := range ld.Batches(ctx) {
		if err != nil { // also an error of the listing
			fmt.Println(err)
			return
		}
		fmt.Println(b.Len(), "photos, the last of them", b.Samples[b.Len()-1].Name)
		b.Release()
	}
	// Output:
	// 5 photos, the last of them ../testdata/photos/animal/04.jpg
	// 3 photos, the last of them ../testdata/photos/animal/07.jpg
}
