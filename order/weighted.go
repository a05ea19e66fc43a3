package order

import (
	"fmt"
	"math"
	"math/bits"
)

// Weights is how often each sample is drawn, relative to the others. It is the table of Weighted samplers, built once
// for all epochs. It takes 12 bytes per sample.
//
// It is an alias table (Walker, ACM TOMS 3, 1977, with the construction of Vose, IEEE TSE 17, 1991). Each column c has
// the id c below its threshold and another id above it, and all columns are equally likely. Weights are first converted
// to integers, so that the table is the same on every platform.
type Weights struct {
	threshold []uint64 // in units of 1 / (1 << scale)
	alias     []uint32
	scale     int
}

// NewWeights returns the table for one weight per id. The scale of the weights is arbitrary; 0 is for ids that are
// never drawn. It is an error if a weight is negative or not finite, or if no weight is above 0. A weight below 2^-50
// of the average may count as 0.
func NewWeights(weights []float64) (*Weights, error) {
	n := len(weights)
	if n > math.MaxUint32 {
		return nil, fmt.Errorf("order: %d weights are more than %d", n, uint32(math.MaxUint32))
	}
	largest := 0
	for id, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("order: the weight of sample %d is %v", id, w)
		}
		if w > weights[largest] {
			largest = id
		}
	}
	if n == 0 || weights[largest] == 0 {
		return nil, fmt.Errorf("order: none of %d weights is above 0", n)
	}
	w := &Weights{threshold: make([]uint64, n), alias: make([]uint32, n), scale: min(52, 62-bits.Len(uint(n)))}
	w.share(weights, largest)
	w.fill()
	return w, nil
}

// share sets the threshold of each id to its share of n << scale, as an integer.
func (w *Weights) share(weights []float64, largest int) {
	var sum float64
	for _, v := range weights {
		sum += v / weights[largest] // relative weights do not overflow
	}
	whole := uint64(len(weights)) << w.scale
	rest := whole
	for id, v := range weights {
		w.threshold[id] = uint64(v / weights[largest] / sum * float64(whole))
		rest -= w.threshold[id] // modulo 2^64, if rounding gave too much
	}
	w.threshold[largest] += rest
}

// fill levels the columns: each column below its capacity gets the excess of another.
func (w *Weights) fill() {
	full := uint64(1) << w.scale
	var low, high []uint32
	for id, t := range w.threshold {
		w.alias[id] = uint32(id)
		switch {
		case t < full:
			low = append(low, uint32(id))
		case t > full:
			high = append(high, uint32(id))
		}
	}
	for len(low) > 0 { // sums are exact: while a column is below its capacity, another is above
		from, to := high[len(high)-1], low[len(low)-1]
		low = low[:len(low)-1]
		w.alias[to] = from
		w.threshold[from] -= full - w.threshold[to]
		switch t := w.threshold[from]; {
		case t < full:
			high = high[:len(high)-1]
			low = append(low, from)
		case t == full:
			high = high[:len(high)-1]
		}
	}
}

// Sampler returns a sampler that draws samples by their weights, with replacement. It panics if draws is negative.
func (w *Weights) Sampler(draws int, seed, epoch uint64) *Weighted {
	if draws < 0 {
		panic(fmt.Sprintf("order: %d draws", draws))
	}
	return &Weighted{weights: w, draws: draws, seed: seed, epoch: epoch}
}

// Weighted draws samples by Weights.
type Weighted struct {
	weights     *Weights
	draws       int
	seed, epoch uint64
}

// Len returns the number of draws.
func (w *Weighted) Len() int { return w.draws }

// At returns the id at position i. It takes about 0.1 microseconds, plus two accesses to a large table.
func (w *Weighted) At(i int) int {
	checkIndex(i, w.draws)
	numbers := Rand{key: [2]uint64{w.seed, streamWeighted}, counter: [4]uint64{0, uint64(i), w.epoch, 0}, used: 4}
	column := numbers.IntN(len(w.weights.threshold))
	if numbers.Uint64()>>(64-w.weights.scale) < w.weights.threshold[column] {
		return column
	}
	return int(w.weights.alias[column])
}
