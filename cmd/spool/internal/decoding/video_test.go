package decoding

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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/need"
)

// All frames, at their own size, are those of the ffmpeg command.
func TestDecodeVideoIsFFmpegs(t *testing.T) {
	need.Command(t, "ffmpeg")
	for _, name := range []string{"bframes.mp4", "vfr.mp4", "opengop.mp4", "edited.mp4", "bframes.ts"} {
		file := filepath.Join(clitest.Media, "video", name)
		want, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", file, "-map", "0:v:0", "-fps_mode",
			"passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-").Output()
		require.NoError(t, err)
		got := tool.Decoded(t, "video", file)
		require.Equal(t, []int{3}, got.Shape[3:])
		assert.Equal(t, want, got.Data, "%s: %v", name, got.Shape)
	}
}

// The crops of a clip are parts of the ffmpeg command's frames, and the times are listed once.
func TestDecodeVideoCrops(t *testing.T) {
	need.Command(t, "ffmpeg")
	file := filepath.Join(clitest.Media, "video", "bframes.mp4")
	times := filepath.Join(t.TempDir(), "times.json")
	got := tool.Decoded(t, "video", file, "--crops", "five", "--crop", "20x12", "--frames", "7,2", "--pts-out", times)
	require.Equal(t, []int{5, 2, 12, 20, 3}, got.Shape)
	one := len(got.Data) / 5
	for i, place := range []string{"0:0", "iw-ow:0", "0:ih-oh", "iw-ow:ih-oh", "(iw-ow)/2:(ih-oh)/2"} {
		whole, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", file, "-vf",
			"format=rgb24,crop=20:12:"+place, "-f", "rawvideo", "-").Output()
		require.NoError(t, err)
		size := one / 2
		assert.Equal(t, slices.Concat(whole[7*size:][:size], whole[2*size:][:size]), got.Data[i*one:][:one], place)
	}
	all := tool.Decoded(t, "video", file, "--crops", "ten", "--crop", "8x8")
	assert.Equal(t, []int{10, tool.Decoded(t, "video", file).Shape[0], 8, 8, 3}, all.Shape)
	written, err := os.ReadFile(times)
	require.NoError(t, err)
	var listed frameTimes
	require.NoError(t, json.Unmarshal(written, &listed))
	assert.Equal(t, []int{7, 2}, listed.Index)
	assert.Len(t, listed.PTS, 2)
}

// The frames that torchcodec decoded from the wider collection, and all their times.
func TestDecodeVideoOfSharedMedia(t *testing.T) {
	expected := clitest.Shared + "/expected"
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
		got, reference := tool.Decoded(t, "video", filepath.Join(clitest.Shared, name), "--frames",
			frames), clitest.ReadArray(t, filepath.Join(expected, want.NPY))
		require.Len(t, want.At, got.Shape[0])
		h, w := got.Shape[1], got.Shape[2]
		sum, samples := 0.0, 0
		for n := range got.Shape[0] {
			for y := 0; y < h; y += want.Stride {
				for x := 0; x < w; x += want.Stride {
					for c := range 3 {
						sum += max(float64(got.Data[((n*h+y)*w+x)*3+c]),
							float64(reference.Data[samples])) - min(float64(got.Data[((n*h+y)*w+x)*3+c]), float64(reference.Data[samples]))
						samples++
					}
				}
			}
		}
		require.Len(t, reference.Data, samples, name)
		assert.LessOrEqual(t, sum/float64(samples), 1.0, name)
		if !strings.Contains(name, "10bit") {
			assert.Zero(t, sum, name)
		}
		times := tool.TimesOf(t, filepath.Join(clitest.Shared, name), "--size", "8x8")
		assert.InDeltaSlice(t, want.PTS, times.PTS, 1e-6, name)
		tested++
	}
	require.Greater(t, tested, 20)
}

// Frame n is the same frame and has the same time, however it is requested.
func TestDecodeVideoChoices(t *testing.T) {
	all, times := tool.Decoded(t, "video", clitest.Clip), tool.TimesOf(t, clitest.Clip)
	n := all.Shape[0]
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
		got := tool.Decoded(t, "video", clitest.Clip, c.flags...)
		assert.Equal(t, append([]int{len(c.frames)}, all.Shape[1:]...), got.Shape, c.flags)
		assert.True(t, bytes.Equal(all.Pick(c.frames...), got.Data), c.flags)
		if len(c.frames) > 0 {
			chosen := tool.TimesOf(t, clitest.Clip, c.flags...)
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
		got := tool.Decoded(t, "video", clitest.Clip, append(c.flags, "--frames", "0,4")...)
		assert.Equal(t, c.shape, got.Shape, c.flags)
		assert.Equal(t, c.dtype, got.Dtype, c.flags)
	}
	turned, stored := tool.Decoded(t, "video", clitest.Media+"/video/turned.mp4", "--frames", "0"), tool.Decoded(t,
		"video", clitest.Media+"/video/turned.mp4", "--frames", "0", "--orient=false")
	assert.Equal(t, []int{1, stored.Shape[2], stored.Shape[1], 3}, turned.Shape)
}

// A problem is one line with its class, and nothing is left at --out.
func TestDecodeVideoRefuses(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.npy")
	n := tool.Decoded(t, "video", clitest.Clip, "--size", "8x8").Shape[0]
	for _, c := range []struct{ file, flags, line string }{
		{clitest.Clip, fmt.Sprint("--frames ", n),
			fmt.Sprintf("no-such-frame: there is no frame %d: the video's frame count is %d", n, n)},
		{clitest.Clip, fmt.Sprintf("--range 0:%d", n+5),
			fmt.Sprintf("no-such-frame: there are no frames up to %d: the video's frame count is %d", n+5, n)},
		{clitest.Clip, "--times 1e6", "no-such-frame: "},
		{clitest.Clip, "--stream 7", "no-such-frame: there is no stream 7: the file has 1"},
		{clitest.Clip, "--max-pixels 10", "too-large: "},
		{"nowhere.mp4", "", "not-found: no such file or directory"},
		{dir, "", "not-a-file: "},
		{clitest.Media + "/hard/bad/empty.jpg", "", "empty: "},
		{clitest.Media + "/hard/bad/text.jpg", "", "not-media: "},
		{clitest.Photo, "", ""},
	} {
		o := tool.Run(append([]string{"decode", "video", c.file, "--out", out}, strings.Fields(c.flags)...)...)
		assert.Equal(t, cli.ExitInput, o.Code, "%s %s", c.file, c.flags)
		assert.Len(t, clitest.Lines(o.Stderr), 1, o.Stderr)
		assert.True(t, strings.HasPrefix(o.Stderr, "spool: "+c.file+": "+c.line), o.Stderr)
		assert.Empty(t, o.Stdout)
		assert.NoFileExists(t, out)
	}
	tool.Refused(t, cli.ExitInput, []string{"spool: " + dir + ": not-a-file: a directory, where a file is to be written"},
		"decode", "video", clitest.Clip, "--out", dir)
}

// Damage is an error unless the call says how to handle it.
func TestDecodeVideoOnDamage(t *testing.T) {
	damaged := clitest.Media + "/video/damaged.mp4"
	out := filepath.Join(t.TempDir(), "out.npy")
	o := tool.Run("decode", "video", damaged, "--out", out)
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Regexp(t, "^spool: "+regexp.QuoteMeta(damaged)+": (corrupt|truncated): ", o.Stderr)
	assert.NoFileExists(t, out)
	whole := tool.Decoded(t, "video", clitest.Clip).Shape[0]
	assert.Equal(t, whole, tool.Decoded(t, "video", damaged, "--on-damage", "repeat").Shape[0])
	tool.Done(t, "decode", "video", damaged, "--on-damage", "skip", "--out", out)
	skipped := clitest.ReadArray(t, out)
	assert.LessOrEqual(t, skipped.Shape[0], whole)
	assert.Equal(t, skipped, tool.Decoded(t, "video", damaged, "--on-damage", "skip"), "stdout cannot be gone back in")
	assert.Len(t, tool.TimesOf(t, damaged, "--on-damage", "skip").Index, skipped.Shape[0])
}

// Planes are those of the ffmpeg command, and exclude all flags that make pixels.
func TestDecodeVideoPlanes(t *testing.T) {
	need.Command(t, "ffmpeg")
	for _, c := range []struct{ file, planes, dtype, format, descr string }{
		{"bframes.mp4", "planar", "uint8", "yuv420p", "|u1"}, {"bframes.mp4", "pairs", "uint8", "nv12", "|u1"},
		{"deep.mp4", "planar", "uint16", "yuv420p10le", "<u2"}, {"deep.mp4", "pairs", "uint16", "p010le", "<u2"},
	} {
		file := filepath.Join(clitest.Media, "video", c.file)
		want, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt",
			c.format, "-").Output()
		require.NoError(t, err)
		got := tool.Decoded(t, "video", file, "--planes", c.planes, "--dtype", c.dtype)
		assert.Equal(t, []int{25, 72, 64}, got.Shape)
		assert.Equal(t, c.descr, got.Dtype)
		assert.True(t, bytes.Equal(want, got.Data), "%+v", c)
		o := tool.Run("decode", "video", file, "--planes", c.planes, "--dtype", c.dtype, "--out", os.DevNull, "--explain")
		assert.Contains(t, o.Stderr, " matrix=2 range=limited shape=[25,72,64] ")
	}
	tool.Refused(t, cli.ExitUsage, []string{
		"spool: usage: --planes excludes --size, --resize-shorter, --max-size and --crop: planes come at their " +
			"own size, without crops and flips",
		"spool: usage: --planes excludes --color bgr: planes have no colors to choose",
		"spool: usage: --planes excludes --fill: planes are filled with gray",
	}, "decode", "video", clitest.Clip, "--planes", "planar", "--size", "8x8", "--color", "bgr", "--fill", "#000000",
		"--out", os.DevNull)
}

// A file that breaks off gives the frames that it has, and a note of where it ends.
func TestDecodeVideoThatBreaksOff(t *testing.T) {
	for _, name := range []string{"truncated.mp4", "truncated.ts"} {
		file := filepath.Join(clitest.Media, "video", name)
		pts := filepath.Join(t.TempDir(), "pts.json")
		o := tool.Run("decode", "video", file, "--out", os.DevNull, "--pts-out", pts)
		require.Zero(t, o.Code, o.Stderr)
		data, err := os.ReadFile(pts)
		require.NoError(t, err)
		var times frameTimes
		require.NoError(t, json.Unmarshal(data, &times))
		n := len(times.Index)
		assert.Equal(t, fmt.Sprintf("spool: %s: note: the file breaks off: its %d frames end at %.6g s\n", file, n,
			times.PTS[n-1]+times.Duration[n-1]), o.Stderr)
	}
	assert.Empty(t, tool.Run("decode", "video", clitest.Clip, "--out", os.DevNull).Stderr)
}

// The page names each key of the lines of --explain.
func TestPageNamesAllKeysOfExplain(t *testing.T) {
	page := clitest.Sections(t)
	for heading, args := range map[string][]string{
		"spool decode video": {"decode", "video", clitest.Clip},
		"spool decode audio": {"decode", "audio", clitest.Media + "/audio/mp3.mp3"},
	} {
		o := tool.Run(append(args, "--out", os.DevNull, "--explain")...)
		require.Zero(t, o.Code, o.Stderr)
		for word := range strings.FieldsSeq(o.Stderr) {
			key, _, _ := strings.Cut(word, "=")
			assert.Contains(t, page[heading], "`"+key+"`", heading)
		}
	}
}

// The page names each key of each JSON object.
func TestPageNamesAllKeys(t *testing.T) {
	clitest.HasKeys(t, "spool decode video", frameTimes{})
}
