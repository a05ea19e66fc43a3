package record_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/resize"
)

// A crop and a flip are drawn once for an image, its mask and its boxes.
func Example() {
	if err := decodeRecord(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// image uint8 [32 32 3], mask uint8 [32 32]
	// boxes [1 4], boxes.labels [1], boxes.index [1], caption [9]
}

func decodeRecord(ctx context.Context) error {
	plan, err := record.NewPlan(record.Schema{
		{Name: "image", Input: "png", Kind: record.Image{
			Spec:    spoolimage.Spec{Resize: resize.Spec{Width: 32, Height: 32}},
			Augment: resize.Augment{FlipX: 0.5}}},
		{Name: "mask", Input: "seg.png", Kind: record.Mask{Like: "image"}},
		{Name: "boxes", Input: "json", Kind: record.Boxes{Like: "image"}},
		{Name: "caption", Input: "txt", Kind: record.Text{}},
	})
	if err != nil {
		return err
	}
	d, err := decode.New(decode.Options{})
	if err != nil {
		return err
	}
	defer d.Close()
	images, err := spoolimage.New(d, spoolimage.Options{})
	if err != nil {
		return err
	}
	defer images.Close()

	picture := spool.Bytes{Data: gray(64, 48)}
	inputs := []spool.Object{picture, picture, spool.Bytes{Data: []byte(`[[8, 8, 40, 30]]`)},
		spool.Bytes{Data: []byte("two trees")}}
	arrays := make([][]byte, len(plan.Arrays()))
	for i, a := range plan.Arrays() {
		n, _ := a.Sample.Bytes()
		arrays[i] = make([]byte, n)
	}
	result, err := plan.Decode(ctx, record.Decoders{Images: images}, inputs,
		func(i int) []byte { return arrays[i] }, order.Draw{Seed: 1})
	if err != nil {
		return err
	}
	fmt.Printf("%s %v %v, %s %v %v\n", plan.Arrays()[0].Name, plan.Arrays()[0].Sample.DType, plan.Arrays()[0].Sample.Shape,
		plan.Arrays()[1].Name, plan.Arrays()[1].Sample.DType, plan.Arrays()[1].Sample.Shape)
	for i, v := range result.Values {
		if i > 0 {
			fmt.Print(", ")
		}
		fmt.Print(v.Field, " ", v.Desc.Shape)
	}
	fmt.Println()
	return nil
}

// gray returns a PNG image.
func gray(width, height int) []byte {
	img := image.NewGray(image.Rect(0, 0, width, height))
	img.SetGray(3, 4, color.Gray{Y: 200})
	var w bytes.Buffer
	if err := png.Encode(&w, img); err != nil {
		panic(err)
	}
	return w.Bytes()
}
