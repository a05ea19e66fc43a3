package loader_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// A batch has as many images as fit 22,000 pixels, each with its own aspect ratio and without padding.
func ExampleForm() {
	if err := loadBudget(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// batch 0 of 4 images: [64 96 3] [69 64 3] [64 68 3] [64 73 3]
	// batch 1 of 3 images: [96 64 3] [98 64 3] [68 64 3]
	// batch 2 of 1 images: [86 64 3]
}

func loadBudget(ctx context.Context) error {
	schema := record.Schema{{Name: "image", Input: "path", Kind: record.Image{
		Spec: image.Spec{Resize: resize.Spec{Shorter: 64}}}}}
	inputs := schema.Inputs()
	src, err := source.OpenRecords(ctx, []string{"../testdata/photos/animal"}, inputs, source.Options{})
	if err != nil {
		return err
	}
	ld, err := loader.Records(src, loader.RecordOptions{Schema: schema,
		Form:    loader.Form{Kind: loader.FormBudget, Pixels: 22_000, Ragged: true},
		Options: loader.Options{Limit: 8}})
	if err != nil {
		return err
	}
	defer ld.Close()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			return err
		}
		fmt.Print("batch ", b.Index, " of ", b.Len(), " images:")
		for i := range b.Len() {
			fmt.Print(" ", b.SampleDesc(0, i).Shape) // its pixels are b.SampleBytes(0, i)
		}
		fmt.Println()
		b.Release()
	}
	return nil
}
