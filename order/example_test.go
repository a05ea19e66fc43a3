package order_test

import (
	"encoding/json"
	"fmt"
	"log"

	"github.com/spoolmedia/spool/order"
)

// An epoch of ten samples, shuffled. The position of a sample can be queried as well.
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

// Whether sample 1234 is flipped in epoch 5 does not depend on the caller or the time.
func ExampleRand() {
	const seed, epoch, flip = 0, 5, 1
	r := order.NewRand(seed, epoch, 1234, flip)
	fmt.Println(r.Float64() < 0.5)
	// Output: false
}

// Two ranks load an epoch of ten samples and are interrupted after a batch of two each. Then three ranks resume.
func ExampleResume() {
	const batch = 2
	samples := order.NewPermutation(10, 42, 0)
	two := order.Split{World: 2, Run: batch}
	var marks []order.Mark
	for rank := range two.World {
		share := order.State{}.Share(samples, two, rank)
		fmt.Printf("rank %d of 2: %d %d, then it is interrupted\n", rank, share.At(0), share.At(1))
		marks = append(marks, order.Mark{Split: two, Rank: rank, Taken: batch})
	}
	file, err := json.Marshal(marks[1]) // each rank saves its own
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(file))

	three := order.Split{World: 3, Run: batch}
	for rank := range three.World {
		state, from, err := order.Resume(samples.Len(), marks, three, rank)
		if err != nil {
			log.Fatal(err)
		}
		share := state.Share(samples, three, rank)
		fmt.Printf("rank %d of 3:", rank)
		for i := from; i < share.Len(); i++ {
			fmt.Print(" ", share.At(i))
		}
		fmt.Println()
	}
	// Output:
	// rank 0 of 2: 7 0, then it is interrupted
	// rank 1 of 2: 4 2, then it is interrupted
	// {"state":{"epoch":0,"position":0},"split":{"world":2,"run":2,"rest":0},"rank":1,"taken":2}
	// rank 0 of 3: 1 9
	// rank 1 of 3: 5 6
	// rank 2 of 3: 3 8
}

// The mix has seven images for three drawings, whose ids follow those of the images. Each part is shuffled again for
// each pass.
func ExampleMix() {
	photos := func(pass uint64) order.Sampler { return order.NewPermutation(1000, 1, pass) }
	drawings := func(pass uint64) order.Sampler { return order.NewPermutation(50, 2, pass) }
	mix, err := order.NewMix([]order.Part{{Weight: 0.7, Samples: photos}, {Weight: 0.3, First: 1000, Samples: drawings}})
	if err != nil {
		log.Fatal(err)
	}
	epoch := mix.Sampler(500, 0)
	drawn := 0
	for i := range epoch.Len() {
		if epoch.At(i) >= 1000 {
			drawn++
		}
	}
	fmt.Println(mix.Counts(), drawn, "drawings of", epoch.Len())
	// Output: [7 3] 150 drawings of 500
}
