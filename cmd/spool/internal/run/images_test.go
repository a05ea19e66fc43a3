package run

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/pipe"
)

func TestRunKeys(t *testing.T) {
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "run", "images", clitest.Photo, "--json")), &object))
	assert.Equal(t, []string{"batches", "cpu_ms", "epochs", "failed", "jpeg", "rate", "rss_mb", "samples", "stages",
		"ttfb_s", "verdict", "wall_s", "workers"}, slices.Sorted(maps.Keys(object)))
	for _, stage := range object["stages"].([]any) {
		assert.Equal(t, []string{"failures", "items", "mean_ms", "name", "occupancy", "p50_ms", "p90_ms", "p99_ms", "queue",
			"wait_in_s", "wait_out_s", "workers"},
			slices.Sorted(maps.Keys(stage.(map[string]any))))
	}
}

// JPEG images are counted by their engine, and reported if some were left to libjpeg-turbo.
func TestRunCountsEngines(t *testing.T) {
	files := []string{clitest.Photo, clitest.Good + "progressive.jpg", clitest.Good + "scans.jpg",
		clitest.Good + "rgb.bmp", clitest.Media + "/hard/bad/truncated60.jpg"}
	for flags, want := range map[string]map[string]any{
		"":             {"own": 2.0, "turbo": 2.0, "left": map[string]any{"scans": 1.0, "overrun": 1.0}},
		"--jpeg turbo": {"own": 0.0, "turbo": 4.0},
	} {
		args := append(append([]string{"run", "images"}, files...), strings.Fields(flags)...)
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(tool.Run(append(args, "--json")...).Stdout), &object))
		assert.Equal(t, want, object["jpeg"], flags)
		reported := strings.Contains(tool.Run(args...).Stdout,
			"\n2 of 4 JPEG images were decoded by libjpeg-turbo, which is slower: overrun 1, scans 1\n")
		assert.Equal(t, flags == "", reported, flags)
	}
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "run", "images", clitest.Good+"rgb.bmp", "--json")), &object))
	assert.NotContains(t, object, "jpeg")
}

func TestRunCounts(t *testing.T) {
	type counts struct {
		flags                    string
		samples, batches, epochs int
	}
	for _, c := range short.Some([]counts{
		{"", 44, 2, 1},
		{"--batch 44", 44, 1, 1},
		{"--batch 1 --size 8", 44, 44, 1},
		{"--batch 10 --last keep", 44, 5, 1},
		{"--batch 10 --last drop", 40, 4, 1},
		{"--batch 10 --last pad", 44, 5, 1},
		{"--batch 10 --last pad --epochs 3", 132, 15, 3},
		{"--batch 100 --last drop", 0, 0, 0},
		{"--limit 7 --epochs 2 --size 16x9 --mode fit", 14, 2, 2},
		{"--limit 1000 --order any --workers 3 --mode cover", 44, 2, 1},
		{"--limit 0 --shuffle --seed 18446744073709551615", 44, 2, 1},
		{"--max-failures 0 --on-error fail", 44, 2, 1},
		{"--max-failures 0.5% --on-error placeholder", 44, 2, 1},
	}, 3) {
		s := tool.Ran(t, append(strings.Fields(c.flags), clitest.Media+"/photos")...)
		assert.Equal(t, []int{c.samples, c.batches, c.epochs}, []int{s.Samples, s.Batches, s.Epochs}, c.flags)
		assert.Zero(t, s.Failed, c.flags)
		assert.Positive(t, s.Workers, c.flags)
		assert.NotEmpty(t, s.Verdict, c.flags)
		if c.samples > 0 {
			for _, figure := range []float64{s.Rate, s.TTFB, s.Wall, s.CPU, float64(s.RSS)} {
				assert.Positive(t, figure, c.flags)
			}
			assert.LessOrEqual(t, s.TTFB, s.Wall, c.flags)
		}
	}
}

// Headspace delivers as many batches as otherwise, of the first samples, and the verdict reports it.
func TestHeadspace(t *testing.T) {
	args := []string{"run", "images", clitest.Media + "/photos", "--size", "8", "--batch", "4", "--epochs", "3",
		"--digest"}
	whole := clitest.Digests(tool.Done(t, args...))
	out := tool.Done(t, append(args, "--headspace")...)
	again := clitest.Digests(out)
	require.Len(t, again, len(whole))
	assert.Equal(t, whole[0], again[0])
	seen := map[string]int{}
	for _, line := range again {
		seen[hashOf(line)]++
	}
	assert.Less(t, len(seen), 5)
	assert.Contains(t, out, "\nheadspace: ")
}

// The digests are those of the arrays of decode image, sample by sample, and of the labels of the class folders.
func TestDigestsAreOfDecodedImages(t *testing.T) {
	files, err := filepath.Glob(clitest.Media + "/photos/*/*.jpg")
	require.NoError(t, err)
	classes := []string{"animal", "landscape", "object", "plant", "space"}
	var want []string
	batch := 0
	for chunk := range slices.Chunk(files, 16) {
		h := sha256.New()
		for _, file := range chunk {
			h.Write(tool.Decoded(t, "image", file, "--size", "64x48", "--mode", "cover").Data)
		}
		for _, file := range chunk {
			label := slices.Index(classes, filepath.Base(filepath.Dir(file)))
			require.NoError(t, binary.Write(h, binary.LittleEndian, int64(label)))
		}
		want = append(want, fmt.Sprintf("0 %d %x", batch, h.Sum(nil)))
		batch++
	}
	for _, workers := range []string{"1", "2", "16"} {
		got := clitest.Lines(tool.Done(t, "run", "images", clitest.Media+"/photos", "--batch", "16", "--size", "64x48",
			"--mode", "cover", "--workers", workers, "--digest", "--json"))
		require.Len(t, got, len(want)+1)
		assert.Equal(t, want, got[:len(want)], "%s workers", workers)
	}
}

// A requested frame is that of every sample; samples with fewer frames are bad.
func TestRunFrame(t *testing.T) {
	h := sha256.New()
	files := []string{clitest.Media + "/hard/good/anim.gif", clitest.Media + "/hard/good/anim.webp",
		clitest.Media + "/hard/good/pages.tiff"}
	for _, file := range files {
		h.Write(tool.Decoded(t, "image", file, "--size", "16x16", "--frame", "1").Data)
	}
	for range files {
		require.NoError(t, binary.Write(h, binary.LittleEndian, int64(-1)))
	}
	args := append([]string{"run", "images", "--size", "16", "--frame", "1", "--digest", "--json",
		clitest.Media + "/hard/good/1x1.jpg"}, files...)
	o := tool.Run(args...)
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.Equal(t, fmt.Sprintf("0 0 %x", h.Sum(nil)), clitest.Lines(o.Stdout)[0])
	assert.Contains(t, o.Stderr, "1x1.jpg: no-such-frame: ")
}

// Shuffled epochs differ from each other and from those of other seeds, and are reproducible.
func TestShuffle(t *testing.T) {
	digests := func(flags ...string) []string {
		return clitest.Lines(tool.Done(t,
			append([]string{"run", "images", clitest.Media + "/photos", "--size", "8", "--batch", "44", "--epochs", "2",
				"--digest", "--json"}, flags...)...))[:2]
	}
	plain, one, two := digests(), digests("--shuffle", "--seed", "1"), digests("--shuffle", "--seed", "2")
	pixels := func(line string) string { return strings.Fields(line)[2] }
	assert.Equal(t, pixels(plain[0]), pixels(plain[1]))
	assert.NotEqual(t, pixels(one[0]), pixels(one[1]))
	assert.NotEqual(t, one, two)
	assert.NotEqual(t, one, plain)
	assert.Equal(t, one, digests("--shuffle", "--seed", "1"))
	assert.Equal(t, []string{"0", "0"}, strings.Fields(one[0])[:2])
	assert.Equal(t, []string{"1", "0"}, strings.Fields(one[1])[:2])
}

// Of good and bad files, every good one is delivered and every bad one is reported once: in the ledger if there is one,
// otherwise on stderr.
func TestMixedFolder(t *testing.T) {
	bad := map[string]bool{}
	good := 0
	for name, want := range clitest.Expectations(t) {
		if !strings.HasPrefix(name, "hard/") {
			continue
		}
		if want.Classes == nil {
			good++
		} else {
			bad[filepath.Join(clitest.Media, name)] = true
		}
	}
	file := filepath.Join(t.TempDir(), "ledger.jsonl")
	s := tool.Ran(t, clitest.Media+"/hard", "--batch", "8", "--ledger", file)
	assert.Equal(t, good, s.Samples)
	assert.EqualValues(t, len(bad), s.Failed)
	failures := clitest.Ledger(t, file)
	require.Len(t, failures, len(bad))
	seen := map[string]bool{}
	for _, f := range failures {
		assert.True(t, bad[f.File], f.File)
		assert.False(t, seen[f.File], f.File)
		seen[f.File] = true
		name, err := filepath.Rel(clitest.Media, f.File)
		require.NoError(t, err)
		assert.Contains(t, clitest.Expectations(t)[name].Classes, f.Class, f.File)
		assert.Equal(t, "skip", f.Action)
		assert.NotEmpty(t, f.Text)
	}

	o := tool.Run("run", "images", clitest.Media+"/hard", "--batch", "8")
	assert.Zero(t, o.Code)
	reported := clitest.Lines(o.Stderr)
	assert.Len(t, reported, len(bad))
	for _, f := range failures {
		line := "spool: " + f.File + ": " + f.Class + ": " // the wording of libvips varies
		assert.True(t, slices.ContainsFunc(reported, func(l string) bool { return strings.HasPrefix(l, line) }), line)
	}
	assert.Contains(t, o.Stdout, fmt.Sprintf("%d samples in %d batches, %d failed, 1 epochs: ", good, (good+7)/8,
		len(bad)))
	assert.Contains(t, o.Stdout, "occupancy")
}

// Placeholders take the slots of bad samples: none is missing, and each is reported.
func TestPlaceholders(t *testing.T) {
	folder := clitest.Link(t, map[string]string{"0.jpg": "photos/animal/00.jpg", "1.jpg": "hard/bad/empty.jpg",
		"2.jpg": "hard/bad/truncated60.jpg", "3.jpg": "photos/animal/03.jpg"})
	o := tool.Run("run", "images", folder, "--on-error", "placeholder", "--json", "--digest", "--size", "32", "--fill",
		"#010203")
	assert.Zero(t, o.Code)
	assert.Len(t, clitest.Lines(o.Stderr), 2)
	s := clitest.Summarized(t, o.Stdout)
	assert.Equal(t, []int{4, 1, 2}, []int{s.Samples, s.Batches, int(s.Failed)})
	h := sha256.New()
	blank := []byte(strings.Repeat("\x01\x02\x03", 32*32))
	for _, pixels := range [][]byte{tool.Decoded(t, "image", folder+"/0.jpg", "--size", "32x32").Data, blank, blank,
		tool.Decoded(t, "image", folder+"/3.jpg", "--size", "32x32").Data} {
		h.Write(pixels)
	}
	h.Write([]byte(strings.Repeat("\xff", 4*8))) // no class folders: labels of -1
	assert.Equal(t, fmt.Sprintf("0 0 %x", h.Sum(nil)), clitest.Lines(o.Stdout)[0])

	o = tool.Run("run", "images", folder, "--accept", "0.1", "--json")
	assert.Equal(t, 3, clitest.Summarized(t, o.Stdout).Samples, "a damaged image was taken")
}

// A run that fails before its first batch prints one line, whatever the cause.
func TestRunFailsEarly(t *testing.T) {
	mixed := clitest.Link(t, map[string]string{"0.jpg": "hard/bad/empty.jpg", "1.jpg": "hard/bad/zeros.jpg",
		"2.jpg": "hard/bad/text.jpg", "3.jpg": "photos/animal/00.jpg"})
	hidden := clitest.Link(t, map[string]string{"notes.txt": "README.md"})
	list := filepath.Join(t.TempDir(), "list")
	require.NoError(t, os.WriteFile(list, []byte("\n"), 0o600))
	const zero = ": empty: zero bytes"
	for _, c := range []struct {
		args string
		line string
	}{
		{clitest.Empty, clitest.Empty + zero},
		{clitest.Empty + " --json", clitest.Empty + zero},
		{clitest.Empty + " --on-error fail", clitest.Empty + zero},
		{clitest.Empty + " --max-failures 0", clitest.Empty + zero},
		{clitest.Empty + " --max-failures 0 --on-error placeholder", clitest.Empty + zero},
		{clitest.Empty + " --last drop", clitest.Empty + zero},
		{mixed + " --on-error fail", mixed + "/0.jpg" + zero},
		{mixed + " --on-error fail --workers 8 --order exact", mixed + "/0.jpg" + zero},
		{mixed + " --workers 1 --max-failures 1",
			"too many failures: 2 failed, at most 1 may; the last: decode: " + mixed + "/1.jpg: not an image in a known format"},
		{mixed + " --workers 1 --limit 2", mixed + "/0.jpg: empty: zero bytes; nothing could be loaded: 1 more failed"},
		{"nowhere", "nowhere: not-found: no such file or directory"},
		{"nowhere/*.jpg", "nowhere/*.jpg: not-found: nothing matches this pattern"},
		{"@nowhere", "nowhere: not-found: no such file or directory"},
		{"@" + list, list + ": empty: no path in this list"},
		{hidden, hidden + ": empty: no images in this folder (seen: 1 .txt); looked for .jpg .jpeg .jpe .jfif .png .webp " +
			".gif .bmp .dib .ppm .pgm .pbm .pnm" +
			" .tif .tiff .tga .avif .heic .heif .jp2 .j2k .jxl, name other files one by one, by a glob or in a list"},
		{"/dev/null", "/dev/null: not-a-file: a device, where a regular file is needed"},
	} {
		t.Run(c.args, func(t *testing.T) {
			tool.Refused(t, cli.ExitInput, []string{"spool: " + c.line},
				append([]string{"run", "images"}, strings.Fields(c.args)...)...)
		})
	}
}

// A run that delivers only placeholders is not a success.
func TestNothingButPlaceholders(t *testing.T) {
	o := tool.Run("run", "images", clitest.Empty, "--on-error", "placeholder", "--json")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Equal(t, []string{"spool: " + clitest.Empty + ": empty: zero bytes",
		"spool: empty: nothing could be loaded: all 1 samples failed"}, clitest.Lines(o.Stderr))
	assert.Equal(t, 1, clitest.Summarized(t, o.Stdout).Samples)
}

// Problems of several arguments are one line each, and a malformed pattern is wrong usage.
func TestProblemsOfSeveralSources(t *testing.T) {
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: a: not-found: no such file or directory", "spool: b/*: not-found: nothing matches this pattern"},
		"run", "images", "a", clitest.Photo, "b/*")
	tool.Refused(t, cli.ExitUsage,
		[]string{"spool: a: not-found: no such file or directory", "spool: usage: glob b/[: syntax error in pattern"}, "run",
		"images", "a", "b/[")
	many := make([]string, 30)
	for i := range many {
		many[i] = fmt.Sprintf("x%d", i)
	}
	o := tool.Run(append([]string{"run", "images"}, many...)...)
	assert.Equal(t, cli.ExitInput, o.Code)
	lines := clitest.Lines(o.Stderr)
	assert.Len(t, lines, 21)
	assert.Equal(t, "spool: and 10 more problems", lines[20])
}

// The run ends when failures exceed the budget, and reports what it did.
func TestOverBudget(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("%02d.jpg", i)] = "photos/animal/00.jpg"
	}
	for i := 40; i < 44; i++ {
		files[fmt.Sprintf("%02d.jpg", i)] = "hard/bad/text.jpg"
	}
	folder := clitest.Link(t, files)
	for budget, allowed := range map[string]string{"3": "4 failed, at most 3 may",
		"5%": "4 of 44 failed, at most 5 % may"} {
		o := tool.Run("run", "images", folder, "--batch", "2", "--size", "8", "--workers", "1", "--max-failures", budget,
			"--json")
		assert.Equal(t, cli.ExitInput, o.Code)
		lines := clitest.Lines(o.Stderr)
		assert.Len(t, lines, 5, "four bad files and the budget")
		assert.Equal(t, "spool: too many failures: "+allowed+"; the last: decode: "+folder+"/43.jpg: not an image in a "+
			"known format", lines[4])
		assert.EqualValues(t, 4, clitest.Summarized(t, o.Stdout).Failed)
	}
	for _, budget := range []string{"4", "10%", "100%"} {
		o := tool.Run("run", "images", folder, "--size", "8", "--max-failures", budget, "--json")
		assert.Zero(t, o.Code)
		assert.Equal(t, 40, clitest.Summarized(t, o.Stdout).Samples)
	}
}

// With --on-error fail, the run ends at the first bad sample in order, after the samples before it.
func TestOnErrorFail(t *testing.T) {
	folder := clitest.Link(t, map[string]string{"0.jpg": "photos/animal/00.jpg", "1.jpg": "photos/animal/03.jpg",
		"2.jpg": "hard/bad/text.jpg", "3.jpg": "hard/bad/empty.jpg"})
	file := filepath.Join(t.TempDir(), "ledger")
	o := tool.Run("run", "images", folder, "--batch", "2", "--on-error", "fail", "--ledger", file, "--json")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Equal(t, []string{"spool: " + folder + "/2.jpg: not-media: not an image in a known format"},
		clitest.Lines(o.Stderr))
	assert.Equal(t, 2, clitest.Summarized(t, o.Stdout).Samples)
	failures := clitest.Ledger(t, file)
	assert.True(t, slices.ContainsFunc(failures,
		func(f pipe.Failure) bool { return f.File == folder+"/2.jpg" && f.Action == "fail" }), failures)
}

// Skipped files of a folder are reported in one line, and an empty class folder does not stop a run.
func TestSkippedInFolders(t *testing.T) {
	folder := clitest.Link(t, map[string]string{"cat/0.jpg": "photos/animal/00.jpg", "dog/0.jpg": "photos/animal/03.jpg",
		"dog/a.txt": "README.md", "dog/b.txt": "README.md",
		".cache/x.jpg": "photos/animal/00.jpg", "beside.jpg": "photos/animal/00.jpg"})
	require.NoError(t, os.Mkdir(filepath.Join(folder, "bird"), 0o755))
	o := tool.Run("run", "images", folder, "--json")
	assert.Zero(t, o.Code)
	assert.Equal(t, []string{"spool: skipped in folders: 2 .txt, 1 hidden, 1 beside the class folders"},
		clitest.Lines(o.Stderr))
	assert.Equal(t, 2, clitest.Summarized(t, o.Stdout).Samples)
}

// Lists name files and labels.
func TestList(t *testing.T) {
	list := filepath.Join(t.TempDir(), "list")
	file, err := filepath.Abs(clitest.Photo)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(list, []byte(file+"\t7\n"+file+"\n"), 0o600))
	lines := clitest.Lines(tool.Done(t, "run", "images", "@"+list, "--size", "8", "--digest", "--json"))
	h := sha256.New()
	pixels := tool.Decoded(t, "image", clitest.Photo, "--size", "8x8").Data
	h.Write(slices.Concat(pixels, pixels))
	require.NoError(t, binary.Write(h, binary.LittleEndian, []int64{7, -1}))
	assert.Equal(t, fmt.Sprintf("0 0 %x", h.Sum(nil)), lines[0])
}

// With a cache each image is decoded once, and later epochs have the same bytes.
func TestMemoryCache(t *testing.T) {
	run := []string{"run", "images", clitest.Media + "/photos", "--size", "8", "--epochs", "2", "--digest", "--json"}
	decoded := map[string]float64{}
	digests := map[string][]string{}
	for _, size := range []string{"0", "1MiB"} {
		out := tool.Done(t, clitest.With(run, "--cache", size, "--prefetch", "1")...)
		digests[size] = clitest.Digests(out)
		var object map[string]any
		lines := clitest.Lines(out)
		require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &object))
		decoded[size] = object["jpeg"].(map[string]any)["own"].(float64)
	}
	assert.Equal(t, digests["0"], digests["1MiB"])
	assert.Equal(t, map[string]float64{"0": 88, "1MiB": 44}, decoded)
	tool.Refused(t, 2, []string{"spool: usage: --streaming excludes --cache: no sample comes twice"}, "run", "images",
		clitest.Media+"/photos", "--streaming", "--cache", "1MiB")
}
