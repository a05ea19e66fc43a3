package chunked_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/chunked"
	"github.com/spoolmedia/spool/source/table"
)

func ExampleSet() {
	src, err := source.Open(context.Background(), []string{"testdata/mds"}, source.Options{
		Sets: map[string]table.Set{"index.json": chunked.Set()},
	})
	if err != nil {
		log.Fatal(err)
	}
	item := src.Item(7)
	fmt.Println(src.Len(), item.Name, item.Key, item.Label)
	// Output: 11 testdata/mds/index.json:8 näme 7 1
}
