package loader_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/transfer"
)

// use stands for the program's work with a batch on its device.
var use = func(b *transfer.Batch) error {
	a := b.Arrays()[0]
	fmt.Println(a.Desc, "on", a.Device.Name())
	return nil
}

// From files to normalized batches on a device. Here it is the host; the program is the same for "cuda:0".
func ExampleImages_device() {
	if err := trainOn(context.Background(), "host"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// float16 NCHW [22 3 224 224] on host
	// float16 NCHW [22 3 224 224] on host
}

func trainOn(ctx context.Context, name string) error {
	device, err := transfer.Open(name, transfer.DeviceOptions{})
	if err != nil {
		return err
	}
	defer device.Close()
	src, err := source.Folder(ctx, "../testdata/photos", source.Options{})
	if err != nil {
		return err
	}
	ld, err := loader.Images(src, loader.ImageOptions{
		Spec:    image.Spec{Resize: resize.Spec{Width: 224, Height: 224}}, // uint8, NHWC
		Options: loader.Options{Batch: 22, Allocator: transfer.NewPinnedMemory(device)},
	})
	if err != nil {
		return err
	}
	defer ld.Close()
	copier, err := transfer.NewCopier(device, transfer.CopierOptions{})
	if err != nil {
		return err
	}
	defer copier.Close() // before the loader: it waits for copies of its batches
	normalizer, err := transfer.NewNormalizer(copier, transfer.NormalizerOptions{
		DType: spool.Float16,
		Mean:  []float32{0.485, 0.456, 0.406}, Std: []float32{0.229, 0.224, 0.225},
	})
	if err != nil {
		return err
	}
	for decoded, err := range ld.Batches(ctx) {
		if err != nil {
			return err
		}
		b, err := normalizer.Copy(ctx, decoded, nil) // returns at once
		if err != nil {
			decoded.Release() // the caller still owns it
			return err
		}
		err = b.WaitOn(0) // the stream on which use queues its work waits; this goroutine does not
		if err == nil {
			err = use(b)
		}
		b.Release() // the slab is reused when that stream has finished
		if err != nil {
			return err
		}
	}
	return nil
}
