package loader_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// A model is evaluated after each epoch of its training. The images for the evaluation are decoded once.
func ExampleCache() {
	ctx := context.Background()
	src, err := source.Folder(ctx, "../testdata/photos", source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	cache, err := loader.NewCache(1 << 30)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cache.Close()
	evaluate := func() error {
		ld, err := loader.Images(src, loader.ImageOptions{
			Spec:    image.Spec{Resize: resize.Spec{Width: 64, Height: 64}},
			Options: loader.Options{Batch: 16, Caches: loader.Caches{Memory: cache}},
		})
		if err != nil {
			return err
		}
		defer ld.Close()
		for b, err := range ld.Batches(ctx) {
			if err != nil {
				return err
			}
			b.Release()
		}
		return nil
	}
	for range 3 {
		if err := evaluate(); err != nil {
			fmt.Println(err)
			return
		}
		s := cache.Stats()
		fmt.Println(s.Items, "kept:", s.Misses, "decoded,", s.Hits, "not")
	}
	// Output:
	// 44 kept: 44 decoded, 0 not
	// 44 kept: 44 decoded, 44 not
	// 44 kept: 44 decoded, 88 not
}

// Headspace shows how long the training loop would take if loading cost nothing: it delivers the same number of
// batches.
func ExampleLoader_Headspace() {
	ctx := context.Background()
	src, err := source.Folder(ctx, "../testdata/photos", source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, headspace := range []bool{false, true} {
		ld, err := loader.Images(src, loader.ImageOptions{
			Spec:    image.Spec{Resize: resize.Spec{Width: 64, Height: 64}},
			Options: loader.Options{Batch: 4, Epochs: 20},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		epochs := ld.Epochs
		if headspace {
			epochs = ld.Headspace
		}
		n := 0
		for _, batches := range epochs(ctx) { // measure and compare the time of this loop
			for b, err := range batches {
				if err != nil {
					fmt.Println(err)
					return
				}
				n++
				b.Release()
			}
		}
		decoded := ld.JPEG().Own + ld.JPEG().Turbo
		fmt.Println(n, "batches, all decoded:", decoded >= 20*44)
		if err := ld.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 220 batches, all decoded: true
	// 220 batches, all decoded: false
}
