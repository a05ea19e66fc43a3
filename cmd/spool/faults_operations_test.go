package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// operation is a call of the command in which something fails.
type operation struct {
	name   string
	args   []string                          // FOLDER stands for a folder of the run's own
	before func(t *testing.T, folder string) // prepares the folder

	// check looks at what is in the folder after any end.
	check func(t *testing.T, folder string, e ended, context string)

	keeps  bool // the folder has results, so the call is repeated
	raw    bool // all of stdout is wanted
	ledger bool // the folder has a ledger, so stderr has no bad samples
}

const folderWord = "FOLDER"

func (o *operation) arguments(folder string) (args []string) {
	for _, a := range o.args {
		args = append(args, strings.ReplaceAll(a, folderWord, folder))
	}
	return args
}

// folder makes the folder of a run.
func (o *operation) folder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if o.before != nil {
		o.before(t, folder)
	}
	return folder
}

// whole returns the outcome without faults.
func (o *operation) whole(t *testing.T) ended {
	t.Helper()
	folder := o.folder(t)
	whole := o.run(t, o.faulty(t, folder), nil)
	require.Zero(t, whole.code, whole.stderr)
	if o.check != nil {
		o.check(t, folder, whole, "without faults")
	}
	return whole
}

// result is the part of the output that is the same each time.
func (o *operation) result(stdout string) string {
	switch {
	case o.raw:
		return stdout
	case slices.Contains(o.args, "--digest"):
		return strings.Join(clitest.Digests(stdout), "\n")
	case o.name == "probe":
		return stdout
	}
	return "" // the folder has the result
}

// reported tells whether a sample is known to have failed.
func (o *operation) reported(folder string, e ended) bool {
	if !o.ledger {
		return e.stderr != ""
	}
	info, err := os.Stat(filepath.Join(folder, "ledger.jsonl"))
	return e.stderr != "" || err == nil && info.Size() > 0
}

// photoList lists photos of the classes in a file, and some audio, so that each operation takes little time.
func photoList(t *testing.T, folder string) {
	t.Helper()
	var list strings.Builder
	for _, name := range []string{"animal/00.jpg", "animal/01.jpg", "plant/00.jpg", "space/00.jpg"} {
		list.WriteString(filepath.Join(clitest.Media, "photos", name) + "\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "list"), []byte(list.String()), 0o600))
}

// mixedList has a bad file among the photos.
func mixedList(t *testing.T, folder string) {
	t.Helper()
	photoList(t, folder)
	file, err := os.OpenFile(filepath.Join(folder, "list"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(clitest.Empty + "\n")
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// shardFile has a tar file of photos.
func shardFile(t *testing.T, folder string) {
	t.Helper()
	clitest.Pack(t, filepath.Join(folder, "shard.tar"), map[string][]byte{
		"a.jpg": clitest.Content(t, "photos/animal/00.jpg"), "a.cls": []byte("1"),
		"b.jpg": clitest.Content(t, "photos/plant/00.jpg"), "b.cls": []byte("2"),
		"c.jpg": clitest.Content(t, "photos/space/00.jpg"), "c.cls": []byte("3"),
	})
}

// operations are the calls in which something fails.
func operations(t *testing.T) []*operation {
	t.Helper()
	images := func(more ...string) []string {
		return clitest.With([]string{"run", "images", "@FOLDER/list", "--size", "32", "--batch", "2", "--digest", "--workers",
			"2"}, more...)
	}
	return []*operation{
		{name: "probe", args: []string{"probe", clitest.Photo, clitest.Clip, clitest.Song, "--json"}},
		{name: "decode image", args: []string{"decode", "image", clitest.Photo, "--size", "64x64", "--out", "FOLDER/out.npy"},
			check: wholeOutput(t, "decode", "image", clitest.Photo, "--size", "64x64"), keeps: true},
		{name: "decode image isolated", args: []string{"decode", "image", clitest.Good + "lossy.avif", "--isolate", "auto",
			"--out",
			"FOLDER/out.npy"}, check: wholeOutput(t, "decode", "image", clitest.Good+"lossy.avif"), keeps: true},
		{name: "decode video", args: []string{"decode", "video", clitest.Clip, "--out", "FOLDER/out.npy"},
			check: wholeOutput(t, "decode", "video", clitest.Clip), keeps: true},
		{name: "decode audio", args: []string{"decode", "audio", clitest.Song, "--out", "FOLDER/out.npy"},
			check: wholeOutput(t, "decode", "audio", clitest.Song), keeps: true},
		{name: "run images", before: photoList, args: images()},
		{name: "run isolated", before: photoList, args: images("--isolate", "all")},
		{name: "run video", args: []string{"run", "video", clitest.Clip, clitest.Media + "/video/vfr.mp4", "--size", "32",
			"--frames", "2", "--batch", "1", "--digest"}},
		{name: "run audio", args: []string{"run", "audio", clitest.Song, clitest.Media + "/audio/s16.wav", clitest.Media +
			"/audio/stereo.flac", "--duration", "0.1", "--batch", "1", "--digest"}},
		{name: "shard", before: shardFile, args: []string{"run", "images", "FOLDER/shard.tar", "--size", "32", "--batch", "1",
			"--digest"}},
		{name: "state", before: photoList, args: images("--epochs", "2", "--state-out", "FOLDER/state"), keeps: true,
			check: resumable},
		{name: "ledger", before: mixedList, args: images("--ledger", "FOLDER/ledger.jsonl"), keeps: true, ledger: true,
			check: wholeLines("ledger.jsonl")},
		{name: "receipts", before: photoList, args: images("--receipts", "FOLDER/receipts.jsonl"), keeps: true,
			check: wholeLines("receipts.jsonl")},
		{name: "receipts as Parquet", before: photoList, args: images("--receipts", "FOLDER/receipts.parquet"), keeps: true,
			check: readable("receipts.parquet")},
		{name: "disk cache", before: photoList, args: images("--epochs", "2", "--disk-cache", "FOLDER/cache",
			"--disk-cache-of", "samples"), keeps: true, check: sound},
		{name: "index", before: shardFile, args: []string{"index", "FOLDER/shard.tar", clitest.Clip, "--index-dir",
			"FOLDER/indexes"}, keeps: true, check: indexed},
		{name: "pack", before: photoList, args: []string{"pack", "@FOLDER/list", "--out", "FOLDER/shards", "--per-shard",
			"2"},
			keeps: true, check: packed},
		{name: "packets", args: []string{"packets", clitest.Clip, "--out", "FOLDER/copy.mkv"}, keeps: true},
	}
}

// wholeOutput checks that FOLDER/out.npy does not exist after a failure, and is right after success.
func wholeOutput(t *testing.T, args ...string) func(*testing.T, string, ended, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.npy")
	tool.Done(t, clitest.With(args, "--out", file)...)
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	return func(t *testing.T, folder string, e ended, context string) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(folder, "out.npy"))
		if e.code == 0 {
			require.NoError(t, err, context)
		}
		if e.code >= 0 && err == nil {
			assert.True(t, bytes.Equal(want, got), "%s\nanother array", context)
		}
	}
}

// wholeLines checks that a file has whole JSON lines.
func wholeLines(name string) func(*testing.T, string, ended, string) {
	return func(t *testing.T, folder string, e ended, context string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			assert.NotZero(t, e.code, context)
			return
		}
		for line := range strings.Lines(string(text)) {
			var entry map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &entry), "%s\n%q", context, line)
		}
	}
}

// readable checks that a file of receipts can be replayed if the run succeeded.
func readable(name string) func(*testing.T, string, ended, string) {
	return func(t *testing.T, folder string, e ended, context string) {
		t.Helper()
		file := filepath.Join(folder, name)
		if _, err := os.Stat(file); err != nil || e.code != 0 {
			return
		}
		o := tool.Run("replay", "--receipt", file, "--batch", "0")
		if e.stderr != "" { // a sample is missing, which is there now: the batch has others
			assert.Contains(t, []int{0, 1}, o.Code, "%s\n%s", context, o.Stderr)
			return
		}
		assert.Zero(t, o.Code, "%s\n%s", context, o.Stderr)
	}
}

// resumable checks that a state, if there is one, continues the run.
func resumable(t *testing.T, folder string, e ended, context string) {
	t.Helper()
	state := filepath.Join(folder, "state")
	if _, err := os.Stat(state); err != nil {
		return
	}
	args := []string{"run", "images", "@" + filepath.Join(folder, "list"), "--size", "32", "--batch", "2", "--digest",
		"--epochs", "2"}
	whole := clitest.Digests(tool.Done(t, args...))
	o := tool.Run(clitest.With(args, "--resume", state)...)
	require.Zero(t, o.Code, "%s\n%s", context, o.Stderr)
	rest := clitest.Digests(o.Stdout)
	if strings.Contains(e.stderr, ".jpg: ") { // a sample is missing, so later batches have others
		return
	}
	assert.Equal(t, strings.Join(whole[len(whole)-len(rest):], "\n"), strings.Join(rest, "\n"), context)
}

// sound checks that no entry of the disk cache is damaged, if its folders were made.
func sound(t *testing.T, folder string, _ ended, context string) {
	t.Helper()
	cache := filepath.Join(folder, "cache")
	if _, err := os.Stat(filepath.Join(cache, "v1", "new")); err != nil {
		return
	}
	o := tool.Run("cache", "verify", cache)
	assert.Zero(t, o.Code, "%s\n%s%s", context, o.Stdout, o.Stderr)
}

// indexed checks that the shard loads with whatever indexes there are.
func indexed(t *testing.T, folder string, _ ended, context string) {
	t.Helper()
	args := []string{"run", "images", filepath.Join(folder, "shard.tar"), "--size", "32", "--batch", "1", "--digest"}
	assert.Equal(t, clitest.Digests(tool.Done(t, args...)),
		clitest.Digests(tool.Done(t, clitest.With(args, "--index-dir", filepath.Join(folder, "indexes"))...)), context)
}

// packed checks that complete shards are those of the manifest.
func packed(t *testing.T, folder string, e ended, context string) {
	t.Helper()
	if e.code != 0 {
		return
	}
	o := tool.Run("verify", filepath.Join(folder, "shards"))
	assert.Zero(t, o.Code, "%s\n%s", context, o.Stderr)
}
