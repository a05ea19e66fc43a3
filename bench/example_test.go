package bench_test

import (
	"fmt"

	"github.com/spoolmedia/spool/bench"
)

// During the second pair of runs the machine was busy with something else, which says nothing about who is faster.
func ExampleSummarize() {
	runs := []bench.Run{
		{Peer: bench.Spool, Rate: 1800, CPU: 1.1}, {Peer: "other", Rate: 1200, CPU: 1.65},
		{Peer: bench.Spool, Rate: 600, CPU: 1.2}, {Peer: "other", Rate: 400, CPU: 1.8},
	}
	for _, s := range bench.Summarize(runs, []bench.Contestant{{Name: bench.Spool}, {Name: "other"}}) {
		fmt.Printf("%s: %v/s, of which spool has %.2f times as many\n", s.Peer, s.Rate, s.RateRatio)
	}
	// Output:
	// spool: 1200/s, of which spool has 1.00 times as many
	// other: 800/s, of which spool has 1.50 times as many
}
