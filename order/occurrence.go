package order

import "sync"

// Repeating is a Sampler that reports how often an id came before.
type Repeating interface {
	Sampler
	// Occurrence returns how many positions before i have the same id as position i.
	Occurrence(i int) int
}

// Counted returns the sampler with its occurrences. In a Bijection each id comes once, and a Repeating sampler knows
// its occurrences. For other samplers, the first call for position i queries all ids up to i, once, and stores 4 to 40
// bytes for each.
func Counted(s Sampler) Repeating {
	switch s := s.(type) {
	case Repeating:
		return s
	case Bijection:
		return counted{s, func(i int) int {
			checkIndex(i, s.Len())
			return 0
		}}
	case first:
		return counted{s, Counted(s.of).Occurrence}
	}
	c := &counter{sampler: s, sparse: map[int]uint32{}}
	return counted{s, c.occurrence}
}

// counted is a sampler with a function that returns its occurrences.
type counted struct {
	Sampler
	occurrence func(i int) int
}

func (c counted) Occurrence(i int) int { return c.occurrence(i) }

// counter counts the ids of a sampler, from the beginning to the last position that was queried.
type counter struct {
	sampler Sampler

	mu     sync.Mutex
	before []uint32       // by position: how often its id came before
	dense  []uint32       // by id: how often it came so far
	sparse map[int]uint32 // as dense, for ids that are large compared to the sampler's length
}

func (c *counter) occurrence(i int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.before) <= i {
		c.before = append(c.before, c.count(c.sampler.At(len(c.before))))
	}
	return int(c.before[i])
}

// count counts an id, and returns how often it came before.
func (c *counter) count(id int) (before uint32) {
	if id < 0 || id >= 4*c.sampler.Len() {
		before = c.sparse[id]
		c.sparse[id]++
		return before
	}
	if id >= len(c.dense) {
		c.dense = append(c.dense, make([]uint32, id+1-len(c.dense))...)
	}
	before = c.dense[id]
	c.dense[id]++
	return before
}
