package loader_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/source"
)

// photoFiles returns the photos that make bench-media generates, or those of the test data.
func photoFiles(t testing.TB) []string {
	t.Helper()
	for _, glob := range []string{"../bin/bench-media/photos/*.jpg", "../testdata/photos/*/*.jpg"} {
		files, err := filepath.Glob(glob)
		require.NoError(t, err)
		if len(files) > 0 {
			for i := range files {
				files[i], err = filepath.Abs(files[i])
				require.NoError(t, err)
			}
			return files
		}
	}
	t.Fatal("no photos")
	return nil
}

// repeated returns n names, which repeat the files in turn.
func repeated(files []string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = files[i%len(files)]
	}
	return names
}

// waits returns how long an empty loop waits for each of its batches, up to most of them.
func waits(t testing.TB, src source.Source, o loader.Options, most int) (all []time.Duration, epochs []int) {
	t.Helper()
	begin := time.Now()
	ld, err := loader.Images(src, loader.ImageOptions{Spec: spec(224), Options: o})
	require.NoError(t, err)
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		all, epochs = append(all, time.Since(begin)), append(epochs, b.Epoch)
		b.Release()
		if len(all) == most {
			break
		}
		begin = time.Now()
	}
	require.NoError(t, ld.Close())
	return all, epochs
}

func median(all []time.Duration) time.Duration {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// BenchmarkFirstBatch compares the time to the first batch of 32 with 2 and with 64 workers. The numbers of workers
// take turns, and the medians are reported.
func BenchmarkFirstBatch(b *testing.B) {
	src := source.Files(repeated(photoFiles(b), 10_000)...)
	workers := []int{1, 2, 8, 64}
	first := make([][]time.Duration, len(workers))
	for b.Loop() {
		for i, n := range workers {
			all, _ := waits(b, src, loader.Options{Workers: n}, 1)
			first[i] = append(first[i], all[0])
		}
	}
	for i, n := range workers {
		b.ReportMetric(milliseconds(median(first[i])), fmt.Sprintf("ms-%d-workers", n))
	}
	b.ReportMetric(median(first[3]).Seconds()/median(first[1]).Seconds(), "64-to-2")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkFirstBatchOfManifest measures the time from reading a manifest of 1.3 million rows to the first batch, and
// the peak memory of the process.
func BenchmarkFirstBatchOfManifest(b *testing.B) {
	name := filepath.Join(b.TempDir(), "list.csv")
	files := photoFiles(b)
	f, err := os.Create(name)
	require.NoError(b, err)
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "path,label")
	rows := 1_300_000
	if testing.Short() {
		rows /= 10
	}
	for i := range rows {
		fmt.Fprintf(w, "%s,%d\n", files[i%len(files)], i%1000)
	}
	require.NoError(b, w.Flush())
	require.NoError(b, f.Close())
	for _, shuffle := range []bool{false, true} {
		b.Run(fmt.Sprintf("shuffle=%v", shuffle), func(b *testing.B) {
			var first []time.Duration
			for b.Loop() {
				runtime.GC() // frees the previous manifest
				begin := time.Now()
				src, err := source.Manifest(b.Context(), name, source.Options{})
				require.NoError(b, err)
				listed := time.Since(begin)
				all, _ := waits(b, src, loader.Options{Shuffle: shuffle}, 1)
				first = append(first, listed+all[0])
			}
			b.ReportMetric(milliseconds(median(first)), "ms")
			b.ReportMetric(float64(peak(b))/1024, "MiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// peak returns the peak memory of the process, in KiB.
func peak(t testing.TB) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.Fields(rest)[0])
			require.NoError(t, err)
			return n
		}
	}
	t.Fatal("no VmHWM")
	return 0
}

// BenchmarkEpochBorder runs a loop without any work. It reports the longest wait at borders of epochs and the longest
// wait elsewhere, as multiples of the median wait. Each is the median of many runs.
func BenchmarkEpochBorder(b *testing.B) {
	src := source.Files(repeated(photoFiles(b), 320)...)
	var middle, border, elsewhere []time.Duration
	for b.Loop() {
		all, epochs := waits(b, src, loader.Options{Workers: 2, Epochs: 6, Shuffle: true}, -1)
		var at, off time.Duration
		for i := 1; i < len(all)-1; i++ {
			if epochs[i-1] != epochs[i] || epochs[i] != epochs[i+1] { // first and last of an epoch
				at = max(at, all[i])
			} else {
				off = max(off, all[i])
			}
		}
		middle, border, elsewhere = append(middle, median(all)), append(border, at), append(elsewhere, off)
	}
	typical := median(middle)
	b.ReportMetric(milliseconds(typical), "ms-median")
	b.ReportMetric(median(border).Seconds()/typical.Seconds(), "border-to-median")
	b.ReportMetric(median(elsewhere).Seconds()/typical.Seconds(), "elsewhere-to-median")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCache measures the cost of an image that is decoded, and of one from a cache.
func BenchmarkCache(b *testing.B) {
	const n = 320
	src := source.Files(repeated(photoFiles(b), n)...)
	cache := newCache(b, 0)
	var decoded, kept []time.Duration
	for b.Loop() {
		for _, c := range []struct {
			o     loader.Options
			spent *[]time.Duration
		}{{loader.Options{}, &decoded}, {loader.Options{Caches: loader.Caches{Memory: cache}}, &kept}} {
			begin := time.Now()
			waits(b, src, c.o, -1)
			*c.spent = append(*c.spent, time.Since(begin))
		}
	}
	b.ReportMetric(float64(median(decoded).Microseconds())/n, "us-decoded")
	b.ReportMetric(float64(median(kept).Microseconds())/n, "us-kept")
	b.ReportMetric(0, "ns/op")
}
