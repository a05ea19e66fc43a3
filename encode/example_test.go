package encode_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/encode"
)

func ExampleImage() {
	red := bytes.Repeat([]byte{200, 30, 30}, 32*24)
	desc := spool.Desc{Shape: spool.Shape{24, 32, 3}, Layout: spool.HWC}
	data, err := encode.Image(context.Background(), red, desc, encode.ImageOptions{Format: encode.PNG})
	if err != nil {
		fmt.Println(err)
		return
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(decoded.Bounds().Size(), decoded.At(5, 5))
	// Output: (32,24) {200 30 30 255}
}

func ExampleNew() {
	var file bytes.Buffer
	ctx := context.Background()
	w, err := encode.New(ctx, &file,
		encode.Options{Format: "wav", Audio: &encode.Audio{Rate: 16000, Channels: 1, DType: spool.Int16}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	silence := make([]byte, 2*16000)
	if err := w.Samples(ctx, silence,
		spool.Desc{Shape: spool.Shape{1, 16000}, DType: spool.Int16, Layout: spool.CT}); err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Finish(ctx); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s %s\n", file.Bytes()[:4], file.Bytes()[8:12])
	// Output: RIFF WAVE
}
