package order

import "fmt"

// Sampler has the samples of an epoch: their ids, by position. An id may come several times or never. At is a pure
// function. It panics for positions outside [0, Len()), as indexing a slice does.
type Sampler interface {
	Len() int
	At(i int) int // the id at position i
}

// Bijection is a Sampler in which each id of [0, Len()) comes once: a bijection. IndexOf panics outside that range, as
// At does.
type Bijection interface {
	Sampler
	IndexOf(id int) int // the position of id: IndexOf(At(i)) == i
}

// Sequential is the order of [0, n) without changes: Sequential(n).
type Sequential int

// Len returns n.
func (s Sequential) Len() int { return int(s) }

// At returns i.
func (s Sequential) At(i int) int {
	checkIndex(i, int(s))
	return i
}

// IndexOf returns id.
func (s Sequential) IndexOf(id int) int {
	checkIndex(id, int(s))
	return id
}

func checkIndex(i, n int) {
	if i < 0 || i >= n {
		panic(fmt.Sprintf("order: index %d out of range [0, %d)", i, n))
	}
}
