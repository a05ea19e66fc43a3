package video_test

import (
	"context"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/resize"
)

// Sixteen frames of a video, evenly sampled, as a batch for a model.
func ExampleVideo_Frames() {
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
	spec := video.Spec{Resize: resize.Spec{Width: 32, Height: 32, Profile: resize.Fast}, Layout: spool.CHW}
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
	videos, err := video.New(d, video.Options{})
	if err != nil {
		panic(err)
	}
	defer videos.Close()
	v, err := videos.Open(context.Background(), spool.File("../../testdata/video/vfr.mp4"), video.OpenOptions{})
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
