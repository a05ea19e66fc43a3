package graph_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/graph"
	"github.com/spoolmedia/spool/decode/video"
)

// Every fifth frame of a video, scaled by FFmpeg.
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
	audios, err := audio.New(d, audio.Options{})
	if err != nil {
		panic(err)
	}
	defer audios.Close()
	g, err := graph.New(d, videos, audios).Open(context.Background(), graph.Spec{
		Description: "[in0]select='not(mod(n,5))',scale=32:24[out]",
		Inputs:      []graph.Input{{Object: spool.File("../../testdata/video/bframes.mp4")}},
	})
	if err != nil {
		panic(err)
	}
	defer g.Close()
	frames := 0
	for output, err := range g.All(context.Background()) {
		if err != nil {
			panic(err)
		}
		output.Release()
		frames++
	}
	fmt.Println(frames, "frames")
	// Output: 5 frames
}
