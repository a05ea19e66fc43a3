package loader_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/index"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

func frameSpec(n int) video.Spec {
	return video.Spec{Resize: resize.Spec{Width: n, Height: n}}
}

// videos lists good files of several formats from the test data.
func videos(t testing.TB) *source.Listing {
	t.Helper()
	var names []string
	for _, name := range []string{"bframes.mp4", "opengop.mp4", "vfr.mp4", "mjpeg.mov", "raw.h264", "av1.mkv",
		"turned.mp4", "bframes.ts"} {
		names = append(names, filepath.Join(media, "video", name))
	}
	return source.Files(names...)
}

// loadVideos is load for video.
func loadVideos[T any](t testing.TB, src source.Source, o loader.VideoOptions, take func(*batch.Batch) T) (got []T,
	failed error) {
	t.Helper()
	ld, err := loader.Videos(src, o)
	require.NoError(t, err)
	return drain(t, ld, take)
}

// frames returns a file's frames from the decoder alone: all of them if none are given.
func frames(t testing.TB, name string, spec video.Spec, choose func(*video.Video) []int) ([]byte, []video.Frame) {
	t.Helper()
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	v, err := d.Videos.Open(context.Background(), spool.File(name), video.OpenOptions{})
	require.NoError(t, err)
	defer v.Close()
	clip, err := v.Frames(context.Background(), choose(v), spec)
	require.NoError(t, err)
	defer clip.Release()
	return bytes.Clone(clip.Bytes()), slices.Clone(clip.Frames)
}

func every(v *video.Video) []int {
	list, _ := index.Range(v.Len(), 0, v.Len(), 1)
	return list
}

// Each clip has the frames that the decoder alone returns, evenly spread, with their indexes.
func TestClipsAreWhatTheDecoderGives(t *testing.T) {
	src := videos(t)
	var list []seen
	clips := map[int64][]byte{}
	_, err := loadVideos(t, src, loader.VideoOptions{Spec: frameSpec(24), Frames: 5,
		Options: loader.Options{Batch: 3, Workers: 3}}, func(b *batch.Batch) bool {
		require.Equal(t, spool.Desc{Shape: spool.Shape{b.Len(), 5, 24, 24, 3}, DType: spool.Uint8, Layout: spool.NHWC},
			b.Desc())
		list = append(list, samples(b)...)
		for i, s := range b.Samples {
			clips[s.ID] = bytes.Clone(b.Slot(i))
		}
		return true
	})
	require.NoError(t, err)
	require.Len(t, list, src.Len())
	for i, s := range list {
		name := src.Item(i).Name
		require.Equal(t, name, s.Name)
		want, of := frames(t, name, frameSpec(24), func(v *video.Video) []int { return index.Even(v.Len(), 5) })
		require.Equal(t, want, clips[s.ID], name)
		for k, f := range of {
			require.Equal(t, batch.Frame{Index: f.Index, PTS: f.PTS, Duration: f.Duration}, s.Frames[k], name)
		}
	}
}

// Clips have the same bytes for any number of workers, also if they are random. Epochs and seeds differ.
func TestClipsDoNotDependOnWorkers(t *testing.T) {
	digest := func(b *batch.Batch) string {
		return fmt.Sprintf("%d %d %v %x", b.Epoch, b.Index, b.Samples, sha256.Sum256(b.Bytes()))
	}
	for _, o := range []loader.VideoOptions{
		{Frames: 3},
		{Frames: 4, Random: true, Stride: 2, Augment: train, Options: loader.Options{Shuffle: true, Seed: 3, Epochs: 2}},
	} {
		o.Spec, o.Batch, o.Workers = frameSpec(16), 3, 1
		want, err := loadVideos(t, videos(t), o, digest)
		require.NoError(t, err)
		for _, workers := range []int{2, 16} {
			o.Workers = workers
			got, err := loadVideos(t, videos(t), o, digest)
			require.NoError(t, err)
			require.Equal(t, want, got, "%d workers", workers)
		}
		o.Seed++
		other, err := loadVideos(t, videos(t), o, digest)
		require.NoError(t, err)
		require.Equal(t, !o.Random, slices.Equal(want, other))
	}
}

// Frames of a random clip are one stride apart, and its position differs between epochs.
func TestRandomClips(t *testing.T) {
	src := source.Files(media + "/video/bframes.mp4")
	got, err := loadVideos(t, src,
		loader.VideoOptions{Spec: frameSpec(8), Frames: 3, Random: true, Stride: 4,
			Options: loader.Options{Epochs: 8, Seed: 1}}, samples)
	require.NoError(t, err)
	begins := map[int]bool{}
	for _, s := range slices.Concat(got...) {
		first := s.Frames[0].Index
		require.Equal(t, []int{first, first + 4, first + 8}, []int{s.Frames[0].Index, s.Frames[1].Index, s.Frames[2].Index})
		begins[first] = true
	}
	require.Greater(t, len(begins), 2)
}

// With Every, every frame of each file comes once, in chunks, in order. Only the last chunk has More unset.
func TestEveryFrame(t *testing.T) {
	for _, workers := range []int{1, 4} {
		src := videos(t)
		pixels, numbers, ended := map[int64][]byte{}, map[int64][]int{}, map[int64]bool{}
		indexes := []int{}
		_, err := loadVideos(t, src, loader.VideoOptions{Spec: frameSpec(16), Every: 7,
			Options: loader.Options{Workers: workers}}, func(b *batch.Batch) bool {
			s := b.Samples[0]
			require.Equal(t, 1, b.Len())
			require.Equal(t, spool.Shape{1, len(s.Frames), 16, 16, 3}, b.Desc().Shape)
			require.False(t, ended[s.ID], "something comes after the last part")
			require.LessOrEqual(t, len(s.Frames), 7)
			pixels[s.ID] = append(pixels[s.ID], b.Bytes()...)
			for _, f := range s.Frames {
				numbers[s.ID] = append(numbers[s.ID], f.Index)
			}
			ended[s.ID] = !s.More
			indexes = append(indexes, b.Index)
			return true
		})
		require.NoError(t, err)
		for i := range src.Len() {
			item := src.Item(i)
			want, of := frames(t, item.Name, frameSpec(16), every)
			assert.Equal(t, want, pixels[item.ID], item.Name)
			assert.Len(t, numbers[item.ID], len(of), item.Name)
			assert.True(t, slices.IsSorted(numbers[item.ID]), item.Name)
			assert.True(t, ended[item.ID], item.Name)
		}
		for i, n := range indexes {
			assert.Equal(t, i, n)
		}
	}
}

// A bad file only loses itself, as a clip or in chunks, and is recorded in the ledger.
func TestBadVideos(t *testing.T) {
	names := []string{media + "/video/bframes.mp4", media + "/hard/bad/empty.jpg", "nowhere.mp4",
		media + "/photos/animal/00.jpg", media + "/video/vfr.mp4"}
	if _, err := os.Stat(media + "/audio/mp3.mp3"); err == nil {
		names = append(names, media+"/audio/mp3.mp3")
	}
	for _, o := range []loader.VideoOptions{{Spec: frameSpec(8), Frames: 2, Options: loader.Options{Batch: 2}},
		{Spec: frameSpec(8), Every: 4}} {
		var ledger pipe.MemoryLedger
		o.Failures.Ledger = &ledger
		good := map[string]bool{}
		_, err := loadVideos(t, source.Files(names...), o, func(b *batch.Batch) bool {
			for _, s := range b.Samples {
				good[filepath.Base(s.Name)] = true
			}
			return true
		})
		require.NoError(t, err)
		bad := map[string]string{}
		for _, f := range ledger.Failures() {
			bad[filepath.Base(f.File)] = f.Class
			require.Equal(t, "skip", f.Action)
			require.NotEmpty(t, f.Text)
		}
		require.Len(t, good, len(names)-len(bad))
		require.True(t, good["bframes.mp4"] && good["vfr.mp4"])
		require.Equal(t, "empty", bad["empty.jpg"])
		require.Equal(t, "not-found", bad["nowhere.mp4"])
		require.NotEmpty(t, bad["00.jpg"])
		for _, class := range bad {
			require.NotEqual(t, "error", class)
			require.NotEqual(t, "panic", class)
		}
	}
}

// In a truncated file, the chunks before the end are delivered. The last of them still has More set, and the failure is
// recorded in the ledger.
func TestVideoThatBreaksOff(t *testing.T) {
	var ledger pipe.MemoryLedger
	more := true
	got, err := loadVideos(t, source.Files(media+"/video/damaged.mp4"),
		loader.VideoOptions{Spec: frameSpec(8), Every: 2,
			Options: loader.Options{Failures: loader.Failures{Ledger: &ledger}}},
		func(b *batch.Batch) int {
			more = b.Samples[0].More
			return len(b.Samples[0].Frames)
		})
	require.NoError(t, err)
	require.NotEmpty(t, got)
	require.True(t, more)
	require.Len(t, ledger.Failures(), 1)
	require.Contains(t, []string{"truncated", "corrupt"}, ledger.Failures()[0].Class)
}

func TestPlaceholderClips(t *testing.T) {
	spec := frameSpec(4)
	spec.Fill = &decode.RGB8{R: 9, G: 8, B: 7}
	var ledger pipe.MemoryLedger
	src := source.Files(media+"/hard/bad/empty.jpg", media+"/video/bframes.mp4")
	_, err := loadVideos(t, src, loader.VideoOptions{Spec: spec, Frames: 5,
		Options: loader.Options{OnError: loader.Placeholder,
			Failures: loader.Failures{Ledger: &ledger}}}, func(b *batch.Batch) bool {
		require.Equal(t, batch.Placeholder, b.Samples[0].State)
		require.Nil(t, b.Samples[0].Frames)
		require.Equal(t, bytes.Repeat([]byte{9, 8, 7}, 5*4*4), b.Slot(0))
		require.Equal(t, batch.Whole, b.Samples[1].State)
		return true
	})
	require.NoError(t, err)
	require.Len(t, ledger.Failures(), 1)
}

// A clip's crops are those of the decoder, with their number in front of the frames; so are those of a placeholder.
func TestCropsOfClips(t *testing.T) {
	spec := frameSpec(12)
	spec.Resize.CropWidth, spec.Resize.CropHeight, spec.Crops = 6, 4, resize.FiveCrops
	src := source.Files(media+"/hard/bad/empty.jpg", media+"/video/bframes.mp4")
	_, err := loadVideos(t, src, loader.VideoOptions{Spec: spec, Frames: 5, Options: loader.Options{
		OnError: loader.Placeholder}}, func(b *batch.Batch) bool {
		require.Equal(t, spool.Shape{2, 5, 5, 4, 6, 3}, b.Desc().Shape)
		require.Equal(t, bytes.Repeat([]byte{0x80}, 5*5*4*6*3), b.Slot(0))
		frames := make([]int, len(b.Samples[1].Frames))
		for i, f := range b.Samples[1].Frames {
			frames[i] = f.Index
		}
		require.Len(t, frames, 5)
		v := decodetest.OpenVideo(t, decodetest.New(t, decoders.Options{}), spool.File(media+"/video/bframes.mp4"),
			video.OpenOptions{})
		want, _ := decodetest.Frames(t, v, frames, spec)
		require.Equal(t, want, b.Slot(1))
		return true
	})
	require.NoError(t, err)
	for words, o := range map[string]loader.VideoOptions{
		"one of them places the crop": {Augment: resize.Augment{Crop: &resize.RandomCrop{}}},
		"they are of a clip":          {Every: 4},
	} {
		o.Spec = spec
		require.ErrorContains(t, o.Validate(), words)
	}
}

// A large file is read in ranges by its decoder, with the same frames.
func TestLargeVideosAreReadInParts(t *testing.T) {
	data, err := os.ReadFile(media + "/video/bframes.mp4")
	require.NoError(t, err)
	const more = 9 << 20
	box := append([]byte{more >> 24, more >> 16 & 0xff, more >> 8 & 0xff, more & 0xff}, "free"...)
	name := filepath.Join(t.TempDir(), "large.mp4")
	require.NoError(t, os.WriteFile(name, append(append(data, box...), make([]byte, more-8)...), 0o600))
	pixels := func(name string) []byte {
		got, err := loadVideos(t, source.Files(name), loader.VideoOptions{Spec: frameSpec(16), Frames: 4},
			func(b *batch.Batch) []byte { return bytes.Clone(b.Bytes()) })
		require.NoError(t, err)
		return slices.Concat(got...)
	}
	require.Equal(t, pixels(media+"/video/bframes.mp4"), pixels(name))
}

func TestVideoOptionsReportEverything(t *testing.T) {
	_, err := loader.Videos(videos(t),
		loader.VideoOptions{Frames: -2, Stride: 3, Every: 4, Options: loader.Options{Batch: -1, OnError: loader.Placeholder}})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, words := range []string{"Batch -1", "Frames -2", "Stride needs Random", "Every excludes Frames",
		"a file has no size for one"} {
		require.ErrorContains(t, err, words)
	}
	_, err = loader.Videos(videos(t), loader.VideoOptions{})
	require.ErrorContains(t, err, "need one size")
	_, err = loader.Videos(source.Files(), loader.VideoOptions{Spec: frameSpec(8)})
	require.ErrorIs(t, err, spool.ErrEmpty)
}

// Runs end in all ways at random moments, with clips and with chunks: no leak, no deadlock.
func TestKillVideos(t *testing.T) {
	rounds := 60
	switch {
	case testing.Short():
		rounds = 20
	case os.Getenv("SPOOL_EXPLORE") != "": // set by make explore
		rounds = 300
	}
	r := seed.Rand(t)
	src := videos(t)
	for round := range rounds {
		o := loader.VideoOptions{Spec: frameSpec(8 + r.IntN(8)), Frames: 1 + r.IntN(6), Random: r.IntN(2) == 0,
			Options: loader.Options{Batch: 1 + r.IntN(4), Workers: 1 + r.IntN(8), Epochs: 3, Order: batch.Order(r.IntN(2))}}
		if r.IntN(2) == 0 {
			o.Frames, o.Random, o.Every = 0, false, 1+r.IntN(9)
		}
		ld, err := loader.Videos(src, o)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		if r.IntN(2) == 0 {
			time.AfterFunc(time.Duration(r.IntN(30_000))*time.Microsecond, cancel)
		}
		limit := r.IntN(12)
		for b, err := range ld.Batches(ctx) {
			if err != nil {
				require.ErrorIs(t, err, context.Canceled, "round %d", round)
				continue
			}
			b.Release()
			if limit--; limit < 0 {
				break
			}
		}
		cancel()
		require.NoError(t, ld.Close(), "round %d", round)
	}
}
