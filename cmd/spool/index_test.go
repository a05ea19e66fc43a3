package main

import (
	"os"
	"path/filepath"
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
