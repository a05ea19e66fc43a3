package order

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Classes are the samples of a data set by their labels: the table of a Balanced, made once and good for all
// epochs. It takes 4 bytes a sample.
type Classes struct {
	ids   []uint32 // class by class
	first []int    // of each class in ids, and the end of the last
}

// NewClasses groups the ids of [0, n) by label. A label below 0 is of no class: such a sample is never drawn.
// It panics when n is negative or above 2^32.
func NewClasses(n int, label func(id int) int64) *Classes {
	if n < 0 || n > math.MaxUint32+1 {
		panic(fmt.Sprintf("order: classes of %d samples", n))
	}
	sizes := map[int64]int{}
	for id := range n {
		if l := label(id); l >= 0 {
			sizes[l]++
		}
	}
	labels := make([]int64, 0, len(sizes))
	for l := range sizes {
		labels = append(labels, l)
	}
	slices.SortFunc(labels, cmp.Compare)
	c := &Classes{first: make([]int, 1, len(labels)+1)}
	next := make(map[int64]int, len(labels))
	for _, l := range labels {
		end := c.first[len(c.first)-1]
		next[l] = end
		c.first = append(c.first, end+sizes[l])
	}
	c.ids = make([]uint32, c.first[len(labels)])
	for id := range n {
		if l := label(id); l >= 0 {
			c.ids[next[l]] = uint32(id)
			next[l]++
		}
	}
	return c
}

// Len is the number of classes that have samples.
func (c *Classes) Len() int { return len(c.first) - 1 }

// Sampler draws so many samples, from all classes equally often; 0 draws as many as the classes hold together.
// It panics when draws is negative, or when there is nothing to draw from.
func (c *Classes) Sampler(draws int, seed, epoch uint64) *Balanced {
	if draws < 0 || c.Len() == 0 && draws > 0 {
		panic(fmt.Sprintf("order: %d draws from %d classes", draws, c.Len()))
	}
	if draws == 0 {
		draws = len(c.ids)
	}
	b := &Balanced{classes: c, draws: draws, seed: seed}
	if c.Len() > 0 {
		b.round = epoch * uint64((draws+c.Len()-1)/c.Len())
	}
	return b
}

// Balanced is samples drawn from all classes equally often. It goes in rounds: each has one sample of every
// class, in an order of its own, so that at any position the classes' counts differ by one at most. A class's
// samples come in a random order, all of them before one comes again, over the borders of epochs as well: in
// the long run none of a large class is left out.
type Balanced struct {
	classes *Classes
	draws   int
	seed    uint64
	round   uint64 // of position 0, counted from the first epoch on
}

// Len is the number of draws.
func (b *Balanced) Len() int { return b.draws }

// At is the id at position i. It takes one to two microseconds.
func (b *Balanced) At(i int) int {
	class, round := b.draw(i)
	members := b.members(class, round)
	return int(b.classes.ids[b.classes.first[class]+members.At(int(round%uint64(members.Len())))])
}

// Occurrence counts the passes over the class that the epoch has begun, without the part of the first one that came in
// the epoch before. It takes as long as At.
func (b *Balanced) Occurrence(i int) int {
	class, round := b.draw(i)
	members := b.members(class, round)
	n := uint64(members.Len())
	member := members.At(int(round % n))
	passes := int(round/n - b.round/n)
	begun := b.members(class, b.round)
	if passes > 0 && begun.IndexOf(member) < int(b.round%n) {
		passes--
	}
	return passes
}

// draw is the class of position i, and its round.
func (b *Balanced) draw(i int) (class int, round uint64) {
	checkIndex(i, b.draws)
	n := b.classes.Len()
	round = b.round + uint64(i/n)
	classes := newPermutation(n, [2]uint64{b.seed, streamClass}, round, 0)
	return classes.At(i % n), round
}

// members is the order of a class's samples in the pass that a round belongs to.
func (b *Balanced) members(class int, round uint64) Permutation {
	n := b.classes.first[class+1] - b.classes.first[class]
	return newPermutation(n, [2]uint64{b.seed, streamClassMember}, round/uint64(n), uint64(class))
}
