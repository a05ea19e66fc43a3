package order

import "fmt"

// Repeated returns a sampler that has each position of another sampler several times, one after the other. If a batch
// has a multiple of so many samples, all occurrences of a sample are in one batch, and on one rank: this is repeated
// augmentation (Hoffer et al., Augment Your Batch, CVPR 2020). It panics if times is not positive.
func Repeated(of Sampler, times int) Repeating {
	if times < 1 {
		panic(fmt.Sprintf("order: a sampler repeated %d times", times))
	}
	return repeated{Counted(of), times}
}

type repeated struct {
	of    Repeating
	times int
}

func (r repeated) Len() int { return r.of.Len() * r.times }

func (r repeated) At(i int) int {
	checkIndex(i, r.Len())
	return r.of.At(i / r.times)
}

func (r repeated) Occurrence(i int) int {
	checkIndex(i, r.Len())
	return r.of.Occurrence(i/r.times)*r.times + i%r.times
}
