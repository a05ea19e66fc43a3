package replay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/pipe"
)

// The failed samples of a run are decoded again: repaired files are good, the others fail as before.
func TestReplay(t *testing.T) {
	folder := t.TempDir()
	place := func(name, from string) string {
		data, err := os.ReadFile(filepath.Join(clitest.Media, from))
		require.NoError(t, err)
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		return path
	}
	good := place("good.jpg", "photos/animal/00.jpg")
	mended := place("mended.jpg", "hard/bad/text.jpg")
	broken := place("broken.jpg", "hard/bad/text.jpg")
	ledger := filepath.Join(folder, "ledger.jsonl")
	o := tool.Run("run", "images", folder, "--epochs", "2", "--ledger", ledger)
	require.Zero(t, o.Code, o.Stderr)

	place("mended.jpg", "photos/animal/01.jpg")
	left := filepath.Join(folder, "left.jsonl")
	o = tool.Run("replay", ledger, "--ledger", left, "--json")
	assert.Equal(t, 1, o.Code)
	assert.Empty(t, o.Stderr)
	assert.JSONEq(t, `{"files":2,"good":1,"failed":1}`, o.Stdout, "each file once; %s was never bad", good)
	text, err := os.ReadFile(left)
	require.NoError(t, err)
	var f pipe.Failure
	require.NoError(t, json.Unmarshal(text, &f))
	assert.Equal(t, pipe.Failure{ID: f.ID, File: broken, Stage: "decode", Class: "not-media", Text: f.Text, Attempts: 1,
		Action: "skip"}, f)

	o = tool.Run("replay", ledger)
	assert.Equal(t, clitest.Outcome{Code: 1, Stdout: "2 files: 1 are good now, 1 still fail\n",
		Stderr: "spool: " + broken + ": not-media: " + f.Text + "\n"}, o)
	place("broken.jpg", "photos/animal/02.jpg")
	assert.Equal(t, "2 files: 2 are good now, 0 still fail\n", tool.Done(t, "replay", ledger))
	assert.Equal(t, "2 files: 2 are good now, 0 still fail\n", tool.Done(t, "replay", ledger, "--workers", "1"))
	require.NoError(t, os.Remove(mended))
	assert.Contains(t, tool.Run("replay", ledger).Stderr, mended+": not-found")
}

// Video and audio are decoded to their ends.
func TestReplayMedia(t *testing.T) {
	ledger := filepath.Join(t.TempDir(), "ledger.jsonl")
	var lines strings.Builder
	for _, name := range []string{"video/bframes.mp4", "audio/flac.flac", "audio/mp3.mp3", "hard/good/s420.jpg"} {
		text, err := json.Marshal(pipe.Failure{File: filepath.Join(clitest.Media, name)})
		require.NoError(t, err)
		lines.Write(append(text, '\n'))
	}
	require.NoError(t, os.WriteFile(ledger, []byte(lines.String()), 0o600))
	assert.JSONEq(t, `{"files":4,"good":4,"failed":0}`, tool.Done(t, "replay", ledger, "--json"))

	bad := filepath.Join(t.TempDir(), "bad.jsonl")
	o := tool.Run("run", "video", clitest.Media+"/video/damaged.mp4", clitest.Media+"/video/noindex.mp4", clitest.Clip,
		"--size", "16", "--ledger", bad)
	require.Zero(t, o.Code, o.Stderr)
	o = tool.Run("replay", bad, "--json")
	assert.Equal(t, 1, o.Code)
	assert.JSONEq(t, `{"files":2,"good":0,"failed":2}`, o.Stdout)
	assert.Len(t, clitest.Lines(o.Stderr), 2)
}

// Samples in shards are decoded in place, whatever their kind. For a damaged shard, the damage is looked for again.
func TestReplayShards(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.tar", "b.tar.gz"} {
		t.Run(name, func(t *testing.T) {
			shard, ledger := filepath.Join(folder, name), filepath.Join(folder, name+".ledger")
			members := map[string][]byte{"0.jpg": clitest.Content(t, "photos/animal/00.jpg"),
				"1.jpg": clitest.Content(t, "hard/bad/truncated60.jpg"), "2.jpg": clitest.Content(t, "hard/bad/text.jpg"),
				"2.mp3": clitest.Content(t, "audio/mp3.mp3")}
			clitest.Pack(t, shard, members)
			whole, err := os.ReadFile(shard)
			require.NoError(t, err)
			o := tool.Run("run", "images", shard, "--ledger", ledger)
			require.Zero(t, o.Code, o.Stderr)
			o = tool.Run("replay", ledger)
			assert.Equal(t, "2 files: 0 are good now, 2 still fail\n", o.Stdout)
			assert.Contains(t, o.Stderr, "spool: "+shard+"/1.jpg: truncated: ")
			assert.Contains(t, o.Stderr, "spool: "+shard+"/2.jpg: not-media: ")
			members["1.jpg"] = clitest.Content(t, "photos/animal/01.jpg")
			clitest.Pack(t, shard, members)
			assert.JSONEq(t, `{"files":2,"good":1,"failed":1}`, tool.Run("replay", ledger, "--json").Stdout)

			require.NoError(t, os.WriteFile(shard, whole[:len(whole)/2], 0o600))
			o = tool.Run("run", "images", shard, "--ledger", ledger)
			require.LessOrEqual(t, o.Code, 1, o.Stderr)
			text, err := os.ReadFile(ledger)
			require.NoError(t, err)
			require.Contains(t, string(text), `"file":"`+shard+`",`)
			assert.Contains(t, tool.Run("replay", ledger).Stderr, "spool: "+shard+": truncated: ")
			members["2.jpg"] = clitest.Content(t, "photos/animal/02.jpg")
			clitest.Pack(t, shard, members)
			o = tool.Run("replay", ledger)
			assert.Zero(t, o.Code, o.Stderr)
		})
	}
}

func TestReplayRefuses(t *testing.T) {
	folder := t.TempDir()
	tool.Refused(t, 1, []string{"spool: " + folder + "/none: not-found: no such file or directory"}, "replay",
		folder+"/none")
	o := tool.Run("replay", clitest.Text)
	assert.Equal(t, 1, o.Code)
	assert.Regexp(t, "^spool: .*text.jpg: corrupt: no column of the manifest is called file, ", o.Stderr)
	tool.Refused(t, 2, []string{"spool: usage: --workers 0: must be a number from 1 to 1024, or auto for all cores",
		"spool: usage: spool replay: missing argument: the ledger, as run --ledger writes it"}, "replay", "--workers", "0")
	empty := filepath.Join(folder, "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	assert.Equal(t, "0 files: 0 are good now, 0 still fail\n", tool.Done(t, "replay", empty))
}

// Linux allows any bytes in names. Those of a ledger name the files nevertheless.
func TestReplayNamesOfAnyBytes(t *testing.T) {
	folder := t.TempDir()
	photo := clitest.Content(t, "photos/animal/00.jpg")
	for _, name := range []string{"good.jpg", "\xff\xfe.jpg", "\xe9t\xe9 \xf0\x9f.jpg"} {
		data := photo
		if name != "good.jpg" {
			data = photo[:20]
		}
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			need.Skip(t, need.System, "this file system has only names of UTF-8: %v", err)
		}
	}
	ledger := filepath.Join(folder, "ledger.jsonl")
	o := tool.Run("run", "images", folder, "--ledger", ledger)
	require.Zero(t, o.Code, o.Stderr)
	left := filepath.Join(folder, "left.jsonl")
	assert.JSONEq(t, `{"files":2,"good":0,"failed":2}`, tool.Run("replay", ledger, "--json", "--ledger", left).Stdout)
	text, err := os.ReadFile(left)
	require.NoError(t, err)
	assert.Contains(t, string(text), `/\udcff\udcfe.jpg"`, "as Python's os.fsdecode has it")
	assert.NotContains(t, string(text), "not-found")
	for _, name := range []string{"\xff\xfe.jpg", "\xe9t\xe9 \xf0\x9f.jpg"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), photo, 0o600))
	}
	assert.JSONEq(t, `{"files":2,"good":2,"failed":0}`, tool.Done(t, "replay", ledger, "--json"))
}
