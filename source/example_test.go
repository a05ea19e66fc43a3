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

// A tree of class folders, and the bytes of its first image.
func Example() {
	ctx := context.Background()
	fsys := fstest.MapFS{
		"dog/1.jpg":   {Data: []byte("not really a JPEG")},
		"cat/2.jpg":   {Data: []byte("neither")},
		"cat/3.png":   {},
		"cat/old.txt": {},
	}
	images, err := source.FS(ctx, fsys, ".", source.Options{}) // source.Folder, for a folder of the system
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(images.Classes(), "skipped:", images.Skipped())
	for i := range images.Len() {
		item := images.Item(i)
		fmt.Println(item.ID, item.Name, item.Label)
	}

	object, err := images.Open(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	defer object.Close()
	data, err := spool.ReadAll(ctx, object, nil, 1<<20)
	fmt.Printf("%s, %v\n", data, err)
	// Output:
	// [cat dog] skipped: 1 .txt
	// 0 cat/2.jpg 0
	// 1 cat/3.png 0
	// 2 dog/1.jpg 1
	// neither, <nil>
}

// A table of files with class names, combined with a folder that has other classes.
func ExampleManifest() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	table := filepath.Join(folder, "train.csv")
	err = os.WriteFile(table, []byte("path,split,label\na.jpg,train,dog\n\"b, c.jpg\",train,cat\n"), 0o600)
	if err != nil {
		log.Fatal(err)
	}
	images, err := source.Manifest(context.Background(), table, source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(images.Classes())
	for i := range images.Len() {
		item := images.Item(i)
		fmt.Println(item.Name, item.Label)
	}
	fmt.Println(os.RemoveAll(folder))
	// Output:
	// [cat dog]
	// a.jpg 1
	// b, c.jpg 0
	// <nil>
}

// A stream lists files as it finds them, in the order in which stores list.
func ExampleOpenStream() {
	photos, err := source.OpenStream(context.Background(), []string{"../testdata/photos"}, source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for item, err := range photos.Samples(context.Background(), 0) {
		if err != nil {
			log.Fatal(err)
		}
		photo, err := photos.Open(context.Background(), int(item.ID))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Name, item.Label, photo.Info().Size > 0, photo.Close())
		if item.ID == 1 {
			break
		}
	}
	// Output:
	// ../testdata/photos/animal/00.jpg -1 true <nil>
	// ../testdata/photos/animal/01.jpg -1 true <nil>
}

// The problems of all arguments are reported at once, each with its error class.
func ExampleOpen_errors() {
	_, err := source.Open(context.Background(), []string{"no/such/folder", "no-such-*.jpg", "/dev/null"}, source.Options{})
	fmt.Println(err)
	fmt.Println(errors.Is(err, spool.ErrNotFound), errors.Is(err, spool.ErrNotAFile), errors.Is(err, spool.ErrPermission))
	// Output:
	// list no/such/folder: not-found: no such file or directory
	// list no-such-*.jpg: not-found: nothing matches this pattern
	// list /dev/null: not-a-file: a device, where a regular file is needed
	// true true false
}
