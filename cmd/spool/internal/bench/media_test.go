package bench

import (
	"encoding/json"
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
)

func TestBenchImages(t *testing.T) {
	glob := clitest.Media + "/photos/*/*.jpg"
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "bench", "images", "--files", glob, "--repeat", "3", "--size",
		"32", "--json")), &line))
	assert.Equal(t, []string{"cpu_ms", "faults", "items", "out_kb", "peer", "profile", "rate", "read_kb", "rss_mb",
		"ttfb_s", "wall_s", "work"}, slices.Sorted(maps.Keys(line)))
	assert.InDelta(t, 3*32*32/1024., line["out_kb"], 1e-9)
	assert.InEpsilon(t, float64(sizes(t, glob))/44/1024, line["read_kb"], 0.2, "each file is read once in each pass")
	assert.Equal(t, []any{"images", "spool", 132.0, "exact"},
		[]any{line["work"], line["peer"], line["items"], line["profile"]})
	for _, key := range []string{"rate", "ttfb_s", "cpu_ms", "rss_mb", "wall_s"} {
		assert.Positive(t, line[key], key)
	}
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "bench", "images", "--files", clitest.Photo, "--files",
		clitest.Media+"/photos/animal/*.jpg", "--json")), &line))
	assert.Equal(t, 8.0+1, line["items"], "a second glob adds, and a file may come twice")
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "bench", "images", "--files", clitest.Photo, clitest.Photo,
		clitest.Photo, "--json")), &line))
	assert.Equal(t, 3.0, line["items"], "as a shell leaves it")
	assert.Contains(t, tool.Done(t, "bench", "images", "--files", clitest.Photo, "--size", "32x16"), "images: 1 items, ")
	tool.Refused(t, cli.ExitInput, []string{"spool: nowhere/*: not-found: nothing matches this pattern"}, "bench",
		"images", "--files", "nowhere/*")
	tool.Refused(t, cli.ExitInput, []string{"spool: " + clitest.Empty + ": empty: zero bytes"}, "bench", "images",
		"--files", clitest.Photo, "--files", clitest.Empty)
}

// sizes returns the bytes of files.
func sizes(t *testing.T, glob string) (total int64) {
	t.Helper()
	files, err := filepath.Glob(glob)
	require.NoError(t, err)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		total += info.Size()
	}
	return total
}

// The commands count what peers.py counts: frames, and seconds of audio.
func TestBenchMedia(t *testing.T) {
	videos, audios := clitest.SomeVideos(t)+"/*/*", clitest.SomeAudio(t)+"/*/*"
	frames, seconds := 0, 0.0
	for _, name := range []string{"bframes.mp4", "vfr.mp4", "opengop.mp4", "mjpeg.mov", "av1.mkv"} {
		frames += tool.Decoded(t, "video", clitest.Media+"/video/"+name, "--size", "8x8").Shape[0]
	}
	for _, name := range []string{"mp3.mp3", "aac.m4a", "s16.wav", "opus.opus", "flac.flac", "six.wav"} {
		seconds += float64(tool.Decoded(t, "audio", clitest.Media+"/audio/"+name, "--rate", "8000", "--channels",
			"1").Shape[1]) / 8000
	}
	for _, c := range []struct {
		work, files string
		flags       string
		items       float64
	}{
		{"video", videos, "--frames 3 --size 16 --batch 32", 2 * 5 * 3},
		{"videofull", videos, "--size 16 --workers 3", 2 * float64(frames)},
		{"audio", audios, "--rate 8000 --size 224", 2 * seconds},
	} {
		args := append([]string{"bench", c.work, "--files", c.files, "--repeat", "2"}, strings.Fields(c.flags)...)
		var b benched
		require.NoError(t, json.Unmarshal([]byte(tool.Done(t, append(args, "--json")...)), &b))
		assert.Equal(t, c.work, b.Work)
		assert.InDelta(t, c.items, b.Items, 1e-9, c.work)
		assert.True(t, b.Rate > 0 && b.TTFB > 0 && b.CPU > 0 && b.RSS > 0 && b.Wall >= b.TTFB, "%+v", b)
		assert.Contains(t, tool.Done(t, args...), c.work+": ")
		o := tool.Run("bench", c.work, "--files", clitest.Text)
		assert.Equal(t, cli.ExitInput, o.Code)
		assert.Len(t, clitest.Lines(o.Stderr), 1)
	}
}
