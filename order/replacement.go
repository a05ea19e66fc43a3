package order

import "fmt"

// Replacement draws each sample from all samples, independently of the others. Some ids come several times in an epoch.
// If there are as many draws as samples, about 37 % never come.
type Replacement struct {
	n, draws    int
	seed, epoch uint64
}

// NewReplacement returns a sampler of draws ids from [0, n). It panics if n or draws is negative, or if n is 0 and
// draws is not.
func NewReplacement(n, draws int, seed, epoch uint64) *Replacement {
	if n < 0 || draws < 0 || n == 0 && draws > 0 {
		panic(fmt.Sprintf("order: %d draws from %d samples", draws, n))
	}
	return &Replacement{n: n, draws: draws, seed: seed, epoch: epoch}
}

// Len returns the number of draws.
func (r *Replacement) Len() int { return r.draws }

// At returns the id at position i. It takes about 50 ns.
func (r *Replacement) At(i int) int {
	checkIndex(i, r.draws)
	numbers := Rand{key: [2]uint64{r.seed, streamReplacement}, counter: [4]uint64{0, uint64(i), r.epoch, 0}, used: 4}
	return numbers.IntN(r.n)
}
