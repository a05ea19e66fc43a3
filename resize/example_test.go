package resize_test

import (
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// The usual preprocessing of ImageNet for evaluation: the shorter side to 256, then the center crop of 224x224.
func Example() {
	spec := resize.Spec{Shorter: 256, CropWidth: 224, CropHeight: 224, Filter: resize.Bicubic}
	var tables resize.Tables // shared by all workers

	plan, err := spec.Plan(500, 375, &tables)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("canvas %dx%d\n", plan.OutWidth, plan.OutHeight)
	fmt.Printf("columns %d to %d, rows %d to %d\n", plan.Left, plan.Right, plan.Top, plan.Bottom)
	fmt.Printf("up to %d taps a row\n", plan.Horizontal.Stride)
	// Output:
	// canvas 224x224
	// columns 83 to 416, rows 21 to 354
	// up to 6 taps a row
}

// All problems of a spec are reported at once.
func ExampleSpec_Validate() {
	err := resize.Spec{Width: 224, Shorter: 256, Mode: resize.Fit}.Validate()
	fmt.Println(errors.Is(err, spool.ErrOptions))
	fmt.Println(err)
	if first, ok := errors.AsType[*spool.OptionError](err); ok {
		fmt.Println(first.Options[1].Name, first.Options[1].Value)
	}
	// Output:
	// true
	// invalid options: Width 224 and Height 0: set both, or neither
	// invalid options: Width and Height exclude Shorter: set one of them
	// Height 0
}

// The usual preprocessing of ImageNet for training, for sample 1234 in the third epoch.
func ExampleAugment() {
	train := resize.Augment{ResizedCrop: &resize.RandomResizedCrop{}, FlipX: 0.5}
	by := order.Draw{Seed: 1, Epoch: 2, ID: 1234}
	spec, err := train.Draw(resize.Spec{Width: 224, Height: 224}, by, 500, 375)
	fmt.Println(spec.Box, spec.FlipX, err)
	// Output: 286x358+86+10 true <nil>
}
