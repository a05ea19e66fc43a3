package loader_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// show loads the photos at URLs such as "s3://bucket/photos" or "https://host/photo.jpg".
func show(ctx context.Context, urls ...string) error {
	client, err := object.New(object.Options{})
	if err != nil {
		return err
	}
	defer client.Close()
	src, err := source.Open(ctx, urls, source.Options{Remote: client})
	if err != nil {
		return err
	}
	ld, err := loader.Images(src, loader.ImageOptions{
		Spec:    image.Spec{Resize: resize.Spec{Width: 64, Height: 64}},
		Options: loader.Options{Batch: 4},
	})
	if err != nil {
		return err
	}
	defer ld.Close()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			return err
		}
		fmt.Println(b.Len(), "photos, the last of them sample", b.Samples[b.Len()-1].ID)
		b.Release()
	}
	for _, stage := range ld.Report().Stages {
		fmt.Print(stage.Name, " ")
	}
	return nil
}

// Photos on a server are looked up and read concurrently, and are delivered in order.
func Example_remote() {
	server := httptest.NewServer(http.FileServer(http.Dir("../testdata/photos")))
	defer server.Close()
	var photos []string
	for i := range 6 {
		photos = append(photos, fmt.Sprintf("%s/animal/%02d.jpg", server.URL, i))
	}
	if err := show(context.Background(), photos...); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 4 photos, the last of them sample 3
	// 2 photos, the last of them sample 5
	// list locate open fetch slot decode batch
}
