package order

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Classes groups the samples of a data set by label. It is the table of a Balanced sampler, built once for all epochs.
// It takes 2 bits for each sample, and the logarithm of the number of classes: 12 bits with a thousand of them.
type Classes struct {
	n     int
	ids   *ascending // by class: the class times n, and the id
	first []int      // index in ids where each class begins, and the end of the last
}

// NewClasses groups the ids [0, n) by label. Samples with a negative label have no class and are never drawn. It panics
// if n is negative or above 2^32.
func NewClasses(n int, label func(id int) int64) *Classes {
	if n < 0 {
		panic(fmt.Sprintf("order: classes of %d samples", n))
	}
	return ClassesOf(func(yield func(int64) bool) {
		for id := range n {
			if !yield(label(id)) {
				return
			}
		}
	})
}

// ClassesOf is NewClasses for the labels of the ids 0, 1, 2 and so on. It iterates twice over them.
func ClassesOf(all iter.Seq[int64]) *Classes {
	sizes, n := map[int64]int{}, 0
	for l := range all {
		if n++; l >= 0 {
			sizes[l]++
		}
	}
	if n > math.MaxUint32+1 {
		panic(fmt.Sprintf("order: classes of %d samples", n))
	}
	labels := make([]int64, 0, len(sizes))
	for l := range sizes {
		labels = append(labels, l)
	}
	slices.SortFunc(labels, cmp.Compare)
	c := &Classes{n: n, first: make([]int, 1, len(labels)+1)}
	type place struct {
		class uint64
		next  int
	}
	places := make(map[int64]*place, len(labels))
	for i, l := range labels {
		end := c.first[i]
		places[l] = &place{uint64(i), end}
		c.first = append(c.first, end+sizes[l])
	}
	c.ids = newAscending(c.first[len(labels)], uint64(len(labels))*uint64(n))
	id := uint64(0)
	for l := range all {
		if l >= 0 {
			p := places[l]
			c.ids.set(p.next, p.class*uint64(n)+id)
			p.next++
		}
		id++
	}
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
