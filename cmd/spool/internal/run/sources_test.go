package run

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/tally"
)

// The same samples give the same batches, including labels, from any source and with any number of workers.
func TestRunSources(t *testing.T) {
	for _, c := range []struct {
		kind  string
		files []string // of testdata
		flags []string
	}{
		{"images", []string{"photos/animal/00.jpg", "photos/animal/01.jpg", "photos/space/00.jpg", "hard/good/s420.jpg",
			"hard/bad/text.jpg", "hard/good/rgb.bmp"}, []string{"--size", "32", "--train"}},
		{"video", []string{"video/bframes.mp4", "video/vfr.mp4", "video/noindex.mp4", "video/av1.mkv"},
			[]string{"--size", "16", "--frames", "4"}},
		{"audio", []string{"audio/mp3.mp3", "audio/s16.wav", "audio/damaged.flac", "audio/flac.flac", "audio/opus.opus"},
			[]string{"--duration", "0.2"}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			folder := t.TempDir()
			tree, flat := filepath.Join(folder, "tree"), filepath.Join(folder, "flat")
			list, csv, tsv, objects := &strings.Builder{}, &strings.Builder{}, &strings.Builder{}, &strings.Builder{}
			csv.WriteString("label,path\n")
			tsv.WriteString("file\ttarget\n")
			members := map[string][]byte{}
			for i, name := range c.files {
				class, data := i%2, clitest.Content(t, name)
				for _, copied := range []string{filepath.Join(tree, fmt.Sprint(class)), flat} { // the first class has label 0
					require.NoError(t, os.MkdirAll(copied, 0o755))
					copied = filepath.Join(copied, fmt.Sprintf("%d%s", i, filepath.Ext(name)))
					require.NoError(t, os.WriteFile(copied, data, 0o600))
				}
			}
			files, err := filepath.Glob(tree + "/*/*")
			require.NoError(t, err)
			require.Len(t, files, len(c.files))
			for i, file := range files {
				class := filepath.Base(filepath.Dir(file))
				fmt.Fprintf(list, "%s\t%s\n", file, class)
				fmt.Fprintf(csv, "%s,%q\n", class, file)
				fmt.Fprintf(tsv, "%s\t%s\n", file, class)
				row, err := json.Marshal(map[string]any{c.kind[:5]: nil, "path": file, "label": json.Number(class)})
				require.NoError(t, err)
				fmt.Fprintf(objects, "%s\n", row)
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				members[fmt.Sprintf("%03d%s", i, filepath.Ext(file))], members[fmt.Sprintf("%03d.cls", i)] = data, []byte(class)
			}
			write := func(name string, text fmt.Stringer) string {
				name = filepath.Join(folder, name)
				require.NoError(t, os.WriteFile(name, []byte(text.String()), 0o600))
				return name
			}
			sources := map[string]string{"folder": tree, "list": "@" + write("list", list), "csv": write("a.csv", csv),
				"tsv": write("a.tsv", tsv), "jsonl": write("a.jsonl", objects)}
			for _, ending := range []string{".tar", ".tar.gz", ".tar.zst"} {
				sources[ending] = filepath.Join(folder, "a"+ending)
				clitest.Pack(t, sources[ending], members)
			}
			run := func(src, workers string) ([]string, tally.Tally) {
				o := tool.Run(append([]string{"run", c.kind, src, "--batch", "2", "--epochs", "2", "--shuffle", "--seed", "7",
					"--ledger", os.DevNull, "--workers", workers, "--digest", "--json"}, c.flags...)...)
				require.Zero(t, o.Code, o.Stderr)
				require.Empty(t, o.Stderr)
				return clitest.Digests(o.Stdout), clitest.Summarized(t, o.Stdout)
			}
			want, s := run(tree, "1")
			require.Len(t, want, 2*(len(c.files)/2))
			assert.EqualValues(t, 2, s.Failed, "the bad file, in each epoch")
			assert.Equal(t, 2*(len(c.files)-1), s.Samples)
			for name, src := range sources {
				for _, workers := range []string{"2", "9"} {
					got, _ := run(src, workers)
					assert.Equal(t, want, got, "%s, %s workers", name, workers)
				}
			}

			named, _ := run(filepath.Join(flat, "*"), "3") // without labels
			plain, _ := run(flat, "2")
			assert.Equal(t, plain, named)
			assert.NotEqual(t, want, plain)
		})
	}
}

// A Parquet file may contain its images. They are named after their rows, and found by these names.
func TestRunParquet(t *testing.T) {
	const table = "testdata/pictures.parquet" // by pictures.py
	list := &strings.Builder{}
	for i, name := range []string{"good/progressive.jpg", "good/q1.jpg", "bad/text.jpg", "good/lossy.webp",
		"good/gray1.png", "good/7x300.jpg"} {
		fmt.Fprintf(list, "%s/hard/%s\t%d\n", clitest.Media, name, i%3)
	}
	names := filepath.Join(t.TempDir(), "list")
	require.NoError(t, os.WriteFile(names, []byte(list.String()), 0o600))
	run := []string{"run", "images", "--size", "16", "--batch", "2", "--shuffle", "--digest", "--ledger"}
	want := tool.Run(clitest.With(run, os.DevNull, "@"+names)...)
	require.Zero(t, want.Code, want.Stderr)
	require.Len(t, clitest.Digests(want.Stdout), 3)
	bad := filepath.Join(t.TempDir(), "bad")
	for _, workers := range []string{"1", "5"} {
		got := tool.Run(clitest.With(run, bad, table, "--workers", workers)...)
		require.Zero(t, got.Code, got.Stderr)
		assert.Equal(t, clitest.Digests(want.Stdout), clitest.Digests(got.Stdout))
	}
	failures := clitest.Ledger(t, bad)
	require.Len(t, failures, 1)
	assert.Equal(t, table+":3", failures[0].File)
	assert.Equal(t, "not-media", failures[0].Class)
	o := tool.Run("replay", bad)
	assert.Equal(t, 1, o.Code)
	assert.Regexp(t, "^spool: "+table+":3: not-media: [^\n]*\n$", o.Stderr)
}
