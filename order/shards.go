package order

import (
	"cmp"
	"fmt"
)

// ShardOptions are the settings of a Shards sampler.
type ShardOptions struct {
	// Window is the largest number of samples that are mixed with each other. They are adjacent after the shards are
	// shuffled. Each stream is divided into windows of equal length. 0 means as many samples as 16 shards have on average.
	Window int
	// Streams is how many sequences of shards are read concurrently. If it is a multiple of the number of ranks and a
	// Split has the same Run, each rank reads its own shards, except for shards at the borders of streams. 0 means 1.
	Streams int
	// Run is how many positions come from a stream before the next stream's turn. 0 means 1.
	Run int
}

// Shards has every sample once, and needs few shards at a time, for shards that are best read sequentially. The shards
// are concatenated in random order. The resulting sequence of samples is divided into Streams of equal length, which
// alternate. Each stream is divided into windows, and each window is shuffled. Ids count the samples of the shards in
// the order in which the shards were given. The table takes 16 bytes per shard.
//
// Mixing measures the quality of the result. With a batch of 256 from shards of 1000 samples each, a batch has samples
// of about as many shards as the windows of all streams together span.
type Shards struct {
	ids    []int // the first id of each shard, and the end
	place  Permutation
	line   []int // where each shard begins in the random order, and the end
	stream partition
	opts   ShardOptions
	seed   uint64
	epoch  uint64
}

// NewShards returns the order of shards with the given sizes. It panics if a size or an option is negative.
func NewShards(sizes []int, o ShardOptions, seed, epoch uint64) *Shards {
	if o.Window < 0 || o.Streams < 0 || o.Run < 0 {
		panic(fmt.Sprintf("order: shards with %+v", o))
	}
	s := &Shards{ids: make([]int, len(sizes)+1), line: make([]int, len(sizes)+1), seed: seed, epoch: epoch,
		place: newPermutation(len(sizes), [2]uint64{seed, streamShard}, epoch, 0)}
	for i, n := range sizes {
		if n < 0 {
			panic(fmt.Sprintf("order: shard %d of %d samples", i, n))
		}
		s.ids[i+1] = s.ids[i] + n
		s.line[i+1] = s.line[i] + sizes[s.place.At(i)]
	}
	o.Window = cmp.Or(o.Window, 16*((s.Len()+max(1, len(sizes))-1)/max(1, len(sizes))), 1)
	o.Streams, o.Run = max(1, o.Streams), max(1, o.Run)
	s.opts, s.stream = o, partition{s.Len(), o.Streams}
	return s
}

// Len returns the number of samples.
func (s *Shards) Len() int { return s.ids[len(s.ids)-1] }

// At returns the id at position i. It takes about a microsecond.
func (s *Shards) At(i int) int {
	checkIndex(i, s.Len())
	stream, offset := s.turn(i)
	window, first := s.window(stream, offset)
	at := s.stream.first(stream) + first + window.At(offset-first)
	k := group(s.line, at)
	return s.ids[s.place.At(k)] + at - s.line[k]
}

// IndexOf returns the position of id. It takes as long as At.
func (s *Shards) IndexOf(id int) int {
	checkIndex(id, s.Len())
	shard := group(s.ids, id)
	at := s.line[s.place.IndexOf(shard)] + id - s.ids[shard]
	stream := s.stream.find(at)
	offset := at - s.stream.first(stream)
	window, first := s.window(stream, offset)
	return s.position(stream, first+window.IndexOf(offset-first))
}

// whole returns how many whole turns all streams have, and how many samples the shortest stream has after them.
func (s *Shards) whole() (turns, rest int) {
	shortest := s.stream.n / s.stream.m
	return shortest / s.opts.Run, shortest % s.opts.Run
}

// turn returns the stream of position i and the offset in it. After the whole turns, the rest of each stream is
// contiguous.
func (s *Shards) turn(i int) (stream, offset int) {
	turns, rest := s.whole()
	if all := turns * s.opts.Run * s.opts.Streams; i >= all {
		tail := partition{rest*s.opts.Streams + s.stream.n%s.stream.m, s.opts.Streams}
		stream = tail.find(i - all)
		return stream, turns*s.opts.Run + i - all - tail.first(stream)
	}
	run := i / s.opts.Run
	return run % s.opts.Streams, run/s.opts.Streams*s.opts.Run + i%s.opts.Run
}

// position is the inverse of turn.
func (s *Shards) position(stream, offset int) int {
	turns, rest := s.whole()
	if whole := turns * s.opts.Run; offset >= whole {
		tail := partition{rest*s.opts.Streams + s.stream.n%s.stream.m, s.opts.Streams}
		return whole*s.opts.Streams + tail.first(stream) + offset - whole
	}
	return (offset/s.opts.Run*s.opts.Streams+stream)*s.opts.Run + offset%s.opts.Run
}

// window returns the order within the window that contains offset, and where the window begins. The lengths of a
// stream's windows differ by at most one.
func (s *Shards) window(stream, offset int) (Permutation, int) {
	n := s.stream.size(stream)
	c := partition{n, (n + s.opts.Window - 1) / s.opts.Window}
	k := c.find(offset)
	return newPermutation(c.size(k), [2]uint64{s.seed, streamWindow}, s.epoch, uint64(stream)<<40|uint64(k)), c.first(k)
}

// Mixing returns the effective number of groups (shards, classes, speakers) in a batch, on average over all whole
// batches of a sampler. This is the number of equally large groups for which two draws from the batch, with
// replacement, are of the same group equally often. It is between 1 and the batch size. For a Permutation with g groups
// of equal size and batches of b it is 1/(1/b + (1-1/b)/g). The quality of another sampler is how close it comes to
// that.
func Mixing(s Sampler, batch int, of func(id int) int) float64 {
	together := 0
	batches := s.Len() / batch
	counts := map[int]int{}
	for b := range batches {
		clear(counts)
		for i := range batch {
			counts[of(s.At(b*batch+i))]++
		}
		for _, n := range counts {
			together += n * n
		}
	}
	if together == 0 {
		return 0
	}
	return float64(batches) * float64(batch) * float64(batch) / float64(together)
}
