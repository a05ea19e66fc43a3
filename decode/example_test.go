package decode_test

import (
	"fmt"

	"github.com/spoolmedia/spool/decode"
)

// One Decoder serves a program; the decoders of media are made with it and share its limits and its memory.
func Example() {
	d, err := decode.New(decode.Options{Limits: decode.Limits{MaxPixels: 1e6}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close() // after the decoders of media
	fmt.Println(d.Limits().MaxPixels, d.Limits().MaxFrames)
	// Output: 1000000 4096
}
