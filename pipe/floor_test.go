package pipe_test

import (
	"testing"
	"time"
)

// BenchmarkFloor is the baseline of BenchmarkHandOff: the same three stages as bare channels of 64 places. Each reads
// the clock twice per item, which any statistics of service times need.
func BenchmarkFloor(b *testing.B) {
	b.ReportAllocs()
	var spent [3]time.Duration
	source := make(chan int, 64)
	go func() {
		defer close(source)
		for n := range b.N {
			source <- n
		}
	}()
	flow := source
	for stage := range spent {
		in, out := flow, make(chan int, 64)
		go func() {
			defer close(out)
			for n := range in {
				start := time.Now()
				n, _ = same(b.Context(), n)
				spent[stage] += time.Since(start)
				out <- n
			}
		}()
		flow = out
	}
	next := 0
	for n := range flow {
		if n != next {
			b.Fatalf("got %d instead of %d", n, next)
		}
		next++
	}
	if next != b.N {
		b.Fatalf("got %d of %d items", next, b.N)
	}
}
