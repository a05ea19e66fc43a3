package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// media for runs: a folder of each kind, without the files that are there to be bad.
func folderOf(t testing.TB, kind string, names ...string) string {
	t.Helper()
	files := map[string]string{}
	for _, name := range names {
		files["class/"+name] = kind + "/" + name
	}
	return link(t, files)
}

func someVideos(t testing.TB) string {
	t.Helper()
	return folderOf(t, "video", "bframes.mp4", "vfr.mp4", "opengop.mp4", "mjpeg.mov", "av1.mkv")
}

func someSounds(t testing.TB) string {
	t.Helper()
	return folderOf(t, "audio", "mp3.mp3", "aac.m4a", "s16.wav", "opus.opus", "flac.flac", "six.wav")
}

// digested are the lines of --digest of a run, and its summary.
func digested(t testing.TB, args ...string) ([]string, summary) {
	t.Helper()
	out := done(t, append([]string{"run"}, append(args, "--digest", "--json")...)...)
	lines := linesOf(out)
	return lines[:len(lines)-1], summarized(t, out)
}

// Batches are the same for any number of workers, and training draws by the seed.
func TestRunVideo(t *testing.T) {
	folder := someVideos(t)
	args := []string{"video", folder, "--frames", "3", "--size", "16", "--batch", "2"}
	want, s := digested(t, append(args, "--workers", "1")...)
	require.Len(t, want, 3)
	assert.Equal(t, []int{5, 3, 1}, []int{s.Samples, s.Batches, s.Epochs})
	got, _ := digested(t, append(args, "--workers", "8")...)
	assert.Equal(t, want, got)
	random, _ := digested(t, append(args, "--train", "--stride", "2", "--epochs", "2", "--shuffle")...)
	again, _ := digested(t, append(args, "--train", "--stride", "2", "--epochs", "2", "--shuffle", "--workers", "5")...)
	assert.Equal(t, random, again)
	other, _ := digested(t, append(args, "--train", "--stride", "2", "--epochs", "2", "--shuffle", "--seed", "1")...)
	assert.NotEqual(t, random, other)
}

// A bad file has its line, in the words of decode, and a line of the ledger when asked for.
func TestRunVideoSkipsBadFiles(t *testing.T) {
	folder := someVideos(t)
	ledger := filepath.Join(t.TempDir(), "ledger")
	args := []string{"run", "video", folder, text, "nowhere.mp4", "--frames", "2", "--size", "8", "--json"}
	o := command(args...)
	require.Equal(t, exitInput, o.code, "a name that is not there ends the listing")
	args[4] = empty
	o = command(args...)
	require.Zero(t, o.code, o.stderr)
	assert.Len(t, linesOf(o.stderr), 2)
	assert.EqualValues(t, 2, summarized(t, o.stdout).Failed)
	done(t, append(args, "--ledger", ledger)...)
	data, err := os.ReadFile(ledger)
	require.NoError(t, err)
	assert.Equal(t, 2, bytes.Count(data, []byte("\n")))
	assert.Contains(t, string(data), `"class":"not-media"`)
	o = command(append(args, "--on-error", "fail")...)
	assert.Equal(t, exitInput, o.code)
	refused(t, exitInput, []string{"spool: " + empty + ": empty: zero bytes"}, "run", "video", empty)
}

// The sheet has a clip a row.
func TestRunVideoSheet(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sheet.png")
	done(t, "run", "video", someVideos(t), "--frames", "4", "--size", "64x48", "--batch", "3", "--save-first", name, "--json")
	sheet := readPNG(t, name)
	assert.Equal(t, 4+4*(64+4), sheet.Bounds().Dx())
	assert.Equal(t, 4+3*(48+14+4), sheet.Bounds().Dy())
}

// Under the name of a video, the first batch is one: all frames of its clips.
func TestRunVideoReel(t *testing.T) {
	name := filepath.Join(t.TempDir(), "first.mp4")
	done(t, "run", "video", someVideos(t), "--frames", "4", "--size", "64x48", "--batch", "3", "--save-first", name, "--json")
	reel := decodedVideo(t, name)
	assert.Equal(t, []int{12, 48, 64, 3}, reel.shape)
	assert.InDelta(t, 1.0/8, timesOf(t, name).Duration[0], 1e-9)
	refused(t, exitUsage, []string{"spool: usage: --save-first a.mp4: a video of pictures that do not belong together; a name like sheet.png"}, "run", "images", photo, "--save-first", "a.mp4")
	refused(t, exitInput, []string{"spool: " + empty + ": empty: zero bytes"}, "run", "video", empty, "--save-first", name+".mkv")
	assert.NoFileExists(t, name+".mkv")
}

func TestRunAudio(t *testing.T) {
	folder := someSounds(t)
	fixed := []string{"audio", folder, "--duration", "0.5", "--rate", "8000", "--batch", "4"}
	want, s := digested(t, append(fixed, "--workers", "1")...)
	require.Len(t, want, 2)
	assert.Equal(t, 6, s.Samples)
	got, _ := digested(t, append(fixed, "--workers", "8")...)
	assert.Equal(t, want, got)
	random, _ := digested(t, append(fixed, "--train", "--duration", "0.05")...)
	other, _ := digested(t, append(fixed, "--train", "--duration", "0.05", "--seed", "1")...)
	assert.NotEqual(t, random, other)

	whole := []string{"audio", folder, "--rate", "8000"}
	want, s = digested(t, append(whole, "--workers", "1")...)
	require.Len(t, want, 6, "each file is a batch")
	assert.Equal(t, 6, s.Batches)
	got, _ = digested(t, append(whole, "--workers", "8")...)
	assert.Equal(t, want, got, "in the order of the files")

	o := command(append([]string{"run"}, append(fixed, text, "--on-error", "placeholder", "--json")...)...)
	require.Zero(t, o.code, o.stderr)
	assert.Equal(t, 7, summarized(t, o.stdout).Samples)
}

// The works count what peers.py counts: frames, and seconds of sound.
func TestBenchMedia(t *testing.T) {
	videos, sounds := someVideos(t)+"/*/*", someSounds(t)+"/*/*"
	frames, seconds := 0, 0.0
	for _, name := range []string{"bframes.mp4", "vfr.mp4", "opengop.mp4", "mjpeg.mov", "av1.mkv"} {
		frames += decodedVideo(t, media+"/video/"+name, "--size", "8x8").shape[0]
	}
	for _, name := range []string{"mp3.mp3", "aac.m4a", "s16.wav", "opus.opus", "flac.flac", "six.wav"} {
		seconds += float64(decodedAudio(t, media+"/audio/"+name, "--rate", "8000", "--channels", "1").shape[1]) / 8000
	}
	for _, c := range []struct {
		work, files string
		flags       string
		items       float64
	}{
		{"video", videos, "--frames 3 --size 16 --batch 32", 2 * 5 * 3},
		{"videofull", videos, "--size 16 --workers 3", 2 * float64(frames)},
		{"audio", sounds, "--rate 8000 --size 224", 2 * seconds},
	} {
		args := append([]string{"bench", c.work, "--files", c.files, "--repeat", "2"}, strings.Fields(c.flags)...)
		var b benched
		require.NoError(t, json.Unmarshal([]byte(done(t, append(args, "--json")...)), &b))
		assert.Equal(t, c.work, b.Work)
		assert.InDelta(t, c.items, b.Items, 1e-9, c.work)
		assert.True(t, b.Rate > 0 && b.TTFB > 0 && b.CPU > 0 && b.RSS > 0 && b.Wall >= b.TTFB, "%+v", b)
		assert.Contains(t, done(t, args...), c.work+": ")
		o := command("bench", c.work, "--files", text)
		assert.Equal(t, exitInput, o.code)
		assert.Len(t, linesOf(o.stderr), 1)
	}
}
