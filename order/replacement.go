package order

import "fmt"

// Replacement draws each sample from all, whatever was drawn before: some ids come several times in an epoch,
// about 37 % never.
type Replacement struct {
	n, draws    int
	seed, epoch uint64
}

// NewReplacement makes draws positions of ids from [0, n). It panics when one is negative, or when there is
// nothing to draw from.
func NewReplacement(n, draws int, seed, epoch uint64) *Replacement {
	if n < 0 || draws < 0 || n == 0 && draws > 0 {
		panic(fmt.Sprintf("order: %d draws from %d samples", draws, n))
	}
	return &Replacement{n: n, draws: draws, seed: seed, epoch: epoch}
}

// Len is the number of draws.
func (r *Replacement) Len() int { return r.draws }

// At is the id at position i. It takes about 50 ns.
func (r *Replacement) At(i int) int {
	checkIndex(i, r.draws)
	numbers := Rand{key: [2]uint64{r.seed, streamReplacement}, counter: [4]uint64{0, uint64(i), r.epoch, 0}, used: 4}
	return numbers.IntN(r.n)
}
