package order_test

import (
	"fmt"

	"github.com/spoolmedia/spool/order"
)

// An epoch of ten samples, shuffled; the position of a sample can be asked for as well.
func Example() {
	const seed = 42
	for epoch := range uint64(2) {
		p := order.NewPermutation(10, seed, epoch)
		for i := range p.Len() {
			fmt.Print(p.At(i), " ")
		}
		fmt.Println("- sample 7 comes at", p.IndexOf(7))
	}
	// Output:
	// 7 0 4 2 1 9 5 6 3 8 - sample 7 comes at 0
	// 7 1 2 5 9 8 3 0 4 6 - sample 7 comes at 0
}

// Whether sample 1234 is flipped in epoch 5 does not depend on who asks, when, or how often.
func ExampleRand() {
	const seed, epoch, flip = 0, 5, 1
	r := order.NewRand(seed, epoch, 1234, flip)
	fmt.Println(r.Float64() < 0.5)
	// Output: false
}
