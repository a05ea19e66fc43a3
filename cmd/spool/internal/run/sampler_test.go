package run

import (
	"archive/tar"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/settings"
	"github.com/spoolmedia/spool/source"
)

// epoch returns the items of an epoch of a loader with these settings.
func epoch(t *testing.T, options string, sources ...string) (items []source.Item) {
	t.Helper()
	var s settings.Set
	l := s.LoadImages()
	s.JSON([]byte(options))
	l.Judge(&s, sources)
	require.NoError(t, s.Err())
	src, err := l.List(t.Context(), sources, nil)
	require.NoError(t, err)
	ld, err := l.Open(src, l.Options())
	require.NoError(t, err)
	for b, err := range ld.Batches(t.Context()) {
		require.NoError(t, err)
		for _, sample := range b.Samples {
			items = append(items, source.Item{ID: sample.ID, Label: sample.Label, Name: sample.Name})
		}
		b.Release()
	}
	require.NoError(t, ld.Close())
	return items
}

// Classes come equally often, however many samples they have.
func TestBalanced(t *testing.T) {
	counts := map[int64]int{}
	for _, item := range epoch(t, `{"size": 8, "sampler": "balanced", "limit": 50}`, clitest.Media+"/photos") {
		counts[item.Label]++
	}
	assert.Equal(t, map[int64]int{0: 10, 1: 10, 2: 10, 3: 10, 4: 10}, counts)
}

// numbers writes a file of numbers, one a line.
func numbers[N int | float64](t *testing.T, n int, of func(i int) N) string {
	t.Helper()
	text := ""
	for i := range n {
		text += fmt.Sprintln(of(i))
	}
	file := filepath.Join(t.TempDir(), "numbers.txt")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// Samples come as often as their weights say.
func TestWeights(t *testing.T) {
	n := len(epoch(t, `{"size": 8}`, clitest.Media+"/photos"))
	weights := numbers(t, n, func(i int) float64 { return []float64{0, 0.5, 1.5}[min(i, 3)%3] }) // 0, 0.5, 1.5, 0, 0 ...
	counts := map[int]int{}
	options := fmt.Sprintf(`{"size": 8, "weights": %q, "draws": 400}`, weights)
	for _, item := range epoch(t, options, clitest.Media+"/photos") {
		counts[int(item.ID)]++
	}
	require.Len(t, counts, 2)
	assert.InDelta(t, 300, counts[2], 40) // five standard deviations
	assert.Equal(t, 400, counts[1]+counts[2])
}

// Each batch has samples of one bucket of lengths.
func TestLengths(t *testing.T) {
	n := len(epoch(t, `{"size": 8}`, clitest.Media+"/photos"))
	lengths := numbers(t, n, func(i int) int { return i * 7 % n })
	const batch, buckets = 4, 5
	options := fmt.Sprintf(`{"size": 8, "batch": %d, "lengths": %q, "length_buckets": %d}`, batch, lengths, buckets)
	items := epoch(t, options, clitest.Media+"/photos")
	seen := map[int]bool{}
	var narrow int
	for i := 0; i+batch <= n; i += batch {
		least, most := n, 0
		for _, item := range items[i:][:batch] {
			seen[int(item.ID)] = true
			length := int(item.ID) * 7 % n
			least, most = min(least, length), max(most, length)
		}
		if most-least <= n/buckets {
			narrow++
		}
	}
	assert.Len(t, items, n)
	assert.Greater(t, narrow, n/batch/2, "batches of one bucket")
}

func TestNumbersRefuse(t *testing.T) {
	three := numbers(t, 3, func(int) int { return 1 })
	words := filepath.Join(t.TempDir(), "words.txt")
	n := len(epoch(t, `{"size": 8}`, clitest.Media+"/photos"))
	require.NoError(t, os.WriteFile(words, []byte(strings.Repeat("x\n", n)), 0o600))
	for options, text := range map[string]string{
		fmt.Sprintf(`"weights": %q`, three):                  "3 numbers for",
		fmt.Sprintf(`"lengths": %q`, three):                  "3 numbers for",
		fmt.Sprintf(`"lengths": %q`, words):                  `"x" is no number`,
		fmt.Sprintf(`"weights": %q`, three+"no"):             "no such file",
		fmt.Sprintf(`"weights": %q, "shuffle": true`, three): "weights and shuffle exclude each other",
		fmt.Sprintf(`"weights": %q, "lengths": "x"`, three):  "weights and lengths exclude each other",
		`"draws": 3`:          "draws needs weights",
		`"length_buckets": 3`: "length_buckets needs lengths",
		fmt.Sprintf(`"weights": %q, "streaming": true`, three): "streaming excludes weights",
	} {
		var s settings.Set
		l := s.LoadImages()
		s.JSON([]byte(`{"size": 8, ` + options + `}`))
		l.Judge(&s, []string{clitest.Media + "/photos"})
		err := s.Err()
		if err == nil {
			src, listed := l.List(t.Context(), []string{clitest.Media + "/photos"}, nil)
			require.NoError(t, listed)
			_, err = l.Open(src, l.Options())
		}
		assert.ErrorContains(t, err, text, options)
	}
}

// Each sample of a batch comes twice, and once in all batches if it is not repeated.
func TestRepeats(t *testing.T) {
	once := epoch(t, `{"size": 8, "shuffle": true, "seed": 3}`, clitest.Media+"/photos")
	var want []source.Item
	for _, item := range once {
		want = append(want, item, item)
	}
	assert.Equal(t, want, epoch(t, `{"size": 8, "shuffle": true, "seed": 3, "repeats": 2}`, clitest.Media+"/photos"))
}

// Samples that ranks cannot share evenly are repeated, left out, or given to some of them.
func TestRest(t *testing.T) {
	for rest, want := range map[string][]int{"repeat": {15, 15, 15}, "drop": {14, 14, 14}, "uneven": {15, 15, 14}} {
		var got []int
		for rank := range want {
			options := fmt.Sprintf(`{"size": 8, "batch": 1, "rank": %d, "world": 3, "rest": %q}`, rank, rest)
			got = append(got, len(epoch(t, options, clitest.Media+"/photos")))
		}
		assert.Equal(t, want, got, rest)
	}
}

// Samples of shards come once, and near others of their shard.
func TestShardsSampler(t *testing.T) {
	photo, err := os.ReadFile(clitest.Media + "/photos/animal/00.jpg")
	require.NoError(t, err)
	var names []string
	for shard := range 6 {
		names = append(names, filepath.Join(t.TempDir(), fmt.Sprintf("%d.tar", shard)))
		file, err := os.Create(names[shard])
		require.NoError(t, err)
		w := tar.NewWriter(file)
		for sample := range 8 {
			require.NoError(t, w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%d-%d.jpg", shard, sample), Size: int64(len(photo)),
				Mode: 0o600}))
			_, err := w.Write(photo)
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		require.NoError(t, file.Close())
	}
	items := epoch(t, `{"size": 8, "sampler": "shards", "shuffle_window": 8, "seed": 2}`, names...)
	seen, last, changes := map[int64]bool{}, int64(-1), 0
	for _, item := range items {
		assert.False(t, seen[item.ID])
		seen[item.ID] = true
		if shard := item.ID / 8; shard != last {
			last = shard
			changes++
		}
	}
	assert.Len(t, seen, 48)
	assert.Equal(t, 6, changes, "windows are the shards")
}

func TestSamplerRefuses(t *testing.T) {
	run := func(more ...string) []string {
		return append([]string{"run", "images", clitest.Media + "/photos"}, more...)
	}
	tool.Refused(t, 2, []string{"spool: usage: --sampler random: must be balanced or shards"},
		run("--sampler", "random")...)
	tool.Refused(t, 2, []string{
		"spool: usage: --sampler excludes --mix: each chooses the samples of an epoch",
		"spool: usage: --sampler excludes --shuffle: its order is random, by --seed",
		"spool: usage: --shuffle-window needs --sampler shards",
	}, run("--sampler", "balanced", "--shuffle", "--mix", "photos=1", "--shuffle-window", "5")...)
	tool.Refused(t, 2, []string{"spool: usage: --repeats 0: must be at least 1"}, run("--repeats", "0")...)
	tool.Refused(t, 2, []string{
		"spool: usage: --streaming excludes --sampler: it needs all names",
		"spool: usage: --streaming excludes --repeats: a stream has each name once",
	}, run("--streaming", "--sampler", "balanced", "--repeats", "2")...)
	tool.Refused(t, 2, []string{
		"spool: usage: --sampler=balanced: no sample has a label; class folders and tables have labels"},
		"run", "images", clitest.Media+"/photos/animal/00.jpg", "--sampler", "balanced")
}
