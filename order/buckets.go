package order

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Buckets are the samples of a data set by length (frames, samples of sound, tokens, pixels): the table of a
// Bucketed, made once and good for all epochs. It takes 4 bytes a sample. All buckets hold equally many.
type Buckets struct {
	ids   []uint32 // by length, then by id
	count int
}

// NewBuckets sorts the ids of [0, n) by length into so many buckets. More buckets pad less and mix less. It
// panics when n is negative or above 2^32, or count not positive.
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

// cut is where the buckets lie in ids.
func (b *Buckets) cut() cut { return cut{len(b.ids), b.count} }

// Sampler makes batches of so many samples of one bucket. Where each of several ranks takes its part of every
// batch and all shall have the same lengths at a time, batch is that of all ranks together. It panics when batch
// is not positive.
func (b *Buckets) Sampler(batch int, seed, epoch uint64) *Bucketed {
	if batch <= 0 {
		panic(fmt.Sprintf("order: batches of %d", batch))
	}
	s := &Bucketed{buckets: b, batch: batch, seed: seed, epoch: epoch,
		whole: make([]int, b.count+1), rest: make([]int, b.count+1), within: make([]Permutation, b.count)}
	for k := range b.count {
		size := b.cut().size(k)
		s.whole[k+1] = s.whole[k] + size/batch
		s.rest[k+1] = s.rest[k] + size%batch
		s.within[k] = newPermutation(size, [2]uint64{seed, streamBucket}, epoch, uint64(k))
	}
	s.batches = newPermutation(len(b.ids)/batch, [2]uint64{seed, streamBucketBatch}, epoch, 0)
	return s
}

// Bucketed is every sample once, in batches of similar length: each run of batch positions, from a multiple of
// batch on, is of one bucket. Which samples of a bucket make a batch, and in which order the batches of all
// buckets come, is random. What is left of the buckets, less than a batch of each, is put together, shortest first,
// into batches that come among the others, but for the last one if it is not whole.
type Bucketed struct {
	buckets     *Buckets
	batch       int
	seed, epoch uint64
	whole       []int // batches of the buckets before each
	rest        []int // samples left over by the buckets before each
	within      []Permutation
	batches     Permutation
}

// Len is the number of samples.
func (s *Bucketed) Len() int { return len(s.buckets.ids) }

// At is the id at position i. It takes about half a microsecond, and an access to a large table.
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

// Occurrence is 0: each sample comes once.
func (s *Bucketed) Occurrence(i int) int {
	checkIndex(i, s.Len())
	return 0
}

func (s *Bucketed) member(k, i int) int {
	return int(s.buckets.ids[s.buckets.cut().first(k)+s.within[k].At(i)])
}

// group is the k with first[k] <= i < first[k+1]: of those that begin at the same place, the last, which is not
// empty.
func group(first []int, i int) int {
	k, _ := slices.BinarySearch(first, i+1)
	return k - 1
}

// Padding is what the batches of a sampler waste where each is as long as its longest sample: the fraction of
// all that is not samples.
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
