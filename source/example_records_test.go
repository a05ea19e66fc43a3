package source_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Images with masks and labels from a shard that WebDataset wrote.
func ExampleOpenRecords() {
	ctx := context.Background()
	records, err := source.OpenRecords(ctx, []string{"shard/testdata/webdataset.tar"}, []source.Input{
		{Name: "png;jpg"}, // the first of these that a sample has
		{Name: "seg.png"},
		{Name: "txt", Optional: true},
	}, source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range records.Len() {
		item := records.Item(i)
		fmt.Println(item.Key, item.Label)
		for k := range 3 {
			object, err := records.OpenInput(ctx, i, k)
			if object == nil {
				fmt.Println("  nothing,", err)
				continue
			}
			fmt.Println(" ", object.Info().Name, object.Info().Size, "bytes")
			object.Close()
		}
	}
	// Output:
	// deep/0000 0
	//   shard/testdata/webdataset.tar/deep/0000.jpg 0 bytes
	//   shard/testdata/webdataset.tar/deep/0000.seg.png 4 bytes
	//   nothing, <nil>
	// deep/0001 1
	//   shard/testdata/webdataset.tar/deep/0001.jpg 300 bytes
	//   shard/testdata/webdataset.tar/deep/0001.seg.png 4 bytes
	//   nothing, <nil>
	// deep/0002 4
	//   shard/testdata/webdataset.tar/deep/0002.jpg 600 bytes
	//   shard/testdata/webdataset.tar/deep/0002.seg.png 4 bytes
	//   nothing, <nil>
}

// Columns hold paths, or with Value what they say themselves.
func ExampleOpenRecords_table() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	file := filepath.Join(folder, "train.jsonl")
	row := `{"image":{"path":"a.jpg"},"caption":"a cat","box":[10,20,30.50],"meta":{"width":640}}`
	if err := os.WriteFile(file, []byte(row+"\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	records, err := source.OpenRecords(ctx, []string{file}, []source.Input{
		{Name: "image"}, {Name: "caption", Value: true}, {Name: "box", Value: true}, {Name: "meta.width", Value: true},
	}, source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for k := 1; k < 4; k++ {
		object, err := records.OpenInput(ctx, 0, k)
		if err != nil {
			log.Fatal(err)
		}
		data, err := spool.ReadAll(ctx, object, nil, 1<<20)
		fmt.Println(string(data), err)
	}
	_, err = source.OpenRecords(ctx, []string{file}, []source.Input{{Name: "captions"}}, source.Options{})
	if e, ok := errors.AsType[*spool.Error](err); ok {
		fmt.Println(e.Text)
	}
	fmt.Println(os.RemoveAll(folder))
	// Output:
	// a cat <nil>
	// [10,20,30.50] <nil>
	// 640 <nil>
	// no column is called captions; there are box, caption, image, image.path, meta, meta.width; did you mean caption?
	// <nil>
}

// Files of folders beside each other belong together if only their extensions differ.
func ExampleRecordsFS() {
	fsys := fstest.MapFS{"images/cat/1.jpg": {}, "images/dog/1.jpg": {}, "masks/cat/1.png": {}, "masks/dog/1.png": {}}
	records, err := source.RecordsFS(context.Background(), fsys, ".", []source.Input{{Name: "images"}, {Name: "masks"}},
		source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range records.Len() {
		mask, err := records.OpenInput(context.Background(), i, 1)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(records.Item(i).Key, records.Item(i).Label, mask.Info().Name, mask.Close())
	}
	// Output:
	// cat/1 0 masks/cat/1.png <nil>
	// dog/1 1 masks/dog/1.png <nil>
}

// What a shard seems to have.
func ExampleInferInputs() {
	inputs, err := source.InferInputs(context.Background(), []string{"shard/testdata/webdataset.tar"}, source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range inputs {
		fmt.Printf("%-9s %-6s %d of %d\n", in.Name, in.Kind, in.Samples, in.Examined)
	}
	// Output:
	// cls       number 3 of 4
	// jpg       image  3 of 4
	// json      json   3 of 4
	// seg.png   mask   3 of 4
	// x.cls     number 1 of 4
	// x.jpg     image  1 of 4
	// x.json    json   1 of 4
	// x.seg.png mask   1 of 4
}
