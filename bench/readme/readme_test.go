package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// TestFiles: the figures in the files are those of the results.
func TestFiles(t *testing.T) {
	m, err := read("../results")
	require.NoError(t, err)
	for name, write := range m.pages() {
		text, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		want, err := generate(text, write)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(text), "%s is not of the newest results: make bench-readme", name)
	}
}

const goBench = `pkg: github.com/spoolmedia/spool/bench
BenchmarkPhotos/decode/goroutines=1-2 1 5 ns/op 1.25 x-floor
BenchmarkPhotos/decode/goroutines=2-2 1 5 ns/op 1.5 x-floor
BenchmarkLoader/workers=1-2 1 5 ns/op 2 x-floor
pkg: github.com/spoolmedia/spool/bench/codec
BenchmarkCodec/jpeg/decode-2 1 5 ns/op 1.25 x-floor
BenchmarkCodec/jpeg/decode+fast-2 1 5 ns/op 1.125 x-floor
BenchmarkCodec/bmp/decode-2 1 5 ns/op
`

func generated(t *testing.T, name, text, results string) string {
	t.Helper()
	m, err := read(results)
	require.NoError(t, err)
	got, err := generate([]byte(text), m.pages()[name])
	require.NoError(t, err)
	return string(got)
}

func TestGenerate(t *testing.T) {
	dir := t.TempDir()
	result := &bench.Result{
		Date: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Commit: "0123456789abcdef",
		Machine: bench.Machine{CPU: "Some CPU", Cores: 2, Load: 0.25}, Build: bench.SystemBuild,
		Versions: map[string]string{"torchvision": "0.29.2", "libjpeg-turbo": "2.1.5"},
		Works: []bench.Comparison{{
			Work: bench.Work{Name: "images", Set: "photos", Files: 300, Megapixels: 0.1875, Repeat: 14, Batch: 32,
				Size: 224, Workers: 2, Rounds: 5},
			Checks: []bench.Check{{What: "pixels", Files: 300, Worst: 0.5, Bound: 1}, {What: "more", Files: 1}},
			Contestants: []bench.Summary{
				{Peer: "spool", Label: "spool, exact", Rate: 1800, TTFB: 0.03, CPU: 1.1, RSS: 80,
					Moved: bench.Moved{Read: 30.04, Out: 147, Faults: 1.54}},
				{Peer: "spool_fast", Label: "spool, fast", Rate: 1900, TTFB: 0.03, CPU: 1.0, RSS: 80},
				{Peer: "torchvision", Label: "torchvision, DataLoader", Rate: 1200, TTFB: 1.2, CPU: 1.65, RSS: 1550},
				{Peer: "floor", Label: "bare", Rate: 2400, CPU: 0.88},
			},
			Duels: []bench.Duel{{Own: "spool", Other: "torchvision", Ratio: 1.5}, {Own: "spool", Other: "floor", Ratio: 0.75},
				{Own: "spool_fast", Other: "floor", Ratio: 0.8, Goal: 0.9},
				{Own: "spool_pillow", Other: "pil"}},
			Pairs: make([]bench.Pair, 1),
		}, {
			Pairs: make([]bench.Pair, 1),
			Work: bench.Work{Name: "train", Set: "photos", Files: 300, Megapixels: 0.1875, Repeat: 14, Batch: 32, Size: 224,
				Workers: 2, Rounds: 5},
		}, {
			Work: bench.Work{Name: "video", Kind: "video", Set: "clips", Files: 8, Repeat: 4, Batch: 32, Size: 224,
				Workers: 2, Rounds: 5},
			Contestants: []bench.Summary{{Peer: "spool_fast", Label: "spool, fast", Rate: 900, TTFB: 0.1, CPU: 2, RSS: 110},
				{Peer: "decord", Label: "decord", Rate: 300, TTFB: 0.2, CPU: 6, RSS: 500}},
			Duels: []bench.Duel{{Own: "spool_fast", Other: "decord", Ratio: 3}},
			Pairs: []bench.Pair{{Own: bench.Run{Items: 512}}},
		}, {
			Pairs: make([]bench.Pair, 1),
			Work:  bench.Work{Name: "mp3", Kind: "audio", Set: "songs", Files: 1, Size: 224, Workers: 2, Rounds: 5},
		}},
	}
	path := filepath.Join(dir, result.Name())
	require.NoError(t, result.Write(path+".json"))
	const head, tail = "# spool\n\n" + begin, end + "\nMore.\n"

	got := generated(t, "docs/benchmarks.md", head+"old\n"+tail, dir)
	table := `The same works in full. What a dollar pays for is derived from CPU time, at $0.05 for an hour of a core.

Commit 0123456789, with system libraries, 2026-11-21, on Some CPU, 2 cores, load 0.25 before the first run.
Figures are medians. Ratios are medians over pairs of runs right after one another, on the same files: how many times the
others' rate spool has, by profile.

**Photos to 224x224, for evaluation.** 300 images of 0.19 megapixels on average (photos), batches of 32, 2 workers, 4200 images a run, 5 runs.
Differences before the first run: pixels: 300 files, at most 0.5 (1 allowed); more: 1 files, at most 0 (0 allowed).

| | images/s | exact has | fast has | CPU ms an image | millions for $1 | KB read | KB out | page faults | first batch, s | peak memory, MB |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
| **spool, exact** | 1800 |  |  | 1.10 | 65 | 30.0 | 147.0 | 1.5 | 0.03 | 80 |
| **spool, fast** | 1900 |  |  | 1.00 | 72 |  |  |  | 0.03 | 80 |
| torchvision 0.29.2, DataLoader | 1200 | 1.5x |  | 1.65 | 44 |  |  |  | 1.20 | 1550 |
| bare 2.1.5 | 2400 | 0.75x | 0.80x | 0.88 | 82 |  |  |  |  |  |

Goals missed, and the ratio that each asks for: spool, fast beside bare (0.90).

**Photos to 224x224 by random resized crop and flip, for training.** 300 images of 0.19 megapixels on average (photos), batches of 32, 2 workers, 4200 images a run, 5 runs.

| | images/s | CPU ms an image | millions for $1 | first batch, s | peak memory, MB |
|---|--:|--:|--:|--:|--:|

**Clips of 16 frames, evenly sampled, to 224x224.** 8 files (clips), 2 workers, 512 frames a run, 5 runs.

| | frames/s | fast has | CPU ms a frame | millions for $1 | first file, s | peak memory, MB |
|---|--:|--:|--:|--:|--:|--:|
| **spool, fast** | 900 |  | 2.00 | 36 | 0.10 | 110 |
| decord | 300 | 3.0x | 6.00 | 12 | 0.20 | 500 |

**MP3 to 16 kHz mono.** 1 file (songs), 2 workers, 0 seconds of audio a run, 5 runs.

| | seconds of audio/s | CPU ms a second of audio | millions for $1 | first file, s | peak memory, MB |
|---|--:|--:|--:|--:|--:|

Not measured at commit 0123456789: Photos of 12 megapixels to 224x224; Every frame of small video to 224x224; Every frame of 720p video to 224x224; WAV, 44.1 kHz stereo of 16 and 24 bits, to 16 kHz mono; FLAC to 16 kHz mono; AAC to 16 kHz mono; Opus to 16 kHz mono.
`
	assert.True(t, strings.HasSuffix(got, table+tail), got)

	rows := `These are rates of the command ` + "`spool bench`" + `: Python's loaders were not measured at this commit.

Commit 0123456789, with system libraries, 2026-11-21, on Some CPU, 2 cores, load 0.25 before the first run:

| | spool | CPU, ms each | peak memory, MB | times the rate of |
|---|--:|--:|--:|---|
| Photos to 224x224, for evaluation, exact | 1800 images/s | 1.10 | 80 | torchvision **1.5** |
| Clips of 16 frames, evenly sampled, to 224x224, fast | 900 frames/s | 2.00 | 110 | decord **3.0** |
`
	assert.True(t, strings.HasPrefix(got, head+rows), "the summary comes first; works without figures have no row")

	require.NoError(t, os.WriteFile(path+".txt", []byte(goBench), 0o600))
	again := generated(t, "docs/benchmarks.md", got, dir)
	assert.Contains(t, again, "| decode | 1.2 | 1.5 |\n")
	assert.Contains(t, again, "(`go test -bench . ./bench`; commit 0123456789)")
	assert.NotContains(t, again, "the whole loader", "half a row")
	assert.Regexp(t, `(?m)^\| jpeg \| libjpeg-turbo [0-9.]+ \| 1\.2 \|  \|  \| 1\.1 \|  \|$`, again)
	assert.NotContains(t, again, "| bmp |")
	assert.Equal(t, again, generated(t, "docs/benchmarks.md", again, dir), "running it again changes nothing")
}

// TestHeadline: the first figure compares Python's loader with the fastest other loader.
func TestHeadline(t *testing.T) {
	images := bench.Comparison{
		Work: bench.Work{Name: "images", Size: 224},
		Contestants: []bench.Summary{
			{Peer: "spool", Label: "spool, exact", Rate: 5000},
			{Peer: "spool_loader", Label: "spool.ImageLoader", Rate: 4000, CPU: 0.5, RSS: 300},
			{Peer: "spool_dataloader", Label: "spool.torch.collate in a DataLoader", Rate: 3000},
			{Peer: "floor", Label: "bare", Rate: 9000}, {Peer: "torchvision", Label: "torchvision, DataLoader", Rate: 1000},
			{Peer: "cv2", Label: "OpenCV, linear", Rate: 2000},
			{Peer: "pil", Label: "Pillow, DataLoader", Rate: 500},
		},
		Duels: []bench.Duel{{Own: "spool", Other: "cv2", Ratio: 2.5},
			{Own: "spool_loader", Other: "cv2", Ratio: 2, Low: 1.9, High: 2.125},
			{Own: "spool_loader", Other: "torchvision", Ratio: 4},
			{Own: "spool_dataloader", Other: "torchvision", Ratio: 3}, {Own: "spool_pillow", Other: "pil", Ratio: 9}},
	}
	written := func() string {
		var out strings.Builder
		writeSummary(&out, []bench.Table{{Commit: "a",
			Rows: []bench.Row{{Comparison: images, Result: &bench.Result{Commit: "a"}}}}})
		return out.String()
	}
	got := written()
	assert.Contains(t, got, "**From Python, `spool.ImageLoader` loads 4000 photos a second: 2.0x (1.9 to 2.1) the rate "+
		"of the fastest other loader, OpenCV, linear**, "+
		"and 4.0x that of torchvision in a DataLoader.\n")
	assert.Contains(t, got, "| Photos to 224x224, for evaluation, ImageLoader | 4000 images/s | 0.50 | 300 | OpenCV "+
		"**2.0**, torchvision **4.0**, Pillow (pillow) **9.0** |\n")

	images.Contestants[4].Rate = 2001 // now torchvision is the fastest
	assert.Contains(t, written(), "4.0x the rate of the fastest other loader, torchvision, DataLoader**.\n")
	images.Contestants[6].Rate = 2002 // which has no pair with Python's loader
	got = written()
	assert.Contains(t, got, "Python's loaders were not measured")
	assert.NotContains(t, got, "From Python")
}

// TestNumbers: README.md has three figures in two tables, and says which of them have no result.
func TestNumbers(t *testing.T) {
	images := bench.Comparison{
		Work: bench.Work{Name: "images", Set: "p", Files: 300, Batch: 32, Size: 224, Workers: 2},
		Contestants: []bench.Summary{
			{Peer: "spool", Label: "spool, exact", Rate: 5000}, {Peer: "spool_fast", Label: "spool, fast", Rate: 6000},
			{Peer: "floor", Label: "bare", Rate: 9000}, {Peer: "torchvision", Label: "torchvision, DataLoader", Rate: 1000},
			{Peer: "cv2", Label: "OpenCV, linear", Rate: 2000}, {Peer: "cv2_area", Label: "OpenCV, area", Rate: 1500},
		},
		Duels: []bench.Duel{{Own: "spool", Other: "cv2", Ratio: 2.5}, {Own: "spool", Other: "torchvision", Ratio: 5}},
	}
	m := func() *measured {
		_, atStores := bench.Publish([]*bench.Result{ofStores()})
		return &measured{stores: storesOf(atStores),
			files: []bench.Table{{Commit: "a", Rows: []bench.Row{{Comparison: images, Result: &bench.Result{Commit: "a"}}}}}}
	}
	written := func() string {
		var out strings.Builder
		m().writeNumbers(&out)
		return out.String()
	}
	got := written()
	assert.Contains(t, got, "`spool.torch.collate` decodes | no result yet | [an earlier run](")
	assert.Contains(t, got, "`spool.ImageLoader` | 5000 images/s, the command | torchvision in a `DataLoader` "+
		"**5.0x**; the fastest other loader, OpenCV, linear, **2.5x** |\n")
	assert.Contains(t, got, "a store that answers after 100 ms | spool | times the rate of |\n|---|--:|---|\n| `spool run` "+
		"| 950 images/s | DataLoader, boto3 **50x** |\n", "no pair with the fastest")
	assert.Contains(t, got, "Python's loaders were not measured;")
	assert.Contains(t, got, "\nCommit a, 0001-01-01, on , 0 cores: medians of runs with 2 workers, 300 photos (p) to "+
		"224x224 in batches of 32.")
	assert.Contains(t, got, "\nCommit 0123456789, 2026-11-22, on Some CPU, 2 cores: medians of runs with 2 workers, 100 "+
		"photos (photos) to 224x224 in batches of 32.\n")

	images.Contestants = append(images.Contestants,
		bench.Summary{Peer: "spool_loader", Label: "spool.ImageLoader", Rate: 4000},
		bench.Summary{Peer: "spool_dataloader", Label: "spool.torch.collate in a DataLoader", Rate: 3000})
	images.Duels = append(images.Duels, bench.Duel{Own: "spool_loader", Other: "torchvision", Ratio: 4},
		bench.Duel{Own: "spool_dataloader", Other: "torchvision", Ratio: 3, Low: 2.9, High: 3.1})
	got = written()
	assert.Contains(t, got, "`spool.torch.collate` decodes | 3000 images/s | torchvision there **3.0x (2.9 to 3.1)** |\n")
	assert.Contains(t, got, "`spool.ImageLoader` | 4000 images/s | torchvision in a `DataLoader` **4.0x** |\n")
	assert.NotContains(t, got, "not measured")

	var shown []string
	for _, p := range charted(images) {
		shown = append(shown, p.Label)
	}
	assert.Equal(t, []string{"torchvision, DataLoader", "OpenCV, linear", "spool.torch.collate in a DataLoader",
		"spool.ImageLoader", "spool, the command"}, shown)
	assert.Subset(t, texts(t, m().bars()), []string{"OpenCV, linear", "4000", "spool.ImageLoader", "images a second"})
	assert.Empty(t, (&measured{}).bars())
}

func TestOtherProcessors(t *testing.T) {
	comparison := func(ratio float64) bench.Comparison {
		return bench.Comparison{Work: bench.Work{Name: "images", Size: 224}, Pairs: []bench.Pair{{Own: bench.Run{Load: 1.5}}},
			Contestants: []bench.Summary{{Peer: "spool", Label: "spool, exact"},
				{Peer: "spool_loader", Label: "spool.ImageLoader"}, {Peer: "cv2", Label: "OpenCV, area", Rate: 2},
				{Peer: "spdl", Label: "SPDL", Rate: 1}},
			Duels: []bench.Duel{{Own: "spool", Other: "cv2", Ratio: ratio, CPURatio: 1.25},
				{Own: "spool_loader", Other: "cv2", Ratio: ratio, CPURatio: 1.5}, {Own: "spool_loader", Other: "gone"},
				{Own: "spool_loader", Other: "spdl", Ratio: ratio}}}
	}
	day := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	row := func(cpu string, ratio float64) bench.Row {
		return bench.Row{Comparison: comparison(ratio), Result: &bench.Result{Commit: "b", Date: day,
			Machine: bench.Machine{CPU: cpu, Cores: 4}, Versions: map[string]string{"opencv-python-headless": "5.0"}}}
	}
	tables := []bench.Table{{Commit: "a", Rows: []bench.Row{row("ours", 3)}}}
	others := processors{row("theirs", 2.5)}
	assert.Equal(t, "On theirs: the loader 2.5x OpenCV ([more, and the commit](docs/benchmarks.md#on-other-processors)).",
		others.short())
	var out strings.Builder
	others.write(&out, tables)
	assert.Contains(t, out.String(),
		"\nOn theirs, 4 cores, commit b, with system libraries, 2026-11-28, load up to 1.50.\n")
	assert.True(t, strings.HasSuffix(out.String(), "--:|\n| Photos to 224x224, for evaluation | spool, exact "+
		"| OpenCV 5.0, area | 2.5x | 1.2 | 3.0x |\n| Photos to 224x224, for evaluation | spool.ImageLoader "+
		"| OpenCV 5.0, area | 2.5x | 1.5 | 3.0x |\n| Photos to 224x224, for evaluation | spool.ImageLoader "+
		"| SPDL | 2.5x |  | 3.0x |\n"), out.String())

	others[0].Work.Seconds, others[0].Result.Note = 0.5, "It was raining."
	assert.Equal(t, "On theirs, in short runs: the loader 2.5x OpenCV ("+
		"[more, and the commit](docs/benchmarks.md#on-other-processors)).",
		others.short())
	out.Reset()
	others.write(&out, tables)
	assert.Contains(t, out.String(), "load up to 1.50. A run took about 0.5 s. In so short a run, ")
	assert.Contains(t, out.String(), "no ratio in CPU time. It was raining.\n")
	assert.Contains(t, out.String(), "| spool, exact | OpenCV 5.0, area | 2.5x | 1.2 | 3.0x |\n")
	assert.Contains(t, out.String(), "| spool.ImageLoader | OpenCV 5.0, area | 2.5x |  | 3.0x |\n")

	out.Reset()
	processors{}.write(&out, tables)
	assert.Empty(t, out.String()+processors{}.short())
}

// TestPublishedRows: each row of docs/benchmarks.md has the median of recorded runs, in a result of the commit that its
// table names. The test reads the page, so it does not depend on the code that writes it.
func TestPublishedRows(t *testing.T) {
	page, err := os.ReadFile("../../docs/benchmarks.md")
	require.NoError(t, err)
	all, err := bench.ReadAll("../results")
	require.NoError(t, err)
	commit, rows, latencies := "", 0, []string(nil)
	for line := range strings.Lines(string(page)) {
		if m := regexp.MustCompile(`^Commit (.+?)(?:, with .+)?, \d{4}-`).FindStringSubmatch(line); m != nil {
			commit = m[1]
		}
		if !strings.HasPrefix(line, "|") {
			latencies = nil // the table has ended
		}
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if strings.HasPrefix(line, "| images/s when") {
			latencies = regexp.MustCompile(`\d+`).FindAllString(strings.Split(line, "| at ")[0], -1)
			continue
		}
		for _, h := range headings {
			if strings.HasPrefix(line, "| "+strings.ReplaceAll(h.text, "SIZE", "224x224")+", ") && len(cells) == 5 {
				rate, _, _ := strings.Cut(cells[1], " ")
				assert.Contains(t, ratesOf(all, commit, h.work), rate, "%s: %s", commit, line)
				rows++
			}
		}
		if len(latencies) > 0 && len(cells) == len(latencies)+3 && !strings.HasPrefix(line, "|---") {
			for i, ms := range latencies {
				if rate := strings.TrimSpace(cells[i+1]); rate != "" {
					assert.Contains(t, ratesOf(all, commit, "objectstore-"+ms), rate, "%s: %s", commit, line)
					rows++
				}
			}
		}
	}
	assert.Greater(t, rows, 20, "the page is parsed wrongly")
}

// ratesOf returns the recorded rates of a work at a commit.
func ratesOf(all []*bench.Result, commit, work string) (found []string) {
	for _, r := range all {
		for _, c := range r.Works {
			if shortened(r.Commit) == commit && c.Work.Name == work {
				contestants, _ := c.Figures()
				for _, s := range contestants {
					found = append(found, fmt.Sprintf("%.0f", s.Rate))
				}
			}
		}
	}
	return found
}

// TestTablesNameOneCommit: each published table names one commit: in the paragraph below it in README.md, and in the
// nearest paragraph above it that names any in docs/benchmarks.md. Rates of README.md are those of the named commit.
func TestTablesNameOneCommit(t *testing.T) {
	all, err := bench.ReadAll("../results")
	require.NoError(t, err)
	named := regexp.MustCompile(`\b[Cc]ommit ([0-9a-f]{10})\b`)
	rate := regexp.MustCompile(`\| (\d+) images/s`)
	for name, least := range map[string]int{"README.md": 2, "docs/benchmarks.md": 15} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(text), begin)
		generated, _, _ := strings.Cut(rest, end)
		paragraphs := strings.Split(strings.TrimSpace(generated), "\n\n")
		tables := 0
		for i, table := range paragraphs {
			if !strings.HasPrefix(table, "|") {
				continue
			}
			tables++
			var commits [][]string
			if name == "README.md" {
				require.Less(t, i+1, len(paragraphs), table)
				commits = named.FindAllStringSubmatch(paragraphs[i+1], -1)
			} else {
				for above := i - 1; above >= 0 && commits == nil; above-- {
					commits = named.FindAllStringSubmatch(paragraphs[above], -1)
				}
			}
			require.Len(t, commits, 1, "%s:\n%s", name, table)
			if name == "README.md" {
				found := rate.FindAllStringSubmatch(table, -1)
				require.NotEmpty(t, found, table)
				for _, figure := range found {
					assert.Contains(t, append(ratesOf(all, commits[0][1], "images"), ratesOf(all, commits[0][1],
						"objectstore-100")...), figure[1], table)
				}
			}
		}
		assert.GreaterOrEqual(t, tables, least, "%s is parsed wrongly", name)
	}
}

func TestGenerateRefuses(t *testing.T) {
	nothing := func(*strings.Builder) {}
	_, err := generate([]byte("# spool\n"), nothing)
	require.ErrorContains(t, err, "bench:begin")
	_, err = generate([]byte(begin+strings.ToUpper(end)), nothing)
	require.ErrorContains(t, err, "bench:end")
	_, err = read(t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestNoisy: a table is marked as noisy if a result was begun under a load above 0.5.
func TestNoisy(t *testing.T) {
	said := func(loads ...float64) (string, string) {
		table := bench.Table{Commit: "a"}
		for _, load := range loads {
			table.Rows = append(table.Rows, bench.Row{Result: &bench.Result{Machine: bench.Machine{CPU: "C", Load: load}}})
		}
		return where(table), short(table, bench.Work{})
	}
	long, brief := said(0.3, 0.49)
	assert.Contains(t, long, "load 0.30 and 0.49 before the first run")
	assert.NotContains(t, long+brief, "busy")
	long, brief = said(0.3, bench.Quiet+0.01)
	assert.Contains(t, long, "; **noisy, the machine was busy**")
	assert.Contains(t, brief, " The machine was busy.")
}

func TestTwoDigits(t *testing.T) {
	for ratio, want := range map[float64]string{0: "", 0.094: "0.094", 0.95: "0.95", 0.996: "1.0", 1.649: "1.6",
		4.96: "5.0", 9.99: "10", 86.6: "87", 169.4: "170"} {
		assert.Equal(t, want, twoDigits(ratio))
	}
}
