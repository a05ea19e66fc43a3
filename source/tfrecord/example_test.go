package tfrecord_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/table"
	"github.com/spoolmedia/spool/source/tfrecord"
)

func ExampleOpen() {
	src, err := source.Open(context.Background(), []string{"testdata/examples.tfrecord"}, source.Options{
		Formats: map[string]table.Format{".tfrecord": tfrecord.Open},
	})
	if err != nil {
		log.Fatal(err)
	}
	item := src.Item(7)
	fmt.Println(src.Len(), item.Name, item.Key, item.Label)
	// Output: 11 testdata/examples.tfrecord:8 é7.png 1
}
