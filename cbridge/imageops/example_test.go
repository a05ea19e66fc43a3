package imageops_test

import (
	"fmt"

	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/cbridge/imageops"
)

func Example() {
	r := imageops.Raster{Pixels: []byte{10, 100, 200, 250}, Width: 4, Height: 1, Channels: 1}
	steps := []augment.Step{{Kind: augment.StepInvert}, {Kind: augment.StepPosterize, Size: 4}}
	scratch := make([]byte, imageops.ScratchBytes(steps, r.Width, r.Height, r.Channels))
	if err := r.Apply(steps, scratch); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Pixels)
	// Output: [240 144 48 0]
}
