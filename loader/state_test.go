package loader_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
)

var resumes = flag.Int("resumes", 300, "how many random runs are stopped and resumed")

// dots is a source of images of one pixel, which encodes the sample's id. Samples of bad are not images.
type dots struct {
	n   int
	bad map[int]bool
}

func (d dots) Len() int          { return d.n }
func (d dots) Classes() []string { return nil }
func (d dots) Item(i int) source.Item {
	return source.Item{ID: int64(i), Name: fmt.Sprint(i), Label: -1}
}
func (d dots) pixel(id int64) [3]byte { return [3]byte{byte(id), byte(id >> 8), byte(id >> 16)} }
func (d dots) good() (ids []int64)    { return d.ids(false) }
func (d dots) ids(bad bool) []int64 {
	var ids []int64
	for i := range d.n {
		if d.bad[i] == bad {
			ids = append(ids, int64(i))
		}
	}
	return ids
}

func (d dots) Open(_ context.Context, i int) (spool.Object, error) {
	p := d.pixel(int64(i))
	data := append([]byte("P6 1 1 255\n"), p[:]...)
	if d.bad[i] {
		data = []byte("no picture at all")
	}
	return memory(data), nil
}

// memory is an object in memory.
type memory []byte

func (m memory) Info() spool.ObjectInfo { return spool.ObjectInfo{Size: int64(len(m))} }
func (m memory) Close() error           { return nil }
func (m memory) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	n := copy(p, m[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// part is the output of a loader until it was stopped.
type part struct {
	batches [][]int64 // ids of the good samples
	index   [][2]int  // epoch and index of each batch
	state   loader.State
}

// real returns the batches that have samples of their own, without those that only repeat.
func (p part) real() (q part) {
	for i, ids := range p.batches {
		if ids != nil {
			q.batches, q.index = append(q.batches, ids), append(q.index, p.index[i])
		}
	}
	return q
}

// drive runs a loader for most batches, and checks every pixel.
func drive(t testing.TB, src dots, o loader.Options, most int) (p part) {
	t.Helper()
	ld, err := loader.Images(src, loader.ImageOptions{Spec: image.Spec{Resize: spec(1).Resize}, Options: o})
	require.NoError(t, err)
	p.state, err = ld.State()
	require.NoError(t, err)
	for b, err := range ld.Batches(t.Context()) {
		if spool.ClassOf(err) == spool.ErrEmpty {
			break
		}
		require.NoError(t, err)
		var ids []int64
		for i, s := range b.Samples[:b.Len()-b.Padded] {
			want := src.pixel(s.ID)
			if string(b.Slot(i)) != string(want[:]) {
				t.Fatalf("sample %d has pixel %v", s.ID, b.Slot(i))
			}
			ids = append(ids, s.ID)
		}
		p.batches, p.index = append(p.batches, ids), append(p.index, [2]int{b.Epoch, b.Index})
		p.state, err = ld.State()
		require.NoError(t, err)
		b.Release()
		if len(p.batches) == most {
			break
		}
	}
	require.NoError(t, ld.Close())
	if o.Caches.Memory != nil {
		require.NoError(t, o.Caches.Memory.Close())
	}
	text, err := json.Marshal(p.state)
	require.NoError(t, err)
	require.Less(t, len(text), 1024, "%s", text)
	read, err := loader.ParseState(text)
	require.NoError(t, err)
	require.Equal(t, p.state, read)
	return p
}

// A run that stops anywhere resumes with the batches of an uninterrupted run, for the same ranks and any number of
// workers. With other ranks the samples are the same, each once, and each rank has them in the order that they always
// have.
func TestResume(t *testing.T) {
	seed := seed.Of(t)
	for round := range max(1, *resumes/short.Of(1, 12)) {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		resumed(t, r)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

func resumed(t testing.TB, r *rand.Rand) {
	src := dots{n: 1 + r.IntN(80), bad: map[int]bool{}}
	if r.IntN(2) == 0 {
		for range r.IntN(1 + src.n/4) {
			src.bad[r.IntN(src.n)] = true
		}
	}
	before, after := 1+r.IntN(4), 1+r.IntN(4)
	if r.IntN(3) == 0 {
		after = before
	}
	o := loader.Options{Batch: 1 + r.IntN(7), Epochs: 1 + r.IntN(3), Shuffle: r.IntN(2) == 0, Seed: r.Uint64N(100),
		Last:    []batch.Last{batch.Keep, batch.Pad}[r.IntN(2)],
		Sharing: loader.Sharing{Rest: order.Uneven}}
	cached := r.IntN(4) == 0
	on := func(rank, world int) loader.Options {
		o := o
		o.Workers = 1 + r.IntN(5)
		o.Sharing.Rank = order.Rank{Index: rank, World: world}
		if cached {
			var err error
			o.Caches.Memory, err = loader.NewCache(1 + r.Int64N(1<<16))
			require.NoError(t, err)
		}
		return o
	}
	stop := r.IntN(1 + o.Epochs*src.n/(o.Batch*before) + 1)
	if stop == 0 {
		stop = 1
	}
	var done []part // by rank, until the stop
	var states []loader.State
	for rank := range before {
		p := drive(t, src, on(rank, before), stop)
		done, states = append(done, p), append(states, p.state)
	}
	if before == after {
		for rank := range after {
			whole := drive(t, src, on(rank, before), -1)
			again := on(rank, after)
			again.Resume = []loader.State{states[rank]}
			rest := drive(t, src, again, -1)
			joined := part{batches: slices.Concat(done[rank].batches, rest.batches),
				index: slices.Concat(done[rank].index, rest.index)}
			require.Equal(t, whole.real(), joined.real(), "rank %d of %d after %d: %+v", rank, after, stop, o)
		}
		return
	}
	for _, s := range states {
		if !sameEpoch(states, s) {
			return // ranks that stopped in different epochs cannot resume together
		}
	}
	count := map[[2]int64]int{} // by epoch and id
	tally := func(p part) {
		for i, ids := range p.batches {
			for _, id := range ids {
				count[[2]int64{int64(p.index[i][0]), id}]++
			}
		}
	}
	for _, p := range done {
		tally(p)
	}
	for rank := range after {
		again := on(rank, after)
		again.Resume = states
		p := drive(t, src, again, -1)
		tally(p)
		inOrder(t, src, o, p)
	}
	for epoch := range o.Epochs {
		for _, id := range src.good() {
			require.Equal(t, 1, count[[2]int64{int64(epoch), id}],
				"sample %d of epoch %d, %d ranks and then %d, stopped after %d: %+v, bad %v, %d samples",
				id, epoch, before, after, stop, o, src.bad, src.n)
		}
	}
}

// sameEpoch reports whether two states are of the same epoch and share.
func sameEpoch(all []loader.State, s loader.State) bool {
	return all[0].State.Epoch == s.State.Epoch && all[0].State.Position == s.State.Position
}

// inOrder checks that the ids of each epoch come in the order that all ranks share.
func inOrder(t testing.TB, src dots, o loader.Options, p part) {
	t.Helper()
	last := map[int]int{}
	for i, ids := range p.batches {
		epoch := p.index[i][0]
		var positions order.Bijection = order.Sequential(src.n)
		if o.Shuffle {
			positions = order.NewPermutation(src.n, o.Seed, uint64(epoch))
		}
		for _, id := range ids {
			at := positions.IndexOf(int(id)) + 1
			require.Greater(t, at, last[epoch], "sample %d of epoch %d comes out of order", id, epoch)
			last[epoch] = at
		}
	}
}

// Ranks have the same number of batches, whatever samples are bad.
func TestRanksHaveTheSameNumberOfBatches(t *testing.T) {
	for _, rest := range []order.Rest{order.Repeat, order.Drop} {
		for _, last := range []batch.Last{batch.Keep, batch.Drop, batch.Pad} {
			src := dots{n: 50, bad: map[int]bool{}}
			for i := range 12 {
				src.bad[i] = true // four batches, all of the first two ranks
			}
			var indices [][][2]int
			seen := map[int64]int{}
			for rank := range 3 {
				p := drive(t, src, loader.Options{Batch: 3, Epochs: 2, Last: last,
					Sharing: loader.Sharing{Rank: order.Rank{Index: rank, World: 3}, Rest: rest}}, -1)
				indices = append(indices, p.index)
				for _, ids := range p.batches {
					for _, id := range ids {
						seen[id]++
					}
				}
			}
			assert.Equal(t, indices[0], indices[1])
			assert.Equal(t, indices[0], indices[2])
			if rest == order.Repeat && last != batch.Drop {
				for _, id := range src.good() {
					assert.GreaterOrEqual(t, seen[id], 2, "in each of two epochs")
				}
			}
		}
	}
}

// Without bad samples, ranks have the batches of a single process, in turn.
func TestRanksTakeTurns(t *testing.T) {
	src := dots{n: 48}
	alone := drive(t, src, loader.Options{Batch: 4, Shuffle: true}, -1)
	for rank := range 3 {
		p := drive(t, src, loader.Options{Batch: 4, Shuffle: true,
			Sharing: loader.Sharing{Rank: order.Rank{Index: rank, World: 3}}}, -1)
		require.Len(t, p.batches, 4)
		for i, ids := range p.batches {
			assert.Equal(t, alone.batches[3*i+rank], ids)
		}
	}
}

// One state stands for all ranks, unless its rank skipped bad samples.
func TestResumeFromOneRank(t *testing.T) {
	src := dots{n: 40}
	o := loader.Options{Batch: 4, Sharing: loader.Sharing{Rank: order.Rank{Index: 1, World: 2}}}
	p := drive(t, src, o, 2)
	o.Sharing.Rank, o.Resume = order.Rank{}, []loader.State{p.state}
	rest := drive(t, src, o, -1)
	assert.Equal(t, src.good()[16:], slices.Concat(rest.batches...))

	o = loader.Options{Batch: 4, Sharing: loader.Sharing{Rank: order.Rank{Index: 1, World: 2}}}
	src.bad = map[int]bool{5: true}
	p = drive(t, src, o, 2)
	o.Sharing.Rank, o.Resume = order.Rank{}, []loader.State{p.state}
	_, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: o})
	require.ErrorIs(t, err, spool.ErrOptions)
	assert.ErrorContains(t, err, "needs the states of all")
}

func TestResumeRefuses(t *testing.T) {
	src := dots{n: 10}
	state := drive(t, src, loader.Options{Batch: 4}, 1).state
	o := loader.Options{Batch: 4, Shuffle: true, Seed: 1, Resume: []loader.State{state}}
	_, err := loader.Images(dots{n: 11}, loader.ImageOptions{Spec: spec(1), Options: o})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, what := range []string{"samples 10", "shuffle false", "seed 0"} {
		assert.ErrorContains(t, err, what)
	}
	_, err = loader.Images(src, loader.ImageOptions{Spec: spec(1),
		Options: loader.Options{Order: batch.Any, Resume: []loader.State{state}}})
	require.ErrorIs(t, err, spool.ErrOptions)
	ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: loader.Options{Order: batch.Any}})
	require.NoError(t, err)
	_, err = ld.State()
	require.ErrorIs(t, err, spool.ErrOptions)
	require.NoError(t, ld.Close())

	for _, text := range []string{"", "null", "{}", `{"version":2}`, "[1]", `{"version":1,"taken":"x"}`} {
		_, err := loader.ParseState([]byte(text))
		assert.Equal(t, spool.ErrCorrupt, spool.ClassOf(err), text)
	}
	for _, mark := range []order.Mark{{Taken: 11}, {Taken: -1}, {State: order.State{Position: 11}}, {Rank: 1},
		{Split: order.Split{World: -1}}} {
		broken := state
		broken.Mark = mark
		_, err := loader.Images(src, loader.ImageOptions{Spec: spec(1),
			Options: loader.Options{Resume: []loader.State{broken}}})
		assert.ErrorIs(t, err, spool.ErrOptions, "%+v", mark)
	}
}

// A finished run has nothing left, which is not an error.
func TestResumeAtTheEnd(t *testing.T) {
	src := dots{n: 10}
	p := drive(t, src, loader.Options{Batch: 4}, -1)
	ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1),
		Options: loader.Options{Batch: 4, Resume: []loader.State{p.state}}})
	require.NoError(t, err)
	for _, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		t.Error("something came")
	}
	require.NoError(t, ld.Close())
	again := drive(t, src, loader.Options{Batch: 4, Epochs: 2, Resume: []loader.State{p.state}}, -1)
	assert.Equal(t, [][2]int{{1, 0}, {1, 1}, {1, 2}}, again.index, "one epoch more")
}

// A custom sampler replaces the permutation, and runs with it resume as others do.
func TestSampler(t *testing.T) {
	src := dots{n: 30, bad: map[int]bool{3: true}}
	o := loader.Options{Batch: 4, Epochs: 2,
		Sampler: func(epoch uint64) order.Sampler { return order.NewReplacement(30, 50, 1, epoch) }}
	whole := drive(t, src, o, -1)
	var want []int64
	for epoch := range uint64(2) {
		for i := range 50 {
			if id := o.Sampler(epoch).At(i); id != 3 {
				want = append(want, int64(id))
			}
		}
	}
	assert.Equal(t, want, slices.Concat(whole.batches...))
	p := drive(t, src, o, 9)
	o.Resume = []loader.State{p.state}
	assert.Equal(t, whole.batches[9:], drive(t, src, o, -1).batches)
	o.Sampler = func(uint64) order.Sampler { return order.Sequential(30) }
	_, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: o})
	require.ErrorIs(t, err, spool.ErrOptions)
	o.Shuffle = true
	_, err = loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: o})
	assert.ErrorContains(t, err, "Sampler excludes Shuffle")
}

// A sampler may be slow to create: there is one per epoch, and one more for the number of samples.
func TestSamplersAreMadeOnce(t *testing.T) {
	var made [3]atomic.Int32
	o := loader.Options{Batch: 4, Epochs: 3, Sharing: loader.Sharing{Rank: order.Rank{World: 2}},
		Sampler: func(epoch uint64) order.Sampler {
			made[epoch].Add(1)
			return order.Sequential(30)
		}}
	src := dots{n: 30, bad: map[int]bool{0: true, 5: true}}
	ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(1), Options: o})
	require.NoError(t, err)
	assert.Equal(t, 45, ld.Len())
	ld.Rest()
	batches, err := drain(t, ld, (*batch.Batch).Len)
	require.NoError(t, err)
	assert.Len(t, batches, 3*4)
	assert.Equal(t, []int32{2, 1, 1}, []int32{made[0].Load(), made[1].Load(), made[2].Load()})
}
