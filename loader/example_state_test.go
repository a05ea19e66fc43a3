package loader_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// A run that stops in the middle of an epoch resumes after its last batch.
func ExampleLoader_State() {
	ctx := context.Background()
	src, err := source.Folder(ctx, "../testdata/photos", source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	options := loader.ImageOptions{
		Spec:    image.Spec{Resize: resize.Spec{Width: 64, Height: 64}},
		Options: loader.Options{Batch: 8, Epochs: 2, Shuffle: true, Seed: 1},
	}
	train := func(batches int) (kept []byte, err error) {
		ld, err := loader.Images(src, options)
		if err != nil {
			return nil, err
		}
		defer ld.Close()
		for b, err := range ld.Batches(ctx) {
			if err != nil {
				return nil, err
			}
			fmt.Println("epoch", b.Epoch, "batch", b.Index, "begins with sample", b.Samples[0].ID)
			b.Release()
			if batches--; batches == 0 {
				break
			}
		}
		state, err := ld.State() // some hundred bytes; the call is cheap
		if err != nil {
			return nil, err
		}
		return json.Marshal(state)
	}
	kept, err := train(3)
	if err != nil {
		fmt.Println(err)
		return
	}

	state, err := loader.ParseState(kept)
	if err != nil {
		fmt.Println(err)
		return
	}
	options.Resume, options.Workers = []loader.State{state}, 7 // the number of workers does not matter
	if _, err = train(4); err != nil {
		fmt.Println(err)
	}
	// Output:
	// epoch 0 batch 0 begins with sample 1
	// epoch 0 batch 1 begins with sample 4
	// epoch 0 batch 2 begins with sample 9
	// epoch 0 batch 3 begins with sample 40
	// epoch 0 batch 4 begins with sample 25
	// epoch 0 batch 5 begins with sample 2
	// epoch 1 batch 0 begins with sample 19
}
