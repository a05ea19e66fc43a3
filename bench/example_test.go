package bench_test

import (
	"fmt"

	"github.com/spoolmedia/spool/bench"
)

// During the second pair of runs the machine was busy, which affects both runs, but not their ratio.
func ExampleDuel_Fought() {
	pairs := []bench.Pair{
		{Own: bench.Run{Peer: bench.Spool, Rate: 1800, CPU: 1.1}, Other: bench.Run{Peer: "other", Rate: 1200, CPU: 1.65}},
		{Own: bench.Run{Peer: bench.Spool, Rate: 600, CPU: 1.2}, Other: bench.Run{Peer: "other", Rate: 400, CPU: 1.8}},
	}
	d := bench.Duel{Own: bench.Spool, Other: "other", Goal: 1.4}.Fought(pairs)
	fmt.Printf("%.2f times the rate: %v\n", d.Ratio, d.Held())
	// Output:
	// 1.50 times the rate: true
}
