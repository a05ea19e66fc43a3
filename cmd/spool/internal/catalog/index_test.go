package catalog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// A shard's index serves a run, with the same result.
func TestIndexShard(t *testing.T) {
	folder := t.TempDir()
	shard := filepath.Join(folder, "a.tar.gz")
	clitest.Pack(t, shard, map[string][]byte{"0.jpg": clitest.Content(t, "photos/animal/00.jpg"),
		"1.jpg": clitest.Content(t, "photos/animal/01.jpg")})
	run := []string{"run", "images", shard, "--size", "16", "--digest"}
	want := clitest.Digests(tool.Done(t, run...))
	require.Len(t, want, 1)
	index := shard + ".spoolidx"
	assert.Equal(t, shard+": "+index+"\n", tool.Done(t, "index", shard))
	assert.FileExists(t, index)
	assert.Equal(t, want, clitest.Digests(tool.Done(t, run...)))
	assert.JSONEq(t, `{"file":"`+shard+`","index":"`+index+`"}`, tool.Done(t, "index", shard, "--json"))
	gone := filepath.Join(folder, "gone.tar")
	o := tool.Run("index", gone, shard)
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Equal(t, "spool: "+gone+": not-found: no such file or directory\n", o.Stderr)
	assert.Equal(t, shard+": "+index+"\n", o.Stdout)
	require.NoError(t, os.WriteFile(index, []byte("no index"), 0o600))
	assert.Equal(t, want, clitest.Digests(tool.Done(t, run...)))
}

// Indexes of remote files are in a folder. That of a video serves decode; that of a shard serves all readers of the
// bucket to which it is uploaded.
func TestIndexURLs(t *testing.T) {
	s := clitest.Bucket(t)
	shard, folder := filepath.Join(t.TempDir(), "a.tar"), filepath.Join(t.TempDir(), "indexes")
	clitest.Pack(t, shard, map[string][]byte{"0.jpg": clitest.Content(t, "photos/animal/00.jpg"),
		"1.jpg": clitest.Content(t, "photos/animal/01.jpg")})
	data, err := os.ReadFile(shard)
	require.NoError(t, err)
	s.Put("data", "shards/a.tar", data)

	const clip, tar = "s3://data/one clip.mp4", "s3://data/shards/a.tar"
	lines := clitest.Lines(tool.Done(t, "index", clip, tar, "--index-dir", folder))
	require.Len(t, lines, 2)
	assert.Regexp(t, `^`+clip+`: \d+ frames, \d+ key frames: `+folder+`/one clip\.mp4-[0-9a-f]{8}\.spoolidx$`, lines[0])
	at := strings.TrimPrefix(lines[1], tar+": ")
	assert.Regexp(t, `^`+folder+`/a\.tar-[0-9a-f]{8}\.spoolidx$`, at)

	explained := func(args ...string) string {
		o := tool.Run(append([]string{"decode", "video", clip, "--sample", "3", "--out", filepath.Join(folder, "out.npy"),
			"--explain"}, args...)...)
		require.Equal(t, cli.ExitDone, o.Code, o.Stderr)
		return o.Stderr
	}
	assert.Contains(t, explained("--index-dir", folder), "index=saved")
	assert.NotContains(t, explained(), "index=saved")

	run := []string{"run", "images", tar, "--size", "16", "--digest"}
	want := clitest.Digests(tool.Done(t, run...))
	data, err = os.ReadFile(at)
	require.NoError(t, err)
	s.Put("data", "shards/a.tar.spoolidx", data)
	assert.Equal(t, want, clitest.Digests(tool.Done(t, run...)))
}

// Readers who may not write next to shards name the folder of the indexes. Without an index, the headers and all bytes
// between them are read.
func TestIndexDir(t *testing.T) {
	s := clitest.Bucket(t)
	folder, indexes := t.TempDir(), t.TempDir()
	for kind, media := range map[string]string{"images": "photos/animal/00.jpg", "video": "video/bframes.mp4",
		"audio": "audio/s16.wav"} {
		members := map[string][]byte{}
		for i := range 8 {
			members[fmt.Sprintf("%d%s", i, filepath.Ext(media))], members[fmt.Sprintf("%d.other", i)] = clitest.Content(t,
				media), make([]byte, 500_000)
		}
		shard := filepath.Join(folder, kind+".tar")
		clitest.Pack(t, shard, members)
		data, err := os.ReadFile(shard)
		require.NoError(t, err)
		s.Put("data", "shards/"+kind+".tar", data)
	}
	tool.Done(t, "index", "s3://data/shards/{images,video,audio}.tar", "--index-dir", indexes)
	for _, kind := range []string{"images", "video", "audio"} {
		url := "s3://data/shards/" + kind + ".tar"
		run := func(more ...string) ([]string, int64) {
			out := tool.Done(t, append([]string{"run", kind, url, "--batch", "4", "--ignore-columns", "other", "--digest",
				"--json"}, more...)...)
			return clitest.Digests(out), clitest.Summarized(t, out).Remote.Bytes
		}
		want, whole := run()
		got, parts := run("--index-dir", indexes)
		assert.Equal(t, want, got, kind)
		assert.Greater(t, whole, int64(2_000_000), kind)
		assert.Less(t, parts, whole/4, kind)
	}
	tables := func(more ...string) string {
		return tool.Done(t, append([]string{"list", "s3://data/shards/images.tar", "--ignore-columns", "other"}, more...)...)
	}
	assert.Equal(t, tables(), tables("--index-dir", indexes))
}

func TestIndexURLsFails(t *testing.T) {
	tool.Refused(t, cli.ExitUsage,
		[]string{"spool: usage: missing --index-dir: the folder for the index of https://h/video.mp4"}, "index",
		clitest.Photo, "https://h/video.mp4?secret")
	server, folder := clitest.Served(t), t.TempDir() // of plain files, without ETags
	clitest.Pack(t, filepath.Join(folder, "a.tar"), map[string][]byte{"0.jpg": clitest.Content(t, "photos/animal/00.jpg")})
	for _, name := range []string{server + "/video/bframes.mp4?secret", server + "/gone.mp4?secret"} {
		o := tool.Run("index", name, clitest.Media+"/video/bframes.mp4", "--index-dir", folder, "--json")
		assert.Equal(t, cli.ExitInput, o.Code)
		lines := clitest.Lines(o.Stdout)
		require.Len(t, lines, 2, "the other is indexed")
		assert.Contains(t, lines[0], `"error":{"class":"`)
		assert.NotContains(t, o.Stdout+o.Stderr, "secret")
	}
	assert.Contains(t, tool.Run("index", server+"/video/bframes.mp4", "--index-dir", folder).Stderr,
		": unsupported: the server gives no ETag")
}

// A saved index is used until the file has changed.
func TestIndex(t *testing.T) {
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "clip.mp4"), filepath.Join(dir, "indexes")
	data, err := os.ReadFile(clitest.Clip)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	explained := func(flags ...string) string {
		o := tool.Run(append([]string{"decode", "video", file, "--frames", "5,2", "--out", os.DevNull, "--explain"},
			flags...)...)
		require.Zero(t, o.Code, o.Stderr)
		return o.Stderr
	}
	require.Contains(t, explained(), " index=scanned ")
	for _, flags := range [][]string{nil, {"--index-dir", folder}} {
		var line indexed
		require.NoError(t, json.Unmarshal([]byte(tool.Done(t, append([]string{"index", "--json", file}, flags...)...)),
			&line))
		require.FileExists(t, line.Index)
		require.Equal(t, file, string(line.File))
		require.Equal(t, tool.Decoded(t, "video", clitest.Clip).Shape[0], line.Frames)
		require.Positive(t, line.Keys)
		require.Positive(t, line.Duration)
		require.Contains(t, explained(flags...), " index=saved ")
		require.Equal(t, tool.Decoded(t, "video", clitest.Clip, "--frames", "5,2"),
			tool.Decoded(t, "video", file, append(flags, "--frames", "5,2")...))
	}
	require.NoError(t, os.Chtimes(file, time.Time{}, time.Unix(1e9, 0)))
	require.Contains(t, explained(), " index=scanned ")

	o := tool.Run("index", "--json", "nowhere.mp4", clitest.Clip, "--index-dir", folder)
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Equal(t, []string{"spool: nowhere.mp4: not-found: no such file or directory"}, clitest.Lines(o.Stderr))
	lines := clitest.Lines(o.Stdout)
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], `"error":{"class":"not-found"`)
	assert.Contains(t, tool.Done(t, "index", clitest.Clip, "--index-dir", folder), " key frames: ")
}
