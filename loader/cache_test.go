package loader_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// counting is a source that counts how often each sample was opened.
type counting struct {
	source.Source
	opened []atomic.Int32
}

func count(src source.Source) *counting {
	return &counting{src, make([]atomic.Int32, src.Len())}
}

func (c *counting) Open(ctx context.Context, i int) (spool.Object, error) {
	c.opened[i].Add(1)
	return c.Source.Open(ctx, i)
}

func (c *counting) sum() (n int) {
	for i := range c.opened {
		n += int(c.opened[i].Load())
	}
	return n
}

func newCache(t testing.TB, bytes int64) *loader.Cache {
	t.Helper()
	c, err := loader.NewCache(bytes)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func digest(b *batch.Batch) string {
	return fmt.Sprintf("%d %d %d %+v %x", b.Epoch, b.Index, b.Padded, b.Samples, sha256.Sum256(b.Bytes()))
}

// In an epoch of few samples, samples are looked up before those of the previous epoch are decoded. Each sample is
// still decoded only once.
func TestCacheOfSmallEpochs(t *testing.T) {
	const samples, epochs = 3, 5
	c := newCache(t, 0)
	files := make([]string, samples)
	for i := range files {
		files[i] = fmt.Sprintf("../testdata/photos/animal/%02d.jpg", i)
	}
	l, err := loader.Images(source.Files(files...), loader.ImageOptions{Spec: spec(48),
		Options: loader.Options{Epochs: epochs, Batch: samples, Workers: 1, Fetching: loader.Fetching{Files: 4},
			Caches: loader.Caches{Memory: c}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	for b, err := range l.Batches(t.Context()) {
		require.NoError(t, err)
		b.Release()
	}
	decoded := l.JPEG()
	assert.EqualValues(t, samples, decoded.Own+decoded.Turbo)
}

// A cache of any size does not change batches or failures. Files of cached samples are opened once.
func TestCacheGivesTheSame(t *testing.T) {
	run := func(o loader.Options) (batches, failures []string, opened *counting) {
		var ledger pipe.MemoryLedger
		o.Failures.Ledger = &ledger
		src := count(open(t, "photos", "hard"))
		batches, err := load(t, src, loader.ImageOptions{Spec: spec(48), Options: o}, digest)
		require.NoError(t, err)
		for _, f := range ledger.Failures() {
			failures = append(failures, fmt.Sprint(f.ID, f.Stage, f.Class, f.Text, f.Action))
		}
		slices.Sort(failures)
		return batches, failures, src
	}
	const slot, room = 48 * 48 * 3, 20
	for _, o := range []loader.Options{ // epochs are small: samples are in flight in two epochs
		{Epochs: 3, Shuffle: true, Batch: 7, Workers: 3},
		{Epochs: 2, Shuffle: true, Batch: 4, OnError: loader.Placeholder},
		{Epochs: 3, Shuffle: true, Batch: 5, Sharing: loader.Sharing{Rank: order.Rank{Index: 1, World: 2}}},
		{Epochs: 2, Batch: 6, Sampler: func(epoch uint64) order.Sampler { return order.NewReplacement(20, 60, 3, epoch) }},
	} {
		want, failures, _ := run(o)
		for _, ceiling := range []int64{0, room * slot, 3 * slot} {
			o.Caches.Memory = newCache(t, ceiling)
			got, failed, src := run(o)
			require.Equal(t, want, got)
			require.Equal(t, failures, failed)
			stats := o.Caches.Memory.Stats()
			assert.Positive(t, stats.Items)
			assert.EqualValues(t, src.sum(), stats.Misses)
			if ceiling == 0 {
				assert.Positive(t, stats.Hits) // otherwise it depends on which was decoded first
				assert.Zero(t, stats.Refused)
			} else {
				assert.LessOrEqual(t, stats.Bytes, ceiling)
				assert.LessOrEqual(t, int64(stats.Items*slot), stats.Bytes)
				assert.Less(t, stats.Items, room)
				assert.Positive(t, stats.Refused)
			}
		}
	}
}

// A cache outlives its loader: the next loader of that source opens nothing.
func TestCacheOfSeveralLoaders(t *testing.T) {
	src := count(open(t, "photos"))
	o := loader.ImageOptions{Spec: spec(32),
		Options: loader.Options{Batch: 8, Caches: loader.Caches{Memory: newCache(t, 0)}}}
	want, err := load(t, src, o, digest)
	require.NoError(t, err)
	require.Equal(t, src.Len(), src.sum())
	o.Workers, o.Prefetch = 7, 1
	got, err := load(t, src, o, digest)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, src.Len(), src.sum(), "nothing was opened")

	o.Order = batch.Any
	anyhow, err := load(t, src, o, samples)
	require.NoError(t, err)
	require.Len(t, slices.Concat(anyhow...), src.Len())
	require.Equal(t, src.Len(), src.sum())

	o.Order, o.Shuffle = batch.Exact, true
	whole, err := load(t, src, o, digest)
	require.NoError(t, err)
	ld, err := loader.Images(src, o)
	require.NoError(t, err)
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		b.Release()
		if b.Index == 1 {
			break
		}
	}
	state, err := ld.State()
	require.NoError(t, err)
	require.NoError(t, ld.Close())
	o.Resume = []loader.State{state}
	rest, err := load(t, src, o, digest)
	require.NoError(t, err)
	require.Equal(t, whole[2:], rest)
	require.Equal(t, src.Len(), src.sum())
}

// Clips and windows of audio are cached like images, with their metadata.
func TestCacheOfClipsAndAudio(t *testing.T) {
	for _, c := range []struct {
		files []string
		load  func(source.Source, loader.Options) (*loader.Loader, error)
	}{
		{[]string{"video/bframes.mp4", "video/opengop.mp4"},
			func(src source.Source, o loader.Options) (*loader.Loader, error) {
				return loader.Videos(src, loader.VideoOptions{Spec: video.Spec{Resize: spec(16).Resize}, Frames: 3, Options: o})
			}},
		{[]string{"audio/mp3.mp3", "audio/s16.wav"}, func(src source.Source, o loader.Options) (*loader.Loader, error) {
			return loader.Audio(src, loader.AudioOptions{Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 4000}, Options: o})
		}},
	} {
		src := count(open(t, c.files...))
		run := func(cache *loader.Cache) []string {
			ld, err := c.load(src, loader.Options{Caches: loader.Caches{Memory: cache}})
			require.NoError(t, err)
			got, err := drain(t, ld, digest)
			require.NoError(t, err)
			return got
		}
		want, cache := run(nil), newCache(t, 0)
		require.Equal(t, want, run(cache))
		require.Equal(t, 4, src.sum())
		require.Equal(t, want, run(cache))
		require.Equal(t, 4, src.sum(), "nothing was opened")
	}
}

func TestCacheRefuses(t *testing.T) {
	src := open(t, "photos")
	c := newCache(t, 0)
	o := loader.ImageOptions{Spec: spec(16), Options: loader.Options{Caches: loader.Caches{Memory: c}}}
	_, err := load(t, src, o, digest)
	require.NoError(t, err)
	refused := func(src source.Source, o loader.ImageOptions, text string) {
		t.Helper()
		_, err := loader.Images(src, o)
		require.ErrorIs(t, err, spool.ErrOptions)
		require.ErrorContains(t, err, text)
	}
	refused(open(t, "photos"), o, "another source")
	refused(dots{n: 3, bad: map[int]bool{}}, o, "another source") // not comparable
	other := o
	other.Spec = spec(17)
	refused(src, other, "other options")
	other = o
	other.Augment = resize.Augment{FlipX: 0.5}
	refused(src, other, "Caches.Memory excludes Augment: each epoch has other pixels")
	_, err = loader.Videos(src, loader.VideoOptions{Every: 2, Options: loader.Options{Caches: loader.Caches{Memory: c}}})
	require.ErrorIs(t, err, spool.ErrOptions)
	require.ErrorContains(t, err, "one size")
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	refused(src, o, "closed")
	_, err = loader.NewCache(-1)
	require.ErrorIs(t, err, spool.ErrOptions)
}

// A cache that is closed too early loses no sample.
func TestCacheClosedWhileLoading(t *testing.T) {
	src := open(t, "photos")
	o := loader.ImageOptions{Spec: spec(16), Options: loader.Options{Batch: 3, Epochs: 3, Workers: 4}}
	want, err := load(t, src, o, digest)
	require.NoError(t, err)
	for stop := range 12 {
		c, err := loader.NewCache(0)
		require.NoError(t, err)
		o.Caches.Memory = c
		taken := 0
		got, err := load(t, src, o, func(b *batch.Batch) string {
			if taken++; taken == 4*stop {
				if err := c.Close(); err != nil {
					require.ErrorIs(t, err, spool.ErrLeaked)
				}
			}
			return digest(b)
		})
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.NoError(t, c.Close())
	}
}
