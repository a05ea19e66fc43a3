package source_test

import (
	"archive/tar"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"testing/fstest"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// Images with masks and captions from a WebDataset shard.
func ExampleOpenRecords() {
	ctx := context.Background()
	shard := writeShard("0001.jpg", "an image", "0001.seg.png", "its mask", "0001.txt", "a cat on a mat",
		"0002.webp", "another image", "0002.seg.png", "another mask")
	defer os.RemoveAll(filepath.Dir(shard))
	records, err := source.OpenRecords(ctx, []string{shard}, []source.Input{
		{Name: "jpg;png;webp"}, // the first of these that a sample has
		{Name: "seg.png"},
		{Name: "txt", Optional: true},
	}, source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range records.Len() {
		fmt.Print(records.Item(i).Key, ":")
		for k := range 3 {
			object, err := records.OpenInput(ctx, i, k)
			switch {
			case err != nil:
				log.Fatal(err)
			case object == nil:
				fmt.Print(" [nothing]")
				continue
			}
			data, err := spool.ReadAll(ctx, object, nil, 1<<20)
			fmt.Printf(" [%s]", data)
			if err != nil || object.Close() != nil {
				log.Fatal("cannot read")
			}
		}
		fmt.Println()
	}
	// Output:
	// 0001: [an image] [its mask] [a cat on a mat]
	// 0002: [another image] [another mask] [nothing]
}

// Columns hold paths, or with Value what they say themselves.
func ExampleOpenRecords_table() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
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
	fmt.Println(err.(*spool.Error).Text) //nolint:errorlint,forcetypeassert // an example
	// Output:
	// a cat <nil>
	// [10,20,30.50] <nil>
	// 640 <nil>
	// no column is called captions; there are box, caption, image, image.path, meta, meta.width; did you mean caption?
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
	shard := writeShard("1.jpg", "", "1.seg.png", "", "1.txt", "", "2.png", "", "2.seg.png", "", "2.cls", "7")
	defer os.RemoveAll(filepath.Dir(shard))
	inputs, err := source.InferInputs(context.Background(), []string{shard}, source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, in := range inputs {
		fmt.Printf("%-8s %-6s %d of %d\n", in.Name, in.Kind, in.Samples, in.Examined)
	}
	// Output:
	// cls      number 1 of 2
	// jpg;png  image  2 of 2
	// seg.png  mask   2 of 2
	// txt      text   1 of 2
}

// writeShard writes a tar file of names and contents in a new folder.
func writeShard(members ...string) string {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(folder, "train-0000.tar")
	file, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	w := tar.NewWriter(file)
	for i := 0; i < len(members); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: members[i], Size: int64(len(members[i+1])), Mode: 0o644}); err != nil {
			log.Fatal(err)
		}
		if _, err := w.Write([]byte(members[i+1])); err != nil {
			log.Fatal(err)
		}
	}
	if w.Close() != nil || file.Close() != nil {
		log.Fatal("cannot write the shard")
	}
	return path
}
