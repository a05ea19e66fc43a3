package order

// List is a sampler of given ids, in the list's order. It may omit ids and repeat ids.
type List []int

// Len returns the number of ids.
func (l List) Len() int { return len(l) }

// At returns the id at position i.
func (l List) At(i int) int {
	checkIndex(i, len(l))
	return l[i]
}
