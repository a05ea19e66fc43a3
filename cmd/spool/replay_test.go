package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/pipe"
)

// What a run failed on is decoded again: files that were mended are good, the others fail as they did.
func TestReplay(t *testing.T) {
	folder := t.TempDir()
	place := func(name, from string) string {
		data, err := os.ReadFile(filepath.Join(media, from))
		require.NoError(t, err)
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	good := place("good.jpg", "photos/animal/00.jpg")
	mended := place("mended.jpg", "hard/bad/text.jpg")
	broken := place("broken.jpg", "hard/bad/text.jpg")
	ledger := filepath.Join(folder, "ledger.jsonl")
	o := command("run", "images", folder, "--epochs", "2", "--ledger", ledger)
	require.Zero(t, o.code, o.stderr)

	place("mended.jpg", "photos/animal/01.jpg")
	left := filepath.Join(folder, "left.jsonl")
	o = command("replay", ledger, "--ledger", left, "--json")
	assert.Equal(t, 1, o.code)
	assert.Empty(t, o.stderr)
	assert.JSONEq(t, `{"files":2,"good":1,"failed":1}`, o.stdout, "each file once; %s was never bad", good)
	text, err := os.ReadFile(left)
	require.NoError(t, err)
	var f pipe.Failure
	require.NoError(t, json.Unmarshal(text, &f))
	assert.Equal(t, pipe.Failure{ID: f.ID, File: broken, Stage: "decode", Class: "not-media", Text: f.Text, Attempts: 1, Action: "skip"}, f)

	o = command("replay", ledger)
	assert.Equal(t, outcome{1, "2 files: 1 are good now, 1 still fail\n", "spool: " + broken + ": not-media: " + f.Text + "\n"}, o)
	place("broken.jpg", "photos/animal/02.jpg")
	assert.Equal(t, "2 files: 2 are good now, 0 still fail\n", done(t, "replay", ledger))
	assert.Equal(t, "2 files: 2 are good now, 0 still fail\n", done(t, "replay", ledger, "--workers", "1"))
	require.NoError(t, os.Remove(mended))
	assert.Contains(t, command("replay", ledger).stderr, mended+": not-found")
}

// Video and sound are decoded to their ends.
func TestReplayMedia(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "ledger.jsonl")
	var lines strings.Builder
	for _, name := range []string{"video/bframes.mp4", "audio/flac.flac", "audio/mp3.mp3", "hard/good/s420.jpg"} {
		text, err := json.Marshal(pipe.Failure{File: filepath.Join(media, name)})
		require.NoError(t, err)
		lines.Write(append(text, '\n'))
	}
	require.NoError(t, os.WriteFile(ledger, []byte(lines.String()), 0o600))
	assert.JSONEq(t, `{"files":4,"good":4,"failed":0}`, done(t, "replay", ledger, "--json"))

	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	o := command("run", "video", media+"/video/damaged.mp4", media+"/video/noindex.mp4", clip, "--size", "16", "--ledger", bad)
	require.Zero(t, o.code, o.stderr)
	o = command("replay", bad, "--json")
	assert.Equal(t, 1, o.code)
	assert.JSONEq(t, `{"files":2,"good":0,"failed":2}`, o.stdout)
	assert.Len(t, linesOf(o.stderr), 2)
}

// Samples within shards are decoded where they lie, whatever their kind, and what is wrong with a shard itself is looked
// for in it again.
func TestReplayShards(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.tar", "b.tar.gz"} {
		t.Run(name, func(t *testing.T) {
			shard, ledger := filepath.Join(folder, name), filepath.Join(folder, name+".ledger")
			members := map[string][]byte{"0.jpg": content(t, "photos/animal/00.jpg"), "1.jpg": content(t, "hard/bad/truncated60.jpg"), "2.jpg": content(t, "hard/bad/text.jpg"), "2.mp3": content(t, "audio/mp3.mp3")}
			packed(t, shard, members)
			whole, err := os.ReadFile(shard)
			require.NoError(t, err)
			o := command("run", "images", shard, "--ledger", ledger)
			require.Zero(t, o.code, o.stderr)
			o = command("replay", ledger)
			assert.Equal(t, "2 files: 0 are good now, 2 still fail\n", o.stdout)
			assert.Contains(t, o.stderr, "spool: "+shard+"/1.jpg: truncated: ")
			assert.Contains(t, o.stderr, "spool: "+shard+"/2.jpg: not-media: ")
			members["1.jpg"] = content(t, "photos/animal/01.jpg")
			packed(t, shard, members)
			assert.JSONEq(t, `{"files":2,"good":1,"failed":1}`, command("replay", ledger, "--json").stdout)

			require.NoError(t, os.WriteFile(shard, whole[:len(whole)/2], 0o600))
			o = command("run", "images", shard, "--ledger", ledger)
			require.LessOrEqual(t, o.code, 1, o.stderr)
			text, err := os.ReadFile(ledger)
			require.NoError(t, err)
			require.Contains(t, string(text), `"file":"`+shard+`",`)
			assert.Contains(t, command("replay", ledger).stderr, "spool: "+shard+": truncated: ")
			members["2.jpg"] = content(t, "photos/animal/02.jpg")
			packed(t, shard, members)
			o = command("replay", ledger)
			assert.Zero(t, o.code, o.stderr)
		})
	}
}

func TestReplayRefuses(t *testing.T) {
	folder := t.TempDir()
	refused(t, 1, []string{"spool: " + folder + "/none: not-found: no such file or directory"}, "replay", folder+"/none")
	o := command("replay", text)
	assert.Equal(t, 1, o.code)
	assert.Regexp(t, "^spool: .*text.jpg: corrupt: no column of the manifest is called file, ", o.stderr)
	refused(t, 2, []string{"spool: usage: --workers 0: a number from 1 to 1024, or auto for all cores", "spool: usage: spool replay: missing argument: the ledger, as run --ledger writes it"}, "replay", "--workers", "0")
	empty := filepath.Join(folder, "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	assert.Equal(t, "0 files: 0 are good now, 0 still fail\n", done(t, "replay", empty))
}
