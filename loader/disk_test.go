package loader_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/audio"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/proc"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

func newDisk(t testing.TB, folder string) *cache.Folder {
	t.Helper()
	f, err := cache.Open(folder, cache.Options{Warn: func(err error) { t.Error(err) }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

// copied returns a folder with writable copies of test files.
func copied(t testing.TB, names ...string) (files []string) {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		data, err := os.ReadFile("../testdata/" + name)
		require.NoError(t, err)
		file := filepath.Join(folder, filepath.Base(name))
		require.NoError(t, os.WriteFile(file, data, 0o600))
		files = append(files, file)
	}
	return files
}

// Samples on disk equal decoded ones, in later runs as well. Samples of other settings or other files are not used.
func TestDiskGivesTheSame(t *testing.T) {
	files := copied(t, "photos/animal/00.jpg", "photos/animal/01.jpg", "photos/animal/02.jpg")
	folder := t.TempDir()
	run := func(f *cache.Folder, change func(*loader.ImageOptions)) []string {
		t.Helper()
		o := loader.ImageOptions{Spec: spec(48), Options: loader.Options{Batch: 2, Caches: loader.Caches{Disk: f}}}
		if change != nil {
			change(&o)
		}
		got, err := load(t, source.Files(files...), o, digest)
		require.NoError(t, err)
		return got
	}
	want := run(nil, nil)
	require.Equal(t, want, run(newDisk(t, folder), nil))
	again := newDisk(t, folder)
	require.Equal(t, want, run(again, nil))
	s := again.Stats()
	assert.EqualValues(t, 3, s.Hits)
	assert.Zero(t, s.Misses+s.Kept)

	for name, change := range map[string]func(*loader.ImageOptions){
		"profile": func(o *loader.ImageOptions) { o.Spec.Resize.Profile = resize.Pillow },
		"colour":  func(o *loader.ImageOptions) { o.Spec.Color = decode.BGR },
		"filter":  func(o *loader.ImageOptions) { o.Spec.Resize.Filter = resize.Bicubic },
		"engine":  func(o *loader.ImageOptions) { o.JPEG = image.JPEGTurbo },
		"limits":  func(o *loader.ImageOptions) { o.Limits.MaxPixels = 1 << 25 },
	} {
		f := newDisk(t, folder)
		got := run(f, change)
		assert.Zero(t, f.Stats().Hits, name)
		assert.Equal(t, run(nil, change), got, name)
	}

	require.NoError(t, os.Rename(files[0], files[0]+"x"))
	require.NoError(t, os.Rename(files[1], files[0]))
	require.NoError(t, os.Rename(files[0]+"x", files[1]))
	got := run(newDisk(t, folder), nil)
	require.Equal(t, run(nil, nil), got, "the files have other names now")
	require.NotEqual(t, want, got)
	data, err := os.ReadFile(files[0])
	require.NoError(t, err)
	data[len(data)/2] ^= 16
	info, err := os.Stat(files[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(files[0], data, 0o600))
	require.NoError(t, os.Chtimes(files[0], info.ModTime(), info.ModTime()))
	require.Equal(t, run(nil, nil), run(newDisk(t, folder), nil), "a file was written to, and says it was not")
}

// A sample that is incomplete, or was removed after its lookup, is decoded. A memory cache above the disk is filled.
func TestDiskDamaged(t *testing.T) {
	files := copied(t, "photos/animal/00.jpg", "photos/animal/01.jpg")
	folder := t.TempDir()
	o := loader.ImageOptions{Spec: spec(48),
		Options: loader.Options{Batch: 2, Caches: loader.Caches{Disk: newDisk(t, folder)}}}
	src := source.Files(files...)
	want, err := load(t, src, o, digest)
	require.NoError(t, err)
	names, err := filepath.Glob(filepath.Join(folder, "v1/[0-9a-f][0-9a-f]/*"))
	require.NoError(t, err)
	require.Len(t, names, 2)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		data[len(data)-5] ^= 1
		require.NoError(t, os.WriteFile(name, data, 0o600))
	}
	o.Caches.Memory = newCache(t, 0)
	got, err := load(t, src, o, digest)
	require.NoError(t, err)
	require.Equal(t, want, got)
	assert.EqualValues(t, 2, o.Caches.Disk.Stats().Broken)
	assert.Equal(t, 2, o.Caches.Memory.Stats().Items)
	require.NoError(t, o.Caches.Disk.Close())
	got, err = load(t, src, o, digest)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestDiskOfClipsAndSound(t *testing.T) {
	f := newDisk(t, t.TempDir())
	for range 2 {
		videos := loader.VideoOptions{Spec: video.Spec{Resize: spec(16).Resize}, Frames: 3}
		sounds := loader.AudioOptions{Spec: audio.Spec{Rate: 8000, Channels: 1, Length: 4000}}
		for _, load := range []func(d *cache.Folder) (*loader.Loader, error){
			func(d *cache.Folder) (*loader.Loader, error) {
				videos.Caches.Disk = d
				return loader.Videos(open(t, "video/bframes.mp4", "video/opengop.mp4"), videos)
			},
			func(d *cache.Folder) (*loader.Loader, error) {
				sounds.Caches.Disk = d
				return loader.Audio(open(t, "audio/mp3.mp3", "audio/s16.wav"), sounds)
			},
		} {
			var got [2][]string
			for i, d := range []*cache.Folder{nil, f} {
				ld, err := load(d)
				require.NoError(t, err)
				got[i], err = drain(t, ld, digest)
				require.NoError(t, err)
			}
			require.Equal(t, got[0], got[1])
		}
	}
	assert.EqualValues(t, 4, f.Stats().Hits)
	assert.EqualValues(t, 4, f.Stats().Kept)
}

func TestDiskRefuses(t *testing.T) {
	f := newDisk(t, t.TempDir())
	_, err := loader.Images(open(t, "photos"),
		loader.ImageOptions{Spec: spec(16), Augment: resize.Augment{FlipX: 0.5},
			Options: loader.Options{Caches: loader.Caches{Disk: f}}})
	require.ErrorIs(t, err, spool.ErrOptions)
	_, err = loader.Videos(open(t, "video/bframes.mp4"),
		loader.VideoOptions{Every: 2, Options: loader.Options{Caches: loader.Caches{Disk: f}}})
	require.ErrorIs(t, err, spool.ErrOptions)
}

// For remote samples that are on disk, no objects are requested. The same holds for a folder that caches the objects.
func TestDiskFromAfar(t *testing.T) {
	w := serveFiles(t, photoFiles(t), 40, object.Options{HedgeShare: -1}) // requests are counted
	w.latency = time.Millisecond                                          // otherwise an object may count as one in memory
	for _, objects := range []bool{true, false} {
		folder := t.TempDir()
		var want []string
		for kept := false; ; {
			f := newDisk(t, folder)
			o := loader.ImageOptions{Spec: spec(32), Options: loader.Options{Batch: 8}}
			src := w.listed(t, source.Options{})
			if objects {
				src = w.listedBy(t, cache.NewRemote(w, f))
			} else {
				o.Caches.Disk = f
			}
			before := w.reads.Load()
			got, err := load(t, src, o, digest)
			require.NoError(t, err)
			if !kept { // in the first pass, unless the machine is so busy that a write gives way to others
				want, kept = got, f.Stats().Entries == 40
				continue
			}
			require.Equal(t, want, got)
			assert.Equal(t, before, w.reads.Load())
			assert.EqualValues(t, 40, f.Stats().Hits)
			break
		}
	}
}

// BenchmarkSecondEpoch compares the throughput of remote objects with a latency of 100 ms with that of local files. A
// folder caches the objects, or the decoded samples. "-second" is the second epoch of a run. It must reach 0.95 of the
// local throughput at least, on an idle machine. The other values are of runs of one epoch, with its beginning and end.
// Rounds take turns, and the medians are reported.
func BenchmarkSecondEpoch(b *testing.B) {
	const n = 1600
	names := photoFiles(b)
	w := serveFiles(b, names, n, object.Options{})
	w.latency = 100 * time.Millisecond
	files := make([]string, 0, n)
	local := b.TempDir()
	for _, path := range w.paths {
		name := filepath.Join(local, path)
		require.NoError(b, os.WriteFile(name, w.files[path], 0o600))
		files = append(files, name)
	}
	objects, samples := newDisk(b, b.TempDir()), newDisk(b, b.TempDir())
	runs := []struct {
		name string
		src  source.Source
		disk *cache.Folder
	}{
		{"local", source.Files(files...), nil},
		{"objects", w.listedBy(b, cache.NewRemote(w, objects)), nil},
		{"samples", w.listed(b, source.Options{}), samples},
	}
	spent, worked, again := make([][]time.Duration, len(runs)), make([][]time.Duration, len(runs)), make([][]time.Duration,
		len(runs))
	epoch := func(i int) (elapsed, cpu time.Duration) {
		begin, before := time.Now(), proc.CPUTime()
		all, _ := waits(b, runs[i].src, loader.Options{Workers: 2,
			Caches: loader.Caches{Disk: runs[i].disk}, Shuffle: true}, -1)
		require.NotEmpty(b, all)
		return time.Since(begin), proc.CPUTime() - before
	}
	second := func(i int) (elapsed time.Duration) {
		all, epochs := waits(b, runs[i].src, loader.Options{Workers: 2,
			Caches: loader.Caches{Disk: runs[i].disk}, Shuffle: true, Epochs: 2},
			-1)
		for at, wait := range all {
			if epochs[at] > 0 {
				elapsed += wait
			}
		}
		return elapsed
	}
	for i := range runs {
		first, _ := epoch(i)
		b.ReportMetric(n/first.Seconds(), runs[i].name+"-first/s")
	}
	for b.Loop() {
		for i := range runs {
			elapsed, cpu := epoch(i)
			spent[i], worked[i], again[i] = append(spent[i], elapsed), append(worked[i], cpu), append(again[i], second(i))
		}
	}
	for i, r := range runs {
		b.ReportMetric(n/median(spent[i]).Seconds(), r.name+"/s")
		b.ReportMetric(median(spent[0]).Seconds()/median(spent[i]).Seconds(), r.name+"-to-local")
		b.ReportMetric(median(again[0]).Seconds()/median(again[i]).Seconds(), r.name+"-second-to-local")
		b.ReportMetric(float64(median(worked[i]).Microseconds())/n, r.name+"-cpu-us")
	}
	b.ReportMetric(0, "ns/op")
}
