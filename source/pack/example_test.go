package pack_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/pack"
)

func ExampleWrite() {
	ctx := context.Background()
	src, err := source.Open(ctx, []string{"../../testdata/photos"}, source.Options{AllowEmpty: true})
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "packed")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := pack.Write(ctx, src, folder, pack.Options{PerShard: 10, Shuffle: true}); err != nil {
		log.Fatal(err)
	}
	m, err := pack.Verify(ctx, folder, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Shards[0].Name, m.Shards[0].Samples)
	if err := os.RemoveAll(folder); err != nil {
		log.Fatal(err)
	}
	// Output: 000000.tar 10
}
