package augment_test

import (
	"fmt"

	"github.com/spoolmedia/spool/augment"
	"github.com/spoolmedia/spool/order"
)

// The steps for a sample follow from its key and the size of its result.
func Example() {
	ops := augment.Ops{
		augment.ColorJitter{Brightness: augment.Around(0.4)},
		augment.RandAugment{Magnitude: 9},
		augment.Erasing{P: 1},
	}
	if err := ops.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range ops.Draw(order.Draw{Seed: 1, Epoch: 2, ID: 3}, 224, 224) {
		fmt.Println(s.Kind)
	}
	// Output:
	// brightness
	// contrast
	// posterize
	// erase
}
