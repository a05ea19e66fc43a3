package loader_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/pipe"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

const media = "../testdata"

func spec(n int) image.Spec {
	return image.Spec{Resize: resize.Spec{Width: n, Height: n}}
}

// open lists a folder of the test data.
func open(t testing.TB, args ...string) *source.Listing {
	t.Helper()
	for i := range args {
		args[i] = filepath.Join(media, args[i])
	}
	src, err := source.Open(context.Background(), args, source.Options{})
	require.NoError(t, err)
	return src
}

// load runs a loader to its end and returns the results of take for its batches.
func load[T any](t testing.TB, src source.Source, o loader.ImageOptions, take func(*batch.Batch) T) (got []T,
	failed error) {
	t.Helper()
	ld, err := loader.Images(src, o)
	require.NoError(t, err)
	return drain(t, ld, take)
}

// drain runs a loader to its end, closes it, and returns the results of take for its batches.
func drain[T any](t testing.TB, ld *loader.Loader, take func(*batch.Batch) T) (got []T, failed error) {
	t.Helper()
	for b, err := range ld.Batches(context.Background()) {
		if err != nil {
			failed = err
			continue
		}
		got = append(got, take(b))
		b.Release()
	}
	require.NoError(t, ld.Close(), "something leaked")
	return got, failed
}

// seen is a delivered sample.
type seen struct {
	batch.Sample
	epoch  int
	pixels [32]byte
}

func samples(b *batch.Batch) (list []seen) {
	for i, s := range b.Samples[:b.Len()-b.Padded] {
		list = append(list, seen{s, b.Epoch, sha256.Sum256(b.Slot(i))})
	}
	return list
}

// Each sample of a batch has the pixels that the decoder alone returns, its label and its name.
func TestSamplesAreWhatTheDecoderGives(t *testing.T) {
	src := open(t, "photos")
	got, err := load(t, src, loader.ImageOptions{Spec: spec(64), Options: loader.Options{Batch: 7, Workers: 3}}, samples)
	require.NoError(t, err)
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer d.Close()
	all := slices.Concat(got...)
	require.Len(t, all, src.Len())
	for i, s := range all {
		item := src.Item(i)
		data, err := os.ReadFile(item.Name)
		require.NoError(t, err)
		want := make([]byte, 64*64*3)
		report, err := d.Images.DecodeInto(context.Background(), spool.Bytes{Data: data}, want, spec(64))
		require.NoError(t, err)
		width, height := report.Info.Oriented()
		require.Equal(t, batch.Sample{ID: item.ID, Name: item.Name, Label: item.Label, Place: i,
			Crop: batch.Crop{Width: float64(width), Height: float64(height)}}, s.Sample)
		require.Equal(t, sha256.Sum256(want), s.pixels, item.Name)
	}
	require.GreaterOrEqual(t, len(src.Classes()), 3)
}

// The batches have the same bytes for any number of workers, with bad samples in between, over several epochs.
func TestBatchesDoNotDependOnWorkers(t *testing.T) {
	digest := func(b *batch.Batch) string {
		return fmt.Sprintf("%d %d %v %x", b.Epoch, b.Index, b.Samples, sha256.Sum256(b.Bytes()))
	}
	for _, o := range []loader.ImageOptions{
		{Options: loader.Options{Epochs: 2}},
		{Options: loader.Options{Epochs: 3, Shuffle: true, Seed: 5, Last: batch.Pad}},
		{Options: loader.Options{Limit: 40, Last: batch.Drop, OnError: loader.Placeholder}},
	} {
		o.Spec, o.Batch = spec(48), 8
		var want []string
		for _, workers := range short.Of([]int{1, 2, 16, loader.Auto}, []int{1, 16, loader.Auto}) {
			o.Workers = workers
			got, err := load(t, open(t, "hard", short.Of("photos", "photos/animal")), o, digest)
			require.NoError(t, err)
			if want == nil {
				want = got
			}
			require.Equal(t, want, got, "%d workers", workers)
		}
	}
}

// badFiles are the files that cannot be loaded.
func badFiles(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(media, "hard", "bad", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// In a folder of good and bad files, each good file is delivered exactly once, and each bad file is recorded in the
// ledger. This holds in either order, and all batches but the last are full.
func TestBadFilesAreSkippedAndListed(t *testing.T) {
	for _, order := range []batch.Order{batch.Exact, batch.Any} {
		src := open(t, "hard", "photos")
		var ledger bytes.Buffer
		lengths := []int{}
		got, err := load(t, src, loader.ImageOptions{Spec: spec(32),
			Options: loader.Options{Batch: 8, Order: order, Workers: 4,
				Failures: loader.Failures{Ledger: pipe.NewJSONLedger(&ledger)}}},
			func(b *batch.Batch) []seen { lengths = append(lengths, b.Len()); return samples(b) })
		require.NoError(t, err)
		for i, n := range lengths {
			require.True(t, n == 8 || i == len(lengths)-1, "batch %d of %d has %d samples", i, len(lengths), n)
		}
		listed := map[string]string{}
		for line := range strings.Lines(ledger.String()) {
			var f pipe.Failure
			require.NoError(t, json.Unmarshal([]byte(line), &f))
			require.Contains(t, []string{"locate", "fetch", "decode"}, f.Stage)
			require.Equal(t, "skip", f.Action)
			require.NotEmpty(t, f.Text)
			require.NotContains(t, listed, f.File)
			listed[f.File] = f.Class
		}
		for _, name := range badFiles(t) {
			require.NotEmpty(t, listed[name], name)
		}
		require.Len(t, listed, len(badFiles(t)))
		names := map[string]int{}
		for _, s := range slices.Concat(got...) {
			names[s.Name]++
		}
		for i := range src.Len() {
			want := 1
			if listed[src.Item(i).Name] != "" {
				want = 0
			}
			require.Equal(t, want, names[src.Item(i).Name], src.Item(i).Name)
		}
	}
}

// A placeholder is in the place of the bad sample, is marked, has the fill color, and is recorded in the ledger.
func TestPlaceholders(t *testing.T) {
	s := spec(16)
	s.Fill = &decode.RGB8{R: 1, G: 2, B: 3}
	var ledger pipe.MemoryLedger
	src := open(t, "hard/bad", "photos")
	placeholders := 0
	_, err := load(t, src, loader.ImageOptions{Spec: s,
		Options: loader.Options{Batch: 8, OnError: loader.Placeholder,
			Failures: loader.Failures{Ledger: &ledger}}}, func(b *batch.Batch) bool {
		for i, x := range b.Samples {
			require.Equal(t, int64(b.Index*8+i), x.ID)
			if x.State == batch.Placeholder {
				placeholders++
				require.Equal(t, bytes.Repeat([]byte{1, 2, 3}, 16*16), b.Slot(i))
			}
		}
		return true
	})
	require.NoError(t, err)
	require.Equal(t, len(badFiles(t)), placeholders)
	require.Len(t, ledger.Failures(), placeholders)
	for _, f := range ledger.Failures() {
		require.Equal(t, "placeholder", f.Action)
	}
}

func TestFailEndsTheRun(t *testing.T) {
	got, err := load(t, open(t, "photos", "hard/bad"),
		loader.ImageOptions{Spec: spec(16), Options: loader.Options{Batch: 4, OnError: loader.Fail}}, samples)
	require.NotEmpty(t, spool.ClassOf(err))
	require.ErrorContains(t, err, filepath.Join("hard", "bad"))
	require.NotEmpty(t, got, "what came before was delivered")
}

func TestTooManyFailures(t *testing.T) {
	_, err := load(t, open(t, "hard/bad", "photos"),
		loader.ImageOptions{Spec: spec(16), Options: loader.Options{Batch: 4, Failures: loader.Failures{Max: 3}}}, samples)
	require.ErrorIs(t, err, pipe.ErrTooManyFailures)
}

func TestNothingGoodIsAnError(t *testing.T) {
	got, err := load(t, open(t, "hard/bad"), loader.ImageOptions{Spec: spec(16)}, samples)
	require.Empty(t, got)
	require.ErrorIs(t, err, spool.ErrEmpty)
}

func TestDamageIsMarked(t *testing.T) {
	s := spec(16)
	s.Accept = 0.3
	got, err := load(t, source.Files(filepath.Join(media, "hard/bad/truncated60.jpg")), loader.ImageOptions{Spec: s},
		samples)
	require.NoError(t, err)
	require.Equal(t, batch.Damaged, got[0][0].State)
	require.Positive(t, got[0][0].Warnings)
	require.NotEmpty(t, got[0][0].Warning)
}

// Each epoch has each sample once, in an order that depends on the seed and the epoch.
func TestShuffle(t *testing.T) {
	order := func(seed uint64) (epochs [][]int64) {
		got, err := load(t, open(t, "photos"),
			loader.ImageOptions{Spec: spec(8), Options: loader.Options{Batch: 8, Epochs: 2, Shuffle: true, Seed: seed}}, samples)
		require.NoError(t, err)
		epochs = make([][]int64, 2)
		for _, s := range slices.Concat(got...) {
			epochs[s.epoch] = append(epochs[s.epoch], s.ID)
		}
		return epochs
	}
	a, b := order(1), order(2)
	require.Equal(t, a, order(1))
	require.NotEqual(t, a, b)
	require.NotEqual(t, a[0], a[1])
	for _, epoch := range slices.Concat(a, b) {
		slices.Sort(epoch)
		require.Len(t, slices.Compact(epoch), open(t, "photos").Len())
	}
}

func TestOptionsReportEverything(t *testing.T) {
	_, err := loader.Images(open(t, "photos"),
		loader.ImageOptions{Spec: image.Spec{}, JPEG: 7,
			Options: loader.Options{Batch: -1, Workers: -2, OnError: 9, Failures: loader.Failures{MaxRate: 2}, CPUShare: 3}})
	require.ErrorIs(t, err, spool.ErrOptions)
	for _, word := range []string{"Batch -1", "Workers -2", "one size", "OnError 9", "Failures.MaxRate 2", "CPUShare 3",
		"JPEG 7"} {
		require.ErrorContains(t, err, word)
	}
	_, err = loader.Images(source.Files(), loader.ImageOptions{Spec: spec(8)})
	require.ErrorIs(t, err, spool.ErrEmpty)
}

// Runs end in all ways at random moments, with 1 to 64 workers: no leak, no deadlock, no batch twice.
func TestKill(t *testing.T) {
	rounds := 200
	switch {
	case testing.Short():
		rounds = 25
	case os.Getenv("SPOOL_EXPLORE") != "": // set by make explore
		rounds = 1000
	}
	src := open(t, "photos", "hard/bad")
	r := seed.Rand(t)
	for round := range rounds {
		o := loader.ImageOptions{Spec: spec(8 + r.IntN(24)),
			Options: loader.Options{Batch: 1 + r.IntN(9), Workers: 1 + r.IntN(64), Epochs: 3,
				Order: batch.Order(r.IntN(2)), OnError: []loader.Policy{loader.Skip, loader.Placeholder}[r.IntN(2)],
				Shuffle: r.IntN(2) == 0}}
		ld, err := loader.Images(src, o)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(context.Background())
		limit := r.IntN(20)
		if r.IntN(2) == 0 {
			time.AfterFunc(time.Duration(r.IntN(20_000))*time.Microsecond, cancel)
		}
		taken := map[[2]int]bool{}
		errs := 0
		for b, err := range ld.Batches(ctx) {
			if err != nil {
				require.ErrorIs(t, err, context.Canceled, "round %d", round)
				errs++
				continue
			}
			key := [2]int{b.Epoch, b.Index}
			require.False(t, taken[key], "round %d: batch %v twice", round, key)
			taken[key] = true
			b.Release()
			if len(taken) > limit {
				break
			}
		}
		cancel()
		require.LessOrEqual(t, errs, 1)
		require.NoError(t, ld.Close(), "round %d", round)
	}
}

func TestReport(t *testing.T) {
	ld, err := loader.Images(open(t, "photos"), loader.ImageOptions{Spec: spec(8)})
	require.NoError(t, err)
	for b, err := range ld.Batches(context.Background()) {
		require.NoError(t, err)
		b.Release()
	}
	require.NoError(t, ld.Close())
	var names []string
	for _, s := range ld.Report().Stages {
		names = append(names, s.Name)
		require.EqualValues(t, open(t, "photos").Len(), s.Items, s.Name)
		require.Equal(t, s.Name == "open", s.Setup.Budget, "its waits for memory are waits, not work")
	}
	require.Equal(t, []string{"list", "locate", "open", "fetch", "slot", "decode", "batch"}, names)
	require.NotEmpty(t, ld.Report().Verdict())
}
