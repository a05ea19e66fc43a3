package order

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Buckets groups the samples of a data set by length: frames, audio samples, tokens or pixels. It is the table of a
// Bucketed sampler, built once for all epochs. It takes 4 bytes per sample. All buckets have the same size, or one
// sample more.
type Buckets struct {
	ids   []uint32 // by length, then by id
	count int
}

// NewBuckets sorts the ids [0, n) by length into count buckets. More buckets mean less padding and less mixing. It
// panics if n is negative or above 2^32, or if count is not positive.
func NewBuckets(n, count int, length func(id int) int) *Buckets {
	if n < 0 || n > math.MaxUint32+1 || count <= 0 {
		panic(fmt.Sprintf("order: %d buckets of %d samples", count, n))
	}
	b := &Buckets{ids: make([]uint32, n), count: count}
	for i := range b.ids {
		b.ids[i] = uint32(i)
	}
	slices.SortFunc(b.ids, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(length(int(x)), length(int(y))), cmp.Compare(x, y))
	})
	return b
}

// partition returns the ranges of the buckets in ids.
func (b *Buckets) partition() partition { return partition{len(b.ids), b.count} }

// Sampler returns a sampler whose batches of the given size each come from one bucket. If several ranks share each
// batch and need similar lengths at the same time, batch is the total over all ranks. It panics if batch is not
// positive.
func (b *Buckets) Sampler(batch int, seed, epoch uint64) *Bucketed {
	if batch <= 0 {
		panic(fmt.Sprintf("order: batches of %d", batch))
	}
	s := &Bucketed{buckets: b, batch: batch, seed: seed, epoch: epoch,
		whole: make([]int, b.count+1), rest: make([]int, b.count+1), within: make([]Permutation, b.count)}
	for k := range b.count {
		size := b.partition().size(k)
		s.whole[k+1] = s.whole[k] + size/batch
		s.rest[k+1] = s.rest[k] + size%batch
		s.within[k] = newPermutation(size, [2]uint64{seed, streamBucket}, epoch, uint64(k))
	}
	s.batches = newPermutation(len(b.ids)/batch, [2]uint64{seed, streamBucketBatch}, epoch, 0)
	return s
}

// Bucketed has every sample once, in batches of similar length: batch b is the positions [b*batch, (b+1)*batch), and
// its samples are of one bucket. The samples of a batch are random within their bucket, and the batches of all buckets
// come in random order. The samples that fill no batch of their bucket are joined, shortest first, into batches. These
// come in random order among the others, except for an incomplete batch, which is the last.
type Bucketed struct {
	buckets     *Buckets
	batch       int
	seed, epoch uint64
	whole       []int // number of batches of all buckets before each bucket
	rest        []int // number of leftover samples of all buckets before each bucket
	within      []Permutation
	batches     Permutation
}

// Len returns the number of samples.
func (s *Bucketed) Len() int { return len(s.buckets.ids) }

// At returns the id at position i. It takes about half a microsecond, plus an access to a large table.
func (s *Bucketed) At(i int) int {
	checkIndex(i, s.Len())
	number, offset := i/s.batch, i%s.batch
	if number < s.batches.Len() {
		number = s.batches.At(number)
	}
	whole := s.whole[s.buckets.count]
	if number < whole {
		k := group(s.whole, number)
		return s.member(k, (number-s.whole[k])*s.batch+offset)
	}
	left := (number-whole)*s.batch + offset
	k := group(s.rest, left)
	return s.member(k, (s.whole[k+1]-s.whole[k])*s.batch+left-s.rest[k])
}

// Occurrence returns 0, because each sample comes once.
func (s *Bucketed) Occurrence(i int) int {
	checkIndex(i, s.Len())
	return 0
}

func (s *Bucketed) member(k, i int) int {
	return int(s.buckets.ids[s.buckets.partition().first(k)+s.within[k].At(i)])
}

// group returns the k with first[k] <= i < first[k+1]. Of groups that begin at the same index, this is the last,
// because the others are empty.
func group(first []int, i int) int {
	k, _ := slices.BinarySearch(first, i+1)
	return k - 1
}

// Padding returns the fraction of padding in a sampler's batches if each sample is padded to the longest of its batch.
func Padding(s Sampler, batch int, length func(id int) int) float64 {
	var used, padded float64
	for from := 0; from < s.Len(); from += batch {
		to, longest := min(from+batch, s.Len()), 0
		for i := from; i < to; i++ {
			n := length(s.At(i))
			used += float64(n)
			longest = max(longest, n)
		}
		padded += float64(longest) * float64(to-from)
	}
	if padded == 0 {
		return 0
	}
	return 1 - used/padded
}
