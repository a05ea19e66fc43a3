package order

// List is the ids of a list, in its order: some of them, or one of them more than once, as its maker chose.
type List []int

// Len is the number of ids.
func (l List) Len() int { return len(l) }

// At is the id at position i.
func (l List) At(i int) int {
	checkIndex(i, len(l))
	return l[i]
}
