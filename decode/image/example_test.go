package image_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
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
	images, err := image.New(d, image.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer images.Close()
	data, err := os.ReadFile("../../testdata/hard/good/s420.jpg")
	if err != nil {
		fmt.Println(err)
		return
	}
	pixels, report, err := images.Decode(context.Background(), spool.Bytes{Data: data},
		image.Spec{Resize: resize.Spec{Width: 224, Height: 224}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer pixels.Release()
	fmt.Println(report.Info.Format, report.Info.Width, report.Info.Height, "to", pixels.Desc())
	// Output: jpeg 125 83 to uint8 HWC [224 224 3]
}

// All frames of an animation, in one buffer.
func ExampleDecoder_DecodeFrames() {
	d, _ := decode.New(decode.Options{})
	defer d.Close()
	images, _ := image.New(d, image.Options{})
	defer images.Close()
	data, _ := os.ReadFile("../../testdata/hard/good/disposal.webp")
	frames, _, err := images.DecodeFrames(context.Background(), spool.Bytes{Data: data}, image.Spec{Color: decode.RGBA}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer frames.Release()
	fmt.Println(frames.Desc())
	// Output: uint8 NHWC [5 47 61 4]
}

// Errors of bad input have a class. A damaged image may be accepted if enough of it could be read.
func ExampleDecoder_Decode_damaged() {
	d, _ := decode.New(decode.Options{})
	defer d.Close()
	images, _ := image.New(d, image.Options{})
	defer images.Close()
	data, _ := os.ReadFile("../../testdata/hard/bad/truncated99.jpg")
	_, _, err := images.Decode(context.Background(), spool.Bytes{Data: data}, image.Spec{})
	fmt.Println(errors.Is(err, spool.ErrTruncated))
	pixels, report, err := images.Decode(context.Background(), spool.Bytes{Data: data}, image.Spec{Accept: 0.5})
	if err == nil {
		fmt.Println(report.Damaged, pixels.Desc())
		pixels.Release()
	}
	// Output:
	// true
	// true uint8 HWC [83 125 3]
}
