package order

import (
	"fmt"
	"math"
)

// Classes groups the samples of a data set by label. It is the table of a Balanced sampler, built once for all epochs.
// It takes 2 bits for each sample, and the logarithm of the number of classes: 12 bits with a thousand of them.
type Classes struct {
	n     int
	ids   *ascending // by class: the class times n, and the id
	first []int      // index in ids where each class begins, and the end of the last
}

// NewClasses groups the ids [0, n) by label. Samples with a negative label have no class and are never drawn. label is
// called twice for each id, by several goroutines. It panics if n is negative or above 2^32.
func NewClasses(n int, label func(id int) int64) *Classes {
	return ClassesOf(n, func(from int, labels []int64) {
		for i := range labels {
			labels[i] = label(from + i)
		}
	})
}

// ClassesOf is NewClasses for labels that are read together: read sets labels to those of the ids from an id on.
func ClassesOf(n int, read func(from int, labels []int64)) *Classes {
	if n < 0 || n > math.MaxUint32+1 {
		panic(fmt.Sprintf("order: classes of %d samples", n))
	}
	sections := newSections(n, read)
	sections.each((*section).count)
	c := &Classes{n: n, first: []int{0}}
	for i, label := range sections.labels() {
		end := c.first[i]
		for _, s := range sections {
			p := s.place(label)
			p.base, p.run.at, end = uint64(i)*uint64(n), end, end+p.samples
		}
		c.first = append(c.first, end)
	}
	c.ids = newAscending(c.first[c.Len()], uint64(c.Len())*uint64(n))
	sections.each(func(s *section) { s.list(c.ids) })
	c.ids.index()
	return c
}

// id returns the id of a class's sample.
func (c *Classes) id(class, member int) int {
	return int(c.ids.get(c.first[class]+member) - uint64(class)*uint64(c.n))
}

// Len returns the number of classes that have samples.
func (c *Classes) Len() int { return len(c.first) - 1 }

// Sampler returns a sampler that draws from all classes equally often. If draws is 0, it draws as many samples as all
// classes have. It panics if draws is negative, or if there are no classes to draw from.
func (c *Classes) Sampler(draws int, seed, epoch uint64) *Balanced {
	if draws < 0 || c.Len() == 0 && draws > 0 {
		panic(fmt.Sprintf("order: %d draws from %d classes", draws, c.Len()))
	}
	if draws == 0 {
		draws = c.first[c.Len()]
	}
	b := &Balanced{classes: c, draws: draws, seed: seed}
	if c.Len() > 0 {
		b.round = epoch * uint64((draws+c.Len()-1)/c.Len())
	}
	return b
}

// Balanced draws samples from all classes equally often. Each round has one sample of every class, in random order, so
// the counts of two classes differ by at most one at any position. A class's samples come in random order, and all of
// them come before one repeats, also across epochs. So in the long run no sample of a large class is omitted.
type Balanced struct {
	classes *Classes
	draws   int
	seed    uint64
	round   uint64 // of position 0, counted from the first epoch
}

// Len returns the number of draws.
func (b *Balanced) Len() int { return b.draws }

// At returns the id at position i. It takes one to two microseconds.
func (b *Balanced) At(i int) int {
	class, round := b.draw(i)
	members := b.members(class, round)
	return b.classes.id(class, members.At(int(round%uint64(members.Len()))))
}

// Occurrence returns how often the id of position i came before in the epoch: the number of passes over its class that
// the epoch has completed. The first pass does not count if the sample came in the part of it before the epoch. It
// takes as long as At.
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

// draw returns the class of position i and its round.
func (b *Balanced) draw(i int) (class int, round uint64) {
	checkIndex(i, b.draws)
	n := b.classes.Len()
	round = b.round + uint64(i/n)
	classes := newPermutation(n, [2]uint64{b.seed, streamClass}, round, 0)
	return classes.At(i % n), round
}

// members returns the order of a class's samples in the pass of a round.
func (b *Balanced) members(class int, round uint64) Permutation {
	n := b.classes.first[class+1] - b.classes.first[class]
	return newPermutation(n, [2]uint64{b.seed, streamClassMember}, round/uint64(n), uint64(class))
}
