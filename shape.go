package spool

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Shape is the extent of each dimension, outermost first. Elements are in C order, without gaps.
type Shape []int

// Elems returns the number of elements: the product of the dimensions, which is 1 for an empty shape. It returns false
// if a dimension is negative or the product does not fit in an int.
func (s Shape) Elems() (n int, ok bool) {
	product := uint64(1)
	for _, d := range s {
		if d < 0 {
			return 0, false
		}
		hi, lo := bits.Mul64(product, uint64(d))
		if hi != 0 || lo > math.MaxInt {
			return 0, false
		}
		product = lo
	}
	return int(product), true
}

// Equal reports whether both shapes have the same dimensions.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

// String returns the shape in the documentation's notation: [32 224 224 3].
func (s Shape) String() string {
	words := make([]string, len(s))
	for i, d := range s {
		words[i] = strconv.Itoa(d)
	}
	return "[" + strings.Join(words, " ") + "]"
}
