package order

import "fmt"

// Order is a bijection of [0, Len()): the sample ids of an epoch, by position. At and IndexOf panic
// outside that range, as an index of a slice does.
type Order interface {
	Len() int
	At(i int) int       // the id at position i
	IndexOf(id int) int // the position of id: IndexOf(At(i)) == i
}

// Sequential is the order of [0, n) as it is: Sequential(n).
type Sequential int

// Len is n.
func (s Sequential) Len() int { return int(s) }

// At is i.
func (s Sequential) At(i int) int {
	checkIndex(i, int(s))
	return i
}

// IndexOf is id.
func (s Sequential) IndexOf(id int) int {
	checkIndex(id, int(s))
	return id
}

func checkIndex(i, n int) {
	if i < 0 || i >= n {
		panic(fmt.Sprintf("order: index %d out of range [0, %d)", i, n))
	}
}
