package isolate_test

import (
	"context"
	"fmt"
	"os"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
)

// The program is its own helper: its main function, here TestMain, has called isolate.Main.
func ExampleMain() {
	self, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return
	}
	shared, err := decode.New(decode.Options{Isolate: decode.Isolation{Which: decode.IsolateAll, Helper: self}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer shared.Close()
	images, err := image.New(shared, image.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer images.Close()
	file := spool.File("../../testdata/hard/good/lossless.jp2")
	buffer, _, err := images.Decode(context.Background(), file, image.Spec{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer buffer.Release()
	fmt.Println(buffer.Desc().DType, buffer.Desc().Layout)
	// Output: uint8 HWC
}
