package loader_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// Batches of 224x224 images from a folder, in the order of the files' names.
func ExampleImages() {
	ctx := context.Background()
	src, err := source.Folder(ctx, "../testdata/photos", source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ld, err := loader.Images(src, loader.ImageOptions{
		Spec:    image.Spec{Resize: resize.Spec{Width: 224, Height: 224}},
		Options: loader.Options{Batch: 16},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ld.Close()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if b.Index == 0 {
			fmt.Println(b.Desc(), "labels", b.Labels()[:3])
		}
		b.Release()
	}
	// Output: uint8 NHWC [16 224 224 3] labels [0 0 0]
}

// A training loop with random resized crops, flips, and a different order in each epoch. Sample.Crop has the random
// crop.
func ExampleImages_training() {
	ctx := context.Background()
	src, err := source.Folder(ctx, "../testdata/photos", source.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ld, err := loader.Images(src, loader.ImageOptions{
		Spec:    image.Spec{Resize: resize.Spec{Width: 224, Height: 224}, DType: spool.Float16, Layout: spool.CHW},
		Augment: resize.Augment{ResizedCrop: &resize.RandomResizedCrop{}, FlipX: 0.5},
		Options: loader.Options{Batch: 16, Epochs: 2, Shuffle: true, Seed: 1, Last: batch.Drop},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ld.Close()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		if b.Index == 0 {
			fmt.Println("epoch", b.Epoch, b.Desc(), b.Samples[0].Crop)
		}
		b.Release()
	}
	// Output:
	// epoch 0 float16 NCHW [16 3 224 224] {1 45 253 195 false false}
	// epoch 1 float16 NCHW [16 3 224 224] {211 37 229 253 true false}
}

// Clips of eight frames, evenly spread over their files, with the times of their frames.
func ExampleVideos() {
	ctx := context.Background()
	src := source.Files("../testdata/video/bframes.mp4", "../testdata/video/opengop.mp4")
	ld, err := loader.Videos(src, loader.VideoOptions{
		Spec:    video.Spec{Resize: resize.Spec{Width: 112, Height: 112}},
		Frames:  8,
		Options: loader.Options{Batch: 2},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ld.Close()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(b.Desc(), b.Samples[0].Frames[0].Index, b.Samples[0].Frames[1].Index)
		b.Release()
	}
	// Output: uint8 NHWC [2 8 112 112 3] 1 4
}

// Two seconds of each file at 16 kHz. Length is the number of audio samples before the padding with silence.
func ExampleAudio() {
	ctx := context.Background()
	src := source.Files("../testdata/audio/mp3.mp3", "../testdata/audio/s16.wav")
	ld, err := loader.Audio(src, loader.AudioOptions{
		Spec:    audio.Spec{Rate: 16000, Channels: 1, Length: 32000},
		Options: loader.Options{Batch: 2},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ld.Close()
	for b, err := range ld.Batches(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(b.Desc(), b.Samples[0].Length, b.Samples[1].Length)
		b.Release()
	}
	// Output: float32 NCT [2 1 32000] 32000 3200
}
