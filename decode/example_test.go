package decode_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/resize"
)

// An image, resized to 224x224, as an owned buffer.
func Example() {
	d, err := decode.New(decode.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	images, err := decode.NewImageDecoder(d, decode.ImageDecoderOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer images.Close()
	data, err := os.ReadFile("../testdata/hard/good/s420.jpg")
	if err != nil {
		fmt.Println(err)
		return
	}
	picture, report, err := images.Decode(context.Background(), spool.Bytes{Data: data}, decode.ImageSpec{Resize: resize.Spec{Width: 224, Height: 224}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer picture.Release()
	fmt.Println(report.Info.Format, report.Info.Width, report.Info.Height, "to", picture.Desc())
	// Output: jpeg 125 83 to uint8 HWC [224 224 3]
}

// All frames of an animation, in one buffer.
func ExampleImageDecoder_DecodeFrames() {
	d, _ := decode.New(decode.Options{})
	defer d.Close()
	images, _ := decode.NewImageDecoder(d, decode.ImageDecoderOptions{})
	defer images.Close()
	data, _ := os.ReadFile("../testdata/hard/good/disposal.webp")
	frames, _, err := images.DecodeFrames(context.Background(), spool.Bytes{Data: data}, decode.ImageSpec{Color: decode.RGBA}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer frames.Release()
	fmt.Println(frames.Desc())
	// Output: uint8 NHWC [5 47 61 4]
}

// Errors of bad input have a class. A damaged image may be accepted if enough of it could be read.
func ExampleImageDecoder_Decode_damaged() {
	d, _ := decode.New(decode.Options{})
	defer d.Close()
	images, _ := decode.NewImageDecoder(d, decode.ImageDecoderOptions{})
	defer images.Close()
	data, _ := os.ReadFile("../testdata/hard/bad/truncated99.jpg")
	_, _, err := images.Decode(context.Background(), spool.Bytes{Data: data}, decode.ImageSpec{})
	fmt.Println(errors.Is(err, spool.ErrTruncated))
	picture, report, err := images.Decode(context.Background(), spool.Bytes{Data: data}, decode.ImageSpec{Accept: 0.5})
	if err == nil {
		fmt.Println(report.Damaged, picture.Desc())
		picture.Release()
	}
	// Output:
	// true
	// true uint8 HWC [83 125 3]
}

// Sixteen frames of a video, evenly sampled, as a batch for a model.
func ExampleVideo_Frames() {
	d, err := decode.New(decode.Options{})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	videos, err := decode.NewVideoDecoder(d, decode.VideoDecoderOptions{})
	if err != nil {
		panic(err)
	}
	defer videos.Close()
	v, err := videos.Open(context.Background(), spool.File("../testdata/video/bframes.mp4"), decode.VideoOptions{})
	if err != nil {
		panic(err)
	}
	defer v.Close()
	spec := decode.VideoSpec{Resize: resize.Spec{Width: 32, Height: 32, Profile: resize.Fast}, Layout: spool.CHW}
	clip, err := v.Frames(context.Background(), index.Even(v.Len(), 16), spec)
	if err != nil {
		panic(err)
	}
	defer clip.Release()
	last := clip.Frames[15]
	fmt.Println(clip.Desc())
	fmt.Printf("frame %d of %d, at %.2f s\n", last.Index, v.Len(), last.PTS)
	// Output:
	// uint8 NCHW [16 3 32 32]
	// frame 24 of 25, at 0.96 s
}

// The frame shown at a time, and the frames of a window.
func ExampleVideo_Index() {
	d, err := decode.New(decode.Options{})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	videos, err := decode.NewVideoDecoder(d, decode.VideoDecoderOptions{})
	if err != nil {
		panic(err)
	}
	defer videos.Close()
	v, err := videos.Open(context.Background(), spool.File("../testdata/video/vfr.mp4"), decode.VideoOptions{})
	if err != nil {
		panic(err)
	}
	defer v.Close()
	shown, err := v.Index().At(0.5)
	if err != nil {
		panic(err)
	}
	first, n := v.Index().Window(0.2, 0.4)
	fmt.Println(shown, first, n)
	// Output:
	// 10 5 4
}
