package loader_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
)

// of returns a sampler that has the same ids in each epoch.
func of(ids ...int) func(uint64) order.Sampler {
	return func(uint64) order.Sampler { return order.List(ids) }
}

// repeats has ids that come several times, and ids that come once.
var repeats = of(5, 2, 5, 5, 7, 2, 0, 5, 9, 5, 1)

// trained loads photos as for training.
func trained(t *testing.T, o loader.Options) []seen {
	t.Helper()
	got, err := load(t, open(t, "photos"), loader.ImageOptions{Spec: spec(16), Augment: train, Options: o}, samples)
	require.NoError(t, err)
	return slices.Concat(got...)
}

// drawn has the random results of samples, by epoch, id and occurrence.
type drawn map[string]string

func drawnOf(t *testing.T, got []seen) drawn {
	t.Helper()
	all := drawn{}
	for _, s := range got {
		key := fmt.Sprint(s.epoch, s.ID, s.Occurrence)
		require.NotContains(t, all, key, "two samples are drawn alike")
		all[key] = fmt.Sprintf("%v %v %v %x", s.Crop, s.Frames, s.Start, s.pixels)
	}
	return all
}

// Samples that come once are drawn as in every release. The digests are lines of run --digest from before occurrences
// were distinguished.
func TestDrawsOfSamplesThatComeOnce(t *testing.T) {
	var digests []string
	o := loader.Options{Batch: 16, Shuffle: true, Epochs: 2, Seed: 7}
	_, err := load(t, open(t, "photos"), loader.ImageOptions{Spec: spec(64), Augment: train, Options: o},
		func(b *batch.Batch) bool {
			sum := sha256.New()
			sum.Write(b.Bytes())
			for _, label := range b.Labels() {
				sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(label)))
			}
			digests = append(digests, fmt.Sprintf("%d %d %x", b.Epoch, b.Index, sum.Sum(nil)))
			return true
		})
	require.NoError(t, err)
	require.Equal(t, []string{
		"0 0 bd7f551ab0d04c6bca2b505f9d83c8fb5f760af1b8ddd0ee2b910aeaac3f1f90",
		"0 1 ccad3cf8c2d2f64197124fbdb27948dd27c3237bfb8d51d56cbd2dc6db4770a4",
		"0 2 893f388538f4307eac4ff640cabce55d4eea27edb5dfbb54664fe1c121c1de18",
		"1 0 d66d7a00d954516e791d8e814dd5a2b702cbcd9d22e599c89f52dea76d008ff7",
		"1 1 6903c27b52c7851a182fe2a5f2d80949bd36e0a8754626b10e84b1f4fc85795f",
		"1 2 13ec0400dbee5e60fde5be228d6ad4b1b052c8e3a581f837de21c5fccef7d7bf",
	}, digests)
}

// A sample that comes several times is drawn anew each time. Its first occurrence, and samples that come once, are
// drawn as they always were, whatever other samples come.
func TestRepeatsAreDrawnAnew(t *testing.T) {
	once := drawnOf(t, trained(t, loader.Options{Batch: 4, Seed: 3, Epochs: 2}))
	got := drawnOf(t, trained(t, loader.Options{Batch: 4, Seed: 3, Epochs: 2, Sampler: repeats}))
	require.Len(t, got, 22)
	different := map[string]bool{}
	for key, what := range got {
		different[what] = true
		if what == once[key] {
			delete(got, key)
		}
	}
	require.Len(t, different, 22)
	require.Len(t, got, 10, "all but the first times")
}

// The random crops of one sample that comes many times are distributed like those of many samples: half of them are
// mirrored, and almost all differ.
func TestRepeatsAreSpread(t *testing.T) {
	const n = 600
	got := trained(t, loader.Options{Batch: 32, Seed: 1, Sampler: of(make([]int, n)...)})
	require.Len(t, got, n)
	flipped, different := 0, map[batch.Crop]bool{}
	left, width := 0.0, 0.0
	for i, s := range got {
		require.Equal(t, i, s.Occurrence)
		if s.Crop.FlipX {
			flipped++
		}
		different[s.Crop] = true
		left, width = left+s.Crop.Left, max(width, s.Crop.Left+s.Crop.Width)
	}
	assert.InDelta(t, n/2, flipped, 60) // five standard deviations
	assert.Greater(t, len(different), n*95/100)
	assert.Greater(t, left/n, width/20) // crops are spread over the image
}

// Repeated samples are the same for any number of workers, any order of completion and any number of ranks.
func TestRepeatsAreReproducible(t *testing.T) {
	o := loader.Options{Batch: 2, Seed: 3, Epochs: 2, Sampler: repeats, Workers: 1}
	all := trained(t, o)
	want := drawnOf(t, all)
	for _, workers := range []int{8, 64} {
		o.Workers = workers
		require.Equal(t, all, trained(t, o), "%d workers", workers)
	}
	o.Workers = 4
	anyOrder := o
	anyOrder.Order = batch.Any
	require.Equal(t, want, drawnOf(t, trained(t, anyOrder)))
	for _, world := range []int{2, 3, 8} {
		var shares []seen
		for rank := range world {
			o.Sharing.Rank = order.Rank{Index: rank, World: world}
			shares = append(shares, trained(t, o)...)
		}
		padding := len(shares)
		shares = slices.DeleteFunc(shares, func(s seen) bool { return s.Padding })
		padding -= len(shares)
		require.Equal(t, want, drawnOf(t, shares), "%d ranks", world)
		require.Equal(t, 2*(world-11%world)%(2*world), padding)
	}
}

// A run that stops after any batch resumes with the same random results, for other numbers of workers and ranks.
func TestRepeatsAfterResume(t *testing.T) {
	o := loader.Options{Batch: 2, Seed: 3, Epochs: 2, Sampler: repeats, Workers: 3}
	want := drawnOf(t, trained(t, o))
	states, before := stops(t, o)
	for i, state := range states {
		for _, world := range []int{1, 2} {
			rest := slices.Clone(before[i])
			for rank := range world {
				with := o
				with.Resume, with.Workers, with.Sharing.Rank = []loader.State{state}, 8, order.Rank{Index: rank, World: world}
				rest = append(rest, trained(t, with)...)
			}
			rest = slices.DeleteFunc(rest, func(s seen) bool { return s.Padding })
			require.Equal(t, want, drawnOf(t, rest), "stopped behind %d batches, %d ranks", i+1, world)
		}
	}
}

// stops returns the states after all batches of a run except the last, and the samples before each state.
func stops(t *testing.T, o loader.Options) (states []loader.State, before [][]seen) {
	t.Helper()
	ld, err := loader.Images(open(t, "photos"), loader.ImageOptions{Spec: spec(16), Augment: train, Options: o})
	require.NoError(t, err)
	var all []seen
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		all = append(all, samples(b)...)
		b.Release()
		state, err := ld.State()
		require.NoError(t, err)
		states, before = append(states, state), append(before, slices.Clone(all))
	}
	require.NoError(t, ld.Close())
	return states[:len(states)-1], before
}

// Random clips and windows of audio are drawn anew each time. So are samples chosen by weights, which do not count
// occurrences.
func TestRepeatsOfOtherMedia(t *testing.T) {
	o := loader.Options{Batch: 2, Seed: 3, Workers: 1, Sampler: of(0, 0, 1, 0, 0, 1, 0)}
	for _, kind := range []func(loader.Options) ([][]seen, error){
		func(o loader.Options) ([][]seen, error) {
			return loadVideos(t, videos(t), loader.VideoOptions{Spec: frameSpec(8), Frames: 2, Random: true, Options: o},
				samples)
		},
		func(o loader.Options) ([][]seen, error) {
			return loadAudio(t, audioFiles(t),
				loader.AudioOptions{Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 400}, Random: true, Options: o}, samples)
		},
	} {
		o.Workers = 1
		got, err := kind(o)
		require.NoError(t, err)
		all := drawnOf(t, slices.Concat(got...))
		different := map[string]bool{}
		for _, what := range all {
			different[what] = true
		}
		require.GreaterOrEqual(t, len(different), 6) // two clips may begin at the same frame
		o.Workers = 8
		again, err := kind(o)
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
	weights, err := order.NewWeights([]float64{1, 0, 100})
	require.NoError(t, err)
	got := trained(t, loader.Options{Seed: 3,
		Sampler: func(epoch uint64) order.Sampler { return weights.Sampler(40, 1, epoch) }})
	require.Len(t, drawnOf(t, got), 40)
}

// The samples that ranks repeat to have equal shares are marked slot by slot, and so are those that a batch repeats.
func TestPaddingIsMarked(t *testing.T) {
	src := dots{n: 26, bad: map[int]bool{3: true, 17: true, 18: true}}
	for _, world := range []int{1, 2, 3, 7, 40} {
		for _, last := range []batch.Last{batch.Keep, batch.Pad} {
			var own []int64
			marked := 0
			for rank := range world {
				o := loader.ImageOptions{Spec: image.Spec{Resize: spec(1).Resize}, Options: loader.Options{
					Batch: 4, Last: last, Seed: 1, Shuffle: true, OnError: loader.Skip,
					Sharing: loader.Sharing{Rank: order.Rank{Index: rank, World: world}}}}
				got, err := load(t, src, o, func(b *batch.Batch) []batch.Sample {
					for _, s := range b.Samples[b.Len()-b.Padded:] {
						require.True(t, s.Padding)
					}
					return b.Samples
				})
				if spool.ClassOf(err) != spool.ErrEmpty {
					require.NoError(t, err)
				}
				for _, s := range slices.Concat(got...) {
					if s.Padding {
						marked++
						continue
					}
					own = append(own, s.ID)
				}
			}
			slices.Sort(own)
			require.Equal(t, src.good(), own, "%d ranks, %d", world, last)
			if world == 1 && last == batch.Keep {
				require.Zero(t, marked)
			}
		}
	}
}

// A cached sample has the marks of its current position, not those from when it was cached.
func TestCachedPaddingIsMarked(t *testing.T) {
	cache, err := loader.NewCache(0)
	require.NoError(t, err)
	src := open(t, "photos")
	o := loader.ImageOptions{Spec: spec(8),
		Options: loader.Options{Batch: 2, Seed: 1, Epochs: 3, Shuffle: true, Limit: 3, Caches: loader.Caches{Memory: cache},
			Sharing: loader.Sharing{Rank: order.Rank{Index: 1, World: 2}}}}
	cached, err := load(t, src, o, samples)
	require.NoError(t, err)
	o.Caches.Memory = nil
	want, err := load(t, src, o, samples)
	require.NoError(t, err)
	require.Equal(t, want, cached)
	require.NoError(t, cache.Close())
}

// failures records what a ledger gets.
type failures struct {
	mu   sync.Mutex
	list []pipe.Failure
}

func (f *failures) Add(x pipe.Failure) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, x)
	return nil
}

// alone is a sampler of one sample with a given occurrence.
type alone struct{ id, occurrence int }

func (a alone) Len() int           { return 1 }
func (a alone) At(int) int         { return a.id }
func (a alone) Occurrence(int) int { return a.occurrence }

// A ledger records what a failure's random numbers depend on, so that the failure can be reproduced.
func TestFailuresAreDrawnAgain(t *testing.T) {
	// Whether a crop of this size fits depends on the box that is drawn before it.
	o := loader.ImageOptions{Spec: image.Spec{Resize: resize.Spec{CropWidth: 200, CropHeight: 150}},
		Augment: resize.Augment{ResizedCrop: &resize.RandomResizedCrop{}, Crop: &resize.RandomCrop{}}}
	var ledger failures
	o.Options = loader.Options{Batch: 4, Seed: 5, Epochs: 2, Sampler: repeats, Failures: loader.Failures{Ledger: &ledger}}
	got, err := load(t, open(t, "photos"), o, samples)
	require.NoError(t, err)
	again := func(epoch int, id int64, occurrence int) ([][]seen, error) {
		o := o
		o.First, o.Epochs, o.Failures.Ledger, o.OnError = epoch, epoch+1, nil, loader.Fail
		o.Sampler = func(uint64) order.Sampler { return alone{int(id), occurrence} }
		return load(t, open(t, "photos"), o, samples)
	}
	ok := slices.Concat(got...)
	require.NotEmpty(t, ok)
	require.NotEmpty(t, ledger.list)
	require.Len(t, append(ok, make([]seen, len(ledger.list))...), 22)
	for _, s := range ok {
		same, err := again(s.epoch, s.ID, s.Occurrence)
		require.NoError(t, err)
		require.Equal(t, s.Crop, same[0][0].Crop)
	}
	occurrences := 0
	for _, f := range ledger.list {
		var id int64
		require.NoError(t, json.Unmarshal([]byte(f.ID), &id))
		_, err := again(f.Epoch, id, f.Occurrence)
		require.ErrorIs(t, err, spool.ErrUnsupported)
		occurrences += f.Occurrence
	}
	require.Positive(t, occurrences)
}

// A dataset's random numbers differ for each occurrence of a sample, and are the same for any number of workers.
func TestRandOfRepeats(t *testing.T) {
	set := numbers{n: 10, get: func(ctx context.Context, _ int) (int, error) {
		return int(loader.Rand(ctx).Uint32()),
			nil
	}}
	var want []int
	for _, workers := range []int{1, 8} {
		dl, err := loader.NewDataLoader(set,
			loader.DataLoaderOptions{BatchSize: 11, Seed: 3, Sampler: repeats, NumWorkers: workers})
		require.NoError(t, err)
		for b, err := range dl.Batches(t.Context()) {
			require.NoError(t, err)
			require.Len(t, b, 11)
			if workers == 1 {
				want = b
			}
			require.Equal(t, want, b)
		}
	}
	slices.Sort(want)
	require.Len(t, slices.Compact(want), 11)
}
