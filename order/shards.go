package order

import (
	"cmp"
	"fmt"
)

// ShardOptions say how the samples of shards are mixed.
type ShardOptions struct {
	// Window is up to how many samples, next to each other after the shards were shuffled, are mixed with each other: a
	// stream is cut into windows of equal length. 0 means as many as 16 shards hold on average.
	Window int
	// Streams is how many lines of shards are read side by side. Where the number of ranks divides it, and a
	// Split has the same Run, each rank reads shards of its own, but for those at the borders. 0 means 1.
	Streams int
	// Run is how many positions a stream has before it is the next one's turn. 0 means 1.
	Run int
}

// Shards is every sample once, such that few shards are needed at a time, for what is read fastest from its
// beginning to its end. The shards are put in a random order, one behind the other; that line of samples is cut
// into Streams of equal length, which take turns; and each stream is cut into windows, within which samples are
// put in a random order. Ids count the samples of the shards as they were given.
//
// How well that mixes is what Mixing measures: with a batch of 256 from shards of 1000 samples each, it draws
// from about as many shards as a window and the streams hold.
type Shards struct {
	ids    []int // the first of each shard, and the end
	place  Permutation
	line   []int // where each shard begins, in the random order, and the end
	stream cut
	opts   ShardOptions
	seed   uint64
	epoch  uint64
}

// NewShards makes the order of shards of the given sizes. It panics when a size or an option is negative.
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
	s.opts, s.stream = o, cut{s.Len(), o.Streams}
	return s
}

// Len is the number of samples.
func (s *Shards) Len() int { return s.ids[len(s.ids)-1] }

// At is the id at position i. It takes about a microsecond.
func (s *Shards) At(i int) int {
	checkIndex(i, s.Len())
	stream, offset := s.turn(i)
	window, first := s.window(stream, offset)
	at := s.stream.first(stream) + first + window.At(offset-first)
	k := group(s.line, at)
	return s.ids[s.place.At(k)] + at - s.line[k]
}

// IndexOf is the position of id. It takes as long as At.
func (s *Shards) IndexOf(id int) int {
	checkIndex(id, s.Len())
	shard := group(s.ids, id)
	at := s.line[s.place.IndexOf(shard)] + id - s.ids[shard]
	stream := s.stream.find(at)
	offset := at - s.stream.first(stream)
	window, first := s.window(stream, offset)
	return s.position(stream, first+window.IndexOf(offset-first))
}

// whole is how many whole turns all streams have, and what the shortest has behind them.
func (s *Shards) whole() (turns, rest int) {
	shortest := s.stream.n / s.stream.m
	return shortest / s.opts.Run, shortest % s.opts.Run
}

// turn is the stream whose turn position i is, and the place in it. Behind the whole turns each stream has what it
// still holds in one piece.
func (s *Shards) turn(i int) (stream, offset int) {
	turns, rest := s.whole()
	if all := turns * s.opts.Run * s.opts.Streams; i >= all {
		tail := cut{rest*s.opts.Streams + s.stream.n%s.stream.m, s.opts.Streams}
		stream = tail.find(i - all)
		return stream, turns*s.opts.Run + i - all - tail.first(stream)
	}
	run := i / s.opts.Run
	return run % s.opts.Streams, run/s.opts.Streams*s.opts.Run + i%s.opts.Run
}

// position is where turn came from.
func (s *Shards) position(stream, offset int) int {
	turns, rest := s.whole()
	if whole := turns * s.opts.Run; offset >= whole {
		tail := cut{rest*s.opts.Streams + s.stream.n%s.stream.m, s.opts.Streams}
		return whole*s.opts.Streams + tail.first(stream) + offset - whole
	}
	return (offset/s.opts.Run*s.opts.Streams+stream)*s.opts.Run + offset%s.opts.Run
}

// window is the order within the window of a stream that offset lies in, and where it begins. All windows of a
// stream have the same length, or one more.
func (s *Shards) window(stream, offset int) (Permutation, int) {
	n := s.stream.size(stream)
	c := cut{n, (n + s.opts.Window - 1) / s.opts.Window}
	k := c.find(offset)
	return newPermutation(c.size(k), [2]uint64{s.seed, streamWindow}, s.epoch, uint64(stream)<<40|uint64(k)), c.first(k)
}

// Mixing is how many groups (shards, classes, speakers) a batch draws from, on average over all whole batches of a
// sampler: the number of equally large groups in which two draws from the batch, with replacement, fall together
// as often as in this one. It lies between 1 and the batch size. Of a Permutation it is 1/(1/b + (1-1/b)/g) for
// batches of b from g groups of equal size; how near another sampler comes to that is its quality.
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
