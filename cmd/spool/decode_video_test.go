package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
)

const clip = media + "/video/bframes.mp4"

// decodedVideo is what decode video makes of a file.
func decodedVideo(t testing.TB, file string, flags ...string) array {
	t.Helper()
	return readNPY(t, []byte(done(t, append([]string{"decode", "video", file, "--out", "-"}, flags...)...)))
}

// frame is frame n of an array of them.
func (a array) frame(n int) []byte {
	size := len(a.data) / a.shape[0]
	return a.data[n*size : (n+1)*size]
}

// pick are the frames of an array with these numbers.
func (a array) pick(frames ...int) (data []byte) {
	for _, n := range frames {
		data = append(data, a.frame(n)...)
	}
	return data
}

// All frames, at own size, are those of the ffmpeg command.
func TestDecodeVideoIsFFmpegs(t *testing.T) {
	need.Command(t, "ffmpeg")
	for _, name := range []string{"bframes.mp4", "vfr.mp4", "opengop.mp4", "edited.mp4", "bframes.ts"} {
		file := filepath.Join(media, "video", name)
		want, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", file, "-map", "0:v:0", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-").Output()
		require.NoError(t, err)
		got := decodedVideo(t, file)
		require.Equal(t, []int{3}, got.shape[3:])
		assert.Equal(t, want, got.data, "%s: %v", name, got.shape)
	}
}

// The frames that torchcodec gave of the wider collection, and all their times.
func TestDecodeVideoOfSharedMedia(t *testing.T) {
	const expected = shared + "/expected"
	file, err := os.ReadFile(need.Media(t, "expected/index.json"))
	require.NoError(t, err)
	var all map[string]struct {
		PTS    []float64 `json:"pts"`
		At     []int     `json:"frames_at"`
		Stride int       `json:"stride"`
		NPY    string    `json:"frames_npy"`
	}
	require.NoError(t, json.Unmarshal(file, &all))
	tested := 0
	for name, want := range all {
		if want.NPY == "" {
			continue
		}
		frames := strings.Trim(strings.ReplaceAll(fmt.Sprint(want.At), " ", ","), "[]")
		got, reference := decodedVideo(t, filepath.Join(shared, name), "--frames", frames), readFile(t, filepath.Join(expected, want.NPY))
		require.Len(t, want.At, got.shape[0])
		h, w := got.shape[1], got.shape[2]
		sum, samples := 0.0, 0
		for n := range got.shape[0] {
			for y := 0; y < h; y += want.Stride {
				for x := 0; x < w; x += want.Stride {
					for c := range 3 {
						sum += max(float64(got.data[((n*h+y)*w+x)*3+c]), float64(reference.data[samples])) - min(float64(got.data[((n*h+y)*w+x)*3+c]), float64(reference.data[samples]))
						samples++
					}
				}
			}
		}
		require.Len(t, reference.data, samples, name)
		assert.LessOrEqual(t, sum/float64(samples), 1.0, name)
		if !strings.Contains(name, "10bit") {
			assert.Zero(t, sum, name)
		}
		times := timesOf(t, filepath.Join(shared, name), "--size", "8x8")
		assert.InDeltaSlice(t, want.PTS, times.PTS, 1e-6, name)
		tested++
	}
	require.Greater(t, tested, 20)
}

// timesOf is what --pts-out has of a file.
func timesOf(t testing.TB, file string, flags ...string) (times frameTimes) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pts.json")
	done(t, append([]string{"decode", "video", file, "--out", os.DevNull, "--pts-out", name}, flags...)...)
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &times))
	return times
}

// Frame n is the same frame however it is asked for, and its time comes with it.
func TestDecodeVideoChoices(t *testing.T) {
	all, times := decodedVideo(t, clip), timesOf(t, clip)
	n := all.shape[0]
	require.Len(t, times.Index, n)
	require.True(t, slices.IsSorted(times.PTS))
	at := func(k int, part float64) string { return fmt.Sprint(times.PTS[k] + part*times.Duration[k]) }
	for _, c := range []struct {
		flags  []string
		frames []int
	}{
		{[]string{"--frames", "3"}, []int{3}},
		{[]string{"--frames", "9,1,1,0"}, []int{9, 1, 1, 0}},
		{[]string{"--range", "2:9:3"}, []int{2, 5, 8}},
		{[]string{"--range", "4:6"}, []int{4, 5}},
		{[]string{"--times", at(7, 0.5) + "," + at(2, 0)}, []int{7, 2}},
		{[]string{"--start", at(5, 0), "--end", at(8, 0)}, []int{5, 6, 7}},
		{[]string{"--start", at(n-2, 0)}, []int{n - 2, n - 1}},
		{[]string{"--end", at(1, 0.5)}, []int{0, 1}},
		{[]string{"--start", at(5, 0.1), "--end", at(5, 0.9)}, nil},
		{[]string{"--sample", "3"}, []int{n / 6, n / 2, 5 * n / 6}},
	} {
		got := decodedVideo(t, clip, c.flags...)
		assert.Equal(t, append([]int{len(c.frames)}, all.shape[1:]...), got.shape, c.flags)
		assert.True(t, bytes.Equal(all.pick(c.frames...), got.data), c.flags)
		if len(c.frames) > 0 {
			chosen := timesOf(t, clip, c.flags...)
			assert.Equal(t, c.frames, chosen.Index, c.flags)
			assert.InDelta(t, times.PTS[c.frames[0]], chosen.PTS[0], 0)
		}
	}
}

func TestDecodeVideoShapes(t *testing.T) {
	for _, c := range []struct {
		flags []string
		shape []int
		dtype string
	}{
		{[]string{"--size", "20x10"}, []int{2, 10, 20, 3}, "|u1"},
		{[]string{"--layout", "nchw", "--dtype", "float32", "--mean", "0.5", "--std", "0.25"}, []int{2, 3, 48, 64}, "<f4"},
		{[]string{"--color", "gray", "--crop", "5x7", "--dtype", "float16"}, []int{2, 7, 5, 1}, "<f2"},
		{[]string{"--resize-shorter", "24", "--profile", "fast"}, []int{2, 24, 32, 3}, "|u1"},
	} {
		got := decodedVideo(t, clip, append(c.flags, "--frames", "0,4")...)
		assert.Equal(t, c.shape, got.shape, c.flags)
		assert.Equal(t, c.dtype, got.dtype, c.flags)
	}
	turned, stored := decodedVideo(t, media+"/video/turned.mp4", "--frames", "0"), decodedVideo(t, media+"/video/turned.mp4", "--frames", "0", "--orient=false")
	assert.Equal(t, []int{1, stored.shape[2], stored.shape[1], 3}, turned.shape)
}

// What is wrong is told in a line with its class, and nothing is left at --out.
func TestDecodeVideoRefuses(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.npy")
	n := decodedVideo(t, clip, "--size", "8x8").shape[0]
	for _, c := range []struct{ file, flags, line string }{
		{clip, fmt.Sprint("--frames ", n), fmt.Sprintf("no-such-frame: there is no frame %d: the video has %d", n, n)},
		{clip, fmt.Sprintf("--range 0:%d", n+5), fmt.Sprintf("no-such-frame: there are no frames up to %d: the video has %d", n+5, n)},
		{clip, "--times 1e6", "no-such-frame: "},
		{clip, "--stream 7", "no-such-frame: there is no stream 7: the file has 1"},
		{clip, "--max-pixels 10", "too-large: "},
		{"nowhere.mp4", "", "not-found: no such file or directory"},
		{dir, "", "not-a-file: "},
		{media + "/hard/bad/empty.jpg", "", "empty: "},
		{media + "/hard/bad/text.jpg", "", "not-media: "},
		{photo, "", ""},
	} {
		o := command(append([]string{"decode", "video", c.file, "--out", out}, strings.Fields(c.flags)...)...)
		assert.Equal(t, exitInput, o.code, "%s %s", c.file, c.flags)
		assert.Len(t, linesOf(o.stderr), 1, o.stderr)
		assert.True(t, strings.HasPrefix(o.stderr, "spool: "+c.file+": "+c.line), o.stderr)
		assert.Empty(t, o.stdout)
		assert.NoFileExists(t, out)
	}
	refused(t, exitInput, []string{"spool: " + dir + ": not-a-file: a directory, where a file is to be written"}, "decode", "video", clip, "--out", dir)
}

// Damage is an error unless the call says what is to become of it.
func TestDecodeVideoOnDamage(t *testing.T) {
	const damaged = media + "/video/damaged.mp4"
	out := filepath.Join(t.TempDir(), "out.npy")
	o := command("decode", "video", damaged, "--out", out)
	assert.Equal(t, exitInput, o.code)
	assert.Regexp(t, "^spool: "+regexp.QuoteMeta(damaged)+": (corrupt|truncated): ", o.stderr)
	assert.NoFileExists(t, out)
	whole := decodedVideo(t, clip).shape[0]
	assert.Equal(t, whole, decodedVideo(t, damaged, "--on-damage", "repeat").shape[0])
	done(t, "decode", "video", damaged, "--on-damage", "skip", "--out", out)
	skipped := readFile(t, out)
	assert.LessOrEqual(t, skipped.shape[0], whole)
	assert.Equal(t, skipped, decodedVideo(t, damaged, "--on-damage", "skip"), "stdout cannot be gone back in")
	assert.Len(t, timesOf(t, damaged, "--on-damage", "skip").Index, skipped.shape[0])
}

// Planes are those of the ffmpeg command, and go with nothing that makes pixels.
func TestDecodeVideoPlanes(t *testing.T) {
	need.Command(t, "ffmpeg")
	for _, c := range []struct{ file, planes, dtype, format, descr string }{
		{"bframes.mp4", "planar", "uint8", "yuv420p", "|u1"}, {"bframes.mp4", "pairs", "uint8", "nv12", "|u1"},
		{"deep.mp4", "planar", "uint16", "yuv420p10le", "<u2"}, {"deep.mp4", "pairs", "uint16", "p010le", "<u2"},
	} {
		file := filepath.Join(media, "video", c.file)
		want, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", c.format, "-").Output()
		require.NoError(t, err)
		got := decodedVideo(t, file, "--planes", c.planes, "--dtype", c.dtype)
		assert.Equal(t, []int{25, 72, 64}, got.shape)
		assert.Equal(t, c.descr, got.dtype)
		assert.True(t, bytes.Equal(want, got.data), "%+v", c)
		o := command("decode", "video", file, "--planes", c.planes, "--dtype", c.dtype, "--out", os.DevNull, "--explain")
		assert.Contains(t, o.stderr, " matrix=2 range=limited shape=[25,72,64] ")
	}
	refused(t, exitUsage, []string{
		"spool: usage: planes come at their own size, without resizing, cropping or flipping",
		"spool: usage: planes have no colours or channels to choose",
		"spool: usage: planes are filled with gray",
	}, "decode", "video", clip, "--planes", "planar", "--size", "8x8", "--color", "bgr", "--fill", "#000000", "--out", os.DevNull)
}

// A file that breaks off gives the frames that it has, and says where it ends.
func TestDecodeVideoThatBreaksOff(t *testing.T) {
	for _, name := range []string{"truncated.mp4", "truncated.ts"} {
		file := filepath.Join(media, "video", name)
		pts := filepath.Join(t.TempDir(), "pts.json")
		o := command("decode", "video", file, "--out", os.DevNull, "--pts-out", pts)
		require.Zero(t, o.code, o.stderr)
		data, err := os.ReadFile(pts)
		require.NoError(t, err)
		var times frameTimes
		require.NoError(t, json.Unmarshal(data, &times))
		n := len(times.Index)
		assert.Equal(t, fmt.Sprintf("spool: %s: note: the file breaks off: its %d frames end at %.6g s\n", file, n, times.PTS[n-1]+times.Duration[n-1]), o.stderr)
	}
	assert.Empty(t, command("decode", "video", clip, "--out", os.DevNull).stderr)
}

// A saved index is used, and no more once the file has changed.
func TestIndex(t *testing.T) {
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "clip.mp4"), filepath.Join(dir, "indexes")
	data, err := os.ReadFile(clip)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, data, 0o600))
	explained := func(flags ...string) string {
		o := command(append([]string{"decode", "video", file, "--frames", "5,2", "--out", os.DevNull, "--explain"}, flags...)...)
		require.Zero(t, o.code, o.stderr)
		return o.stderr
	}
	require.Contains(t, explained(), " index=scanned ")
	for _, flags := range [][]string{nil, {"--index-dir", folder}} {
		var line indexed
		require.NoError(t, json.Unmarshal([]byte(done(t, append([]string{"index", "--json", file}, flags...)...)), &line))
		require.FileExists(t, line.Index)
		require.Equal(t, file, line.File)
		require.Equal(t, decodedVideo(t, clip).shape[0], line.Frames)
		require.Positive(t, line.Keys)
		require.Positive(t, line.Duration)
		require.Contains(t, explained(flags...), " index=saved ")
		require.Equal(t, decodedVideo(t, clip, "--frames", "5,2"), decodedVideo(t, file, append(flags, "--frames", "5,2")...))
	}
	require.NoError(t, os.Chtimes(file, time.Time{}, time.Unix(1e9, 0)))
	require.Contains(t, explained(), " index=scanned ")

	o := command("index", "--json", "nowhere.mp4", clip, "--index-dir", folder)
	assert.Equal(t, exitInput, o.code)
	assert.Equal(t, []string{"spool: nowhere.mp4: not-found: no such file or directory"}, linesOf(o.stderr))
	lines := linesOf(o.stdout)
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], `"error":{"class":"not-found"`)
	assert.Contains(t, done(t, "index", clip, "--index-dir", folder), " key frames: ")
}

// The page names each key of the lines of --explain.
func TestPageNamesAllKeysOfExplain(t *testing.T) {
	page := sections(t)
	for heading, args := range map[string][]string{
		"spool decode video": {"decode", "video", clip}, "spool decode audio": {"decode", "audio", media + "/audio/mp3.mp3"},
	} {
		o := command(append(args, "--out", os.DevNull, "--explain")...)
		require.Zero(t, o.code, o.stderr)
		for word := range strings.FieldsSeq(o.stderr) {
			key, _, _ := strings.Cut(word, "=")
			assert.Contains(t, page[heading], "`"+key+"`", heading)
		}
	}
}
