package arrow_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/arrow"
	"github.com/spoolmedia/spool/source/table"
)

func ExampleOpen() {
	ctx := context.Background()
	src, err := source.Open(ctx, []string{"testdata/saved/train"}, source.Options{
		Formats: map[string]table.Format{".arrow": arrow.Open},
	})
	if err != nil {
		log.Fatal(err)
	}
	item := src.Item(7)
	fmt.Println(src.Len(), item.Name, item.Key, item.Label)
	o, err := src.Open(ctx, 7)
	if err != nil {
		log.Fatal(err)
	}
	defer o.Close()
	fmt.Println(o.Info().Size, "bytes")
	// Output:
	// 9 testdata/saved/train/data-00001-of-00002.arrow:3 7.png 1
	// 80 bytes
}

// Records of a data set that Hugging Face's save_to_disk wrote.
func Example_records() {
	ctx := context.Background()
	formats := map[string]table.Format{".arrow": arrow.Open}
	flowers, err := source.OpenRecords(ctx, []string{"testdata/saved/train"}, []source.Input{
		{Name: "image"},
		{Name: "caption", Value: true},
	}, source.Options{Formats: formats})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(flowers.Len(), "samples,", flowers.Item(4).Key)
	// Output:
	// 9 samples, 4.png
}
