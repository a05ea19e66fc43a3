package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
)

var packKills = flag.Int("transcode-kills", 6, "how many processes that transcode are killed, for each kind of media")

// A process that is killed while it packs files that it encodes leaves whole shards, and the next one continues to the
// bytes of an undisturbed one.
func TestKilledTranscodes(t *testing.T) {
	for name, c := range map[string]struct {
		file   string
		copies int
		flags  []string
	}{
		"images": {"photos/animal/00.jpg", 120, []string{"--resize-shorter", "64", "--quality", "80"}},
		"webp": {"photos/animal/00.jpg", 60, []string{"--resize-shorter", "48", "--convert", "webp", "--format",
			"parquet"}},
		"audio": {"audio/s16.wav", 60, []string{"--kind", "audio", "--audio-codec", "flac"}},
		"video": {"video/bframes.mp4", 20, []string{"--kind", "video", "--video-codec", "mpeg4", "--resize-shorter", "32"}},
	} {
		if testing.Short() && name != "images" {
			continue // three processes or more for each
		}
		copies := short.Of(c.copies, c.copies/4)
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			data, err := os.ReadFile(filepath.Join(clitest.Media, c.file))
			require.NoError(t, err)
			for i := range copies {
				file := fmt.Sprintf("%s/from/%03d%s", folder, i, filepath.Ext(c.file))
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
				require.NoError(t, os.WriteFile(file, data, 0o600))
			}
			killPacking(t, folder+"/out", append([]string{"pack", folder + "/from", "--per-shard", fmt.Sprint(copies / 5),
				"--shuffle", "--workers", "2"}, c.flags...))
		})
	}
}

// killPacking kills processes that pack into a folder.
func killPacking(t *testing.T, folder string, args []string) {
	r, rounds, disturbed := seed.Rand(t), *packKills, 0
	if testing.Short() {
		rounds = min(rounds, 1)
	}
	began := time.Now()
	out, err := process(t, append(args, "--out", folder)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	undisturbed := time.Since(began)
	want := filesOf(t, folder)
	require.Len(t, want, 7, "shards, plan and manifest")
	require.NoError(t, os.RemoveAll(folder))
	for range rounds {
		c := process(t, append(args, "--out", folder)...)
		require.NoError(t, c.Start())
		time.Sleep(time.Duration(r.Int64N(int64(undisturbed)))) //nolint:forbidigo // any moment
		_ = c.Process.Kill()
		_ = c.Wait()
		got := filesOf(t, folder)
		for name, data := range got {
			if !strings.HasSuffix(name, ".part") && want[name] != data {
				require.Fail(t, "another file", name)
			}
		}
		if _, done := got["manifest.json"]; done {
			require.NoError(t, os.RemoveAll(folder))
		} else if len(got) > 0 {
			disturbed++
		}
	}
	t.Logf("%d of %d processes had begun and not ended", disturbed, rounds)
	out, err = process(t, append(args, "--out", folder)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.True(t, maps.Equal(want, filesOf(t, folder)))
}

// filesOf returns the contents of the files of a folder, by their names.
func filesOf(t *testing.T, folder string) map[string]string {
	names, err := filepath.Glob(folder + "/*")
	require.NoError(t, err)
	files := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		files[filepath.Base(name)] = string(data)
	}
	return files
}
