package parquet_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/parquet"
	"github.com/spoolmedia/spool/source/table"
)

func ExampleOpen() {
	ctx := context.Background()
	src, err := source.Open(ctx, []string{"testdata/media_snappy.parquet"}, source.Options{
		Formats: map[string]table.Format{".parquet": parquet.Open},
	})
	if err != nil {
		log.Fatal(err)
	}
	item := src.Item(2)
	fmt.Println(src.Len(), item.Name, item.Key, item.Label)
	o, err := src.Open(ctx, 2)
	if err != nil {
		log.Fatal(err)
	}
	defer o.Close()
	fmt.Println(o.Info().Size, "bytes")
	// Output:
	// 100 testdata/media_snappy.parquet:3 2.jpg 4
	// 76 bytes
}
