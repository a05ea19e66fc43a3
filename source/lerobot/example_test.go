package lerobot_test

import (
	"context"
	"fmt"
	"log"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/lerobot"
)

// The files and times of a camera, and the task of each row.
func Example() {
	ctx := context.Background()
	set, err := lerobot.Open(ctx, "testdata/arm", lerobot.Options{Episodes: []int{1, 2}})
	if err != nil {
		log.Fatal(err)
	}
	const camera = "observation.images.front"
	src, err := set.Records([]source.Input{{Name: camera}, {Name: camera + ".start"}, {Name: "task"}})
	if err != nil {
		log.Fatal(err)
	}
	text := func(i, k int) string {
		o, err := src.OpenInput(ctx, i, k)
		if err != nil {
			log.Fatal(err)
		}
		defer o.Close()
		if k == 0 {
			return o.Info().Name
		}
		data, err := spool.ReadAll(ctx, o, nil, 0)
		if err != nil {
			log.Fatal(err)
		}
		return string(data)
	}
	for _, i := range []int{0, src.Len() - 1} {
		fmt.Println(src.Item(i).Key, text(i, 0), text(i, 1), text(i, 2))
	}
	// Output:
	// episode-000001/frame-000000 testdata/arm/videos/observation.images.front/chunk-000/file-000.mp4 0.7 open the drawer
	// episode-000002/frame-000000 testdata/arm/videos/observation.images.front/chunk-000/file-001.mp4 0 pick the cube
}
