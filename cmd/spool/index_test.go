package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A shard's index serves a run, which gives the same with it.
func TestIndexShard(t *testing.T) {
	folder := t.TempDir()
	shard := filepath.Join(folder, "a.tar.gz")
	packed(t, shard, map[string][]byte{"0.jpg": content(t, "photos/animal/00.jpg"), "1.jpg": content(t, "photos/animal/01.jpg")})
	run := []string{"run", "images", shard, "--size", "16", "--digest"}
	want := digestLines(done(t, run...))
	require.Len(t, want, 1)
	index := shard + ".spoolidx"
	assert.Equal(t, shard+": "+index+"\n", done(t, "index", shard))
	assert.FileExists(t, index)
	assert.Equal(t, want, digestLines(done(t, run...)))
	assert.JSONEq(t, `{"file":"`+shard+`","index":"`+index+`"}`, done(t, "index", shard, "--json"))
	gone := filepath.Join(folder, "gone.tar")
	o := command("index", gone, shard)
	assert.Equal(t, exitInput, o.code)
	assert.Equal(t, "spool: "+gone+": not-found: no such file or directory\n", o.stderr)
	assert.Equal(t, shard+": "+index+"\n", o.stdout)
	require.NoError(t, os.WriteFile(index, []byte("no index"), 0o600))
	assert.Equal(t, want, digestLines(done(t, run...)))
}

// Of addresses the indexes lie in a folder: that of a video serves decode, that of a shard whoever reads the bucket it is uploaded to.
func TestIndexAddresses(t *testing.T) {
	s := bucket(t)
	shard, folder := filepath.Join(t.TempDir(), "a.tar"), filepath.Join(t.TempDir(), "indexes")
	packed(t, shard, map[string][]byte{"0.jpg": content(t, "photos/animal/00.jpg"), "1.jpg": content(t, "photos/animal/01.jpg")})
	data, err := os.ReadFile(shard)
	require.NoError(t, err)
	s.Put("data", "shards/a.tar", data)

	const film, tar = "s3://data/one clip.mp4", "s3://data/shards/a.tar"
	lines := linesOf(done(t, "index", film, tar, "--index-dir", folder))
	require.Len(t, lines, 2)
	assert.Regexp(t, `^`+film+`: \d+ frames, \d+ key frames: `+folder+`/one clip\.mp4-[0-9a-f]{8}\.spoolidx$`, lines[0])
	at := strings.TrimPrefix(lines[1], tar+": ")
	assert.Regexp(t, `^`+folder+`/a\.tar-[0-9a-f]{8}\.spoolidx$`, at)

	explained := func(args ...string) string {
		o := command(append([]string{"decode", "video", film, "--sample", "3", "--out", filepath.Join(folder, "out.npy"), "--explain"}, args...)...)
		require.Equal(t, exitDone, o.code, o.stderr)
		return o.stderr
	}
	assert.Contains(t, explained("--index-dir", folder), "index=saved")
	assert.NotContains(t, explained(), "index=saved")

	run := []string{"run", "images", tar, "--size", "16", "--digest"}
	want := digestLines(done(t, run...))
	data, err = os.ReadFile(at)
	require.NoError(t, err)
	s.Put("data", "shards/a.tar.spoolidx", data)
	assert.Equal(t, want, digestLines(done(t, run...)))
}

// Who may not write beside shards says where their indexes lie. Without one the headers are read, and all that lies between them.
func TestIndexDir(t *testing.T) {
	s := bucket(t)
	folder, indexes := t.TempDir(), t.TempDir()
	for kind, media := range map[string]string{"images": "photos/animal/00.jpg", "video": "video/bframes.mp4", "audio": "audio/s16.wav"} {
		members := map[string][]byte{}
		for i := range 8 {
			members[fmt.Sprintf("%d%s", i, filepath.Ext(media))], members[fmt.Sprintf("%d.other", i)] = content(t, media), make([]byte, 500_000)
		}
		shard := filepath.Join(folder, kind+".tar")
		packed(t, shard, members)
		data, err := os.ReadFile(shard)
		require.NoError(t, err)
		s.Put("data", "shards/"+kind+".tar", data)
	}
	done(t, "index", "s3://data/shards/{images,video,audio}.tar", "--index-dir", indexes)
	for _, kind := range []string{"images", "video", "audio"} {
		address := "s3://data/shards/" + kind + ".tar"
		run := func(more ...string) ([]string, int64) {
			out := done(t, append([]string{"run", kind, address, "--batch", "4", "--ignore-columns", "other", "--digest", "--json"}, more...)...)
			return digestLines(out), summarized(t, out).Remote.Bytes
		}
		want, whole := run()
		got, parts := run("--index-dir", indexes)
		assert.Equal(t, want, got, kind)
		assert.Greater(t, whole, int64(2_000_000), kind)
		assert.Less(t, parts, whole/4, kind)
	}
	tables := func(more ...string) string {
		return done(t, append([]string{"list", "s3://data/shards/images.tar", "--ignore-columns", "other"}, more...)...)
	}
	assert.Equal(t, tables(), tables("--index-dir", indexes))
}

func TestIndexAddressesFails(t *testing.T) {
	refused(t, exitUsage, []string{"spool: usage: missing --index-dir: where the index of https://h/film.mp4 goes"}, "index", photo, "https://h/film.mp4?secret")
	server, folder := files(t), t.TempDir() // of plain files, without ETags
	packed(t, filepath.Join(folder, "a.tar"), map[string][]byte{"0.jpg": content(t, "photos/animal/00.jpg")})
	for _, name := range []string{server + "/video/bframes.mp4?secret", server + "/gone.mp4?secret"} {
		o := command("index", name, media+"/video/bframes.mp4", "--index-dir", folder, "--json")
		assert.Equal(t, exitInput, o.code)
		lines := linesOf(o.stdout)
		require.Len(t, lines, 2, "the other is indexed")
		assert.Contains(t, lines[0], `"error":{"class":"`)
		assert.NotContains(t, o.stdout+o.stderr, "secret")
	}
	assert.Contains(t, command("index", server+"/video/bframes.mp4", "--index-dir", folder).stderr, ": unsupported: the server gives no ETag")
}
