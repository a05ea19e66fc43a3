package codec_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool/bench/codec"
)

func Example() {
	jpeg, _ := codec.Find("jpeg")
	b, err := codec.New(jpeg, 224, 3)
	if err != nil {
		panic(err)
	}
	defer b.Close()
	data, err := os.ReadFile("../../testdata/photos/animal/00.jpg")
	if err != nil {
		panic(err)
	}
	if err := b.Add(context.Background(), data); err != nil {
		panic(err)
	}
	if err := b.Measure(context.Background()); err != nil {
		panic(err)
	}
	floor := b.Results()[0]
	fmt.Println(floor.Step, floor.NsPerPixel > 0, floor.FloorRatio)
	// Output: bare-rgb true 1
}
