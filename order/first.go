package order

// First returns a sampler of the first n positions of a sampler, or all if it has no more.
func First(of Sampler, n int) Sampler {
	if n >= of.Len() {
		return of
	}
	return first{of, max(n, 0)}
}

type first struct {
	of Sampler
	n  int
}

func (f first) Len() int { return f.n }

func (f first) At(i int) int {
	checkIndex(i, f.n)
	return f.of.At(i)
}
