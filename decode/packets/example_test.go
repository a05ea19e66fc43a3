package packets_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/packets"
	"github.com/spoolmedia/spool/decode/video"
)

// The packets of a tenth of a second, as bytes for another process.
func Example() {
	d, err := decode.New(decode.Options{})
	if err != nil {
		panic(err)
	}
	defer d.Close()
	videos, err := video.New(d, video.Options{})
	if err != nil {
		panic(err)
	}
	defer videos.Close()
	v, err := videos.Open(context.Background(), spool.File("../../testdata/video/bframes.mp4"), video.OpenOptions{})
	if err != nil {
		panic(err)
	}
	defer v.Close()
	window, err := v.Packets(context.Background(), 0, 0.1)
	if err != nil {
		panic(err)
	}
	data, err := window.MarshalBinary()
	window.Release()
	if err != nil {
		panic(err)
	}
	view, err := packets.View(data)
	if err != nil {
		panic(err)
	}
	defer view.Release()
	fmt.Println(view.Info().Codec, view.Len(), "frames")
	// Output: h264 3 frames
}
