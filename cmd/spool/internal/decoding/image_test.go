package decoding

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
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

// Every good file of testdata has the pixels that Pillow recorded for it, and every bad one has its class.
func TestDecodedPixelsArePillows(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.npy")
	for name, want := range clitest.Expectations(t) {
		file := filepath.Join(clitest.Media, name)
		if want.Classes != nil {
			o := tool.Run("decode", "image", file, "--out", out)
			assert.Equal(t, cli.ExitInput, o.Code, name)
			assert.Len(t, clitest.Lines(o.Stderr), 1, name)
			class := strings.Split(o.Stderr, ": ")[2]
			assert.Contains(t, want.Classes, class, name)
			assert.True(t, strings.HasPrefix(o.Stderr, "spool: "+file+": "+class+": "), o.Stderr)
			assert.NoFileExists(t, out, "half a file of %s", name)
			continue
		}
		assert.Empty(t, tool.Done(t, "decode", "image", file, "--out", out))
		got := clitest.ReadArray(t, out)
		require.NoError(t, os.Remove(out))
		assert.Equal(t, "|u1", got.Dtype)
		assert.Equal(t, want.Shape, got.Shape, name)
		if strings.HasSuffix(name, ".avif") {
			continue // depends on the libheif that is installed: package decode compares it with a tolerance
		}
		sum := sha256.Sum256(got.Data)
		assert.Equal(t, want.SHA256, hex.EncodeToString(sum[:]), name)
	}
}

// The same for the media of the wider collection.
func TestDecodedPixelsOfSharedMedia(t *testing.T) {
	for name, want := range clitest.SharedMedia(t) {
		if want.SHA256 == "" || filepath.Ext(name) == ".avif" || want.Mode == "I;16" { // Pillow does not take its high byte
			continue
		}
		got := tool.Decoded(t, "image", filepath.Join(clitest.Shared, name))
		assert.Equal(t, want.Shape, got.Shape, name)
		sum := sha256.Sum256(got.Data)
		assert.Equal(t, want.SHA256, hex.EncodeToString(sum[:]), name)
	}
}

func TestGeometry(t *testing.T) {
	file := clitest.Media + "/photos/animal/00.jpg" // 451x300
	for _, c := range []struct {
		flags string
		shape []int
	}{
		{"", []int{300, 451, 3}},
		{"--size 224x100", []int{100, 224, 3}},
		{"--size 224x100 --mode fit", []int{100, 224, 3}},
		{"--size 224x100 --mode cover", []int{100, 224, 3}},
		{"--size 1x1", []int{1, 1, 3}},
		{"--resize-shorter 100", []int{100, 150, 3}},
		{"--resize-shorter 256 --crop 224x200", []int{200, 224, 3}},
		{"--crop 224x200", []int{200, 224, 3}},
		{"--crop 500x500", []int{500, 500, 3}},
		{"--size 224x224 --layout nchw", []int{3, 224, 224}},
		{"--color gray", []int{300, 451, 1}},
		{"--color rgba --layout nchw", []int{4, 300, 451}},
		{"--alpha keep", []int{300, 451, 4}},
		{"--frame 0 --profile exact --accept refuse", []int{300, 451, 3}},
	} {
		assert.Equal(t, c.shape, tool.Decoded(t, "image", file, strings.Fields(c.flags)...).Shape, c.flags)
	}
	fit := tool.Decoded(t, "image", file, "--size", "90x90", "--mode", "fit", "--pad-color", "#010203")
	assert.Equal(t, []byte{1, 2, 3}, fit.Data[:3], "451x300 in 90x90 leaves a band above")
	assert.NotEqual(t, tool.Decoded(t, "image", file, "--size", "90x90", "--filter", "nearest"),
		tool.Decoded(t, "image", file, "--size", "90x90"))
}

func TestOrientation(t *testing.T) {
	upright := tool.Decoded(t, "image", clitest.Media+"/hard/good/exif6.jpg")
	stored := tool.Decoded(t, "image", clitest.Media+"/hard/good/exif6.jpg", "--orient=false")
	require.Equal(t, []int{125, 83, 3}, upright.Shape)
	require.Equal(t, []int{83, 125, 3}, stored.Shape)
	for y := range 83 { // 6: turned a quarter clockwise for display
		for x := range 125 {
			assert.Equal(t, stored.Data[3*(y*125+x):][:3], upright.Data[3*(x*83+82-y):][:3], "%d,%d", x, y)
		}
	}
	assert.Equal(t, stored, tool.Decoded(t, "image", clitest.Media+"/hard/good/exif6.jpg", "--orient=0"))
	assert.Equal(t, upright, tool.Decoded(t, "image", clitest.Media+"/hard/good/exif6.jpg", "--orient"))
}

func TestColorAndLayout(t *testing.T) {
	rgb := tool.Decoded(t, "image", clitest.Photo).Data
	bgr, planes, rgba := tool.Decoded(t, "image", clitest.Photo, "--color", "bgr").Data, tool.Decoded(t, "image",
		clitest.Photo, "--layout", "nchw").Data, tool.Decoded(t, "image", clitest.Photo, "--color", "rgba").Data
	for i := range len(rgb) / 3 {
		pixel := rgb[3*i:][:3]
		require.Equal(t, []byte{pixel[2], pixel[1], pixel[0]}, bgr[3*i:][:3])
		require.Equal(t, []byte{planes[i], planes[i+len(rgb)/3], planes[i+2*len(rgb)/3]}, pixel)
		require.Equal(t, append(slices.Clone(pixel), 0xff), rgba[4*i:][:4])
	}
	gray := clitest.Media + "/hard/good/gray.png"
	one, three := tool.Decoded(t, "image", gray, "--color", "gray").Data, tool.Decoded(t, "image", gray).Data
	for i, v := range one {
		require.Equal(t, []byte{v, v, v}, three[3*i:][:3])
	}
}

func TestAlpha(t *testing.T) {
	file := clitest.Media + "/hard/good/rgba.png"
	dropped, kept, blended := tool.Decoded(t, "image", file).Data, tool.Decoded(t, "image", file, "--alpha",
		"keep").Data, tool.Decoded(t, "image", file, "--alpha", "over:#4080c0").Data
	partly := 0
	for i := range len(dropped) / 3 {
		require.Equal(t, dropped[3*i:][:3], kept[4*i:][:3])
		alpha := float64(kept[4*i+3]) / 255
		for c, under := range []float64{0x40, 0x80, 0xc0} {
			want := float64(dropped[3*i+c])*alpha + under*(1-alpha)
			require.InDelta(t, want, float64(blended[3*i+c]), 1)
		}
		if alpha > 0 && alpha < 1 {
			partly++
		}
	}
	require.Positive(t, partly, "this image tests nothing")
}

func TestFloats(t *testing.T) {
	bytes := tool.Decoded(t, "image", clitest.Photo, "--size", "40x30").Data
	plain := tool.Decoded(t, "image", clitest.Photo, "--size", "40x30", "--dtype", "float32").Floats(t)
	normal := tool.Decoded(t, "image", clitest.Photo, "--size", "40x30", "--dtype", "float32", "--mean",
		"0.485,0.456,0.406", "--std", "0.229,0.224,0.225").Floats(t)
	halves := tool.Decoded(t, "image", clitest.Photo, "--size", "40x30", "--dtype", "float16").Floats(t)
	single := tool.Decoded(t, "image", clitest.Photo, "--size", "40x30", "--dtype", "float32", "--mean", "0.5", "--std",
		"0.25").Floats(t)
	mean, std := []float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}
	for i, b := range bytes {
		want := float64(b) / 255
		require.InDelta(t, want, float64(plain[i]), 1e-7)
		require.InDelta(t, want, float64(halves[i]), math.Ldexp(1, -12), "half precision has 11 bits")
		require.InDelta(t, (want-mean[i%3])/std[i%3], float64(normal[i]), 2e-6)
		require.InDelta(t, (want-0.5)/0.25, float64(single[i]), 1e-6)
	}
}

// A damaged image is accepted if enough of it was read. The rest has the fill color.
func TestAccept(t *testing.T) {
	file := clitest.Media + "/hard/bad/truncated60.jpg"
	o := tool.Run("decode", "image", file, "--out", "-", "--accept", "0.9")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stderr, ": truncated: ")
	for flags, fill := range map[string][]byte{"": {0x80, 0x80, 0x80}, "--fill #ff8001": {0xff, 0x80, 1}} {
		got := tool.Decoded(t, "image", file, append([]string{"--accept", "0.1"}, strings.Fields(flags)...)...)
		n := len(got.Data)
		assert.Equal(t, fill, got.Data[n-3:], "the last pixel was not read")
		assert.NotEqual(t, fill, got.Data[:3], "the first was")
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct{ flag, value string }{
		{"--max-pixels", "135299"}, {"--max-bytes", "27KiB"}, {"--max-memory", "100000"},
	} {
		o := tool.Run("decode", "image", clitest.Photo, "--out", "-", c.flag, c.value)
		assert.Equal(t, cli.ExitInput, o.Code, c.flag)
		assert.Regexp(t, `^spool: \S+/00.jpg: too-large: .*\n$`, o.Stderr, c.flag)
	}
	tool.Decoded(t, "image", clitest.Photo, "--max-pixels", "135300", "--max-bytes", "28KiB", "--max-memory", "1MiB")
	tool.Decoded(t, "image", clitest.Photo, "--max-pixels", "0", "--max-bytes", "0", "--max-memory", "0", "--max-frames",
		"0")
}

// Output that cannot be written is an error with its class, before anything is created.
func TestBadOutput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct{ out, problem string }{
		{dir + "/nowhere/x.npy", "not-found: no such file or directory"},
		{file + "/x.npy", "not-found: no such directory"},
		{dir, "not-a-file: a directory, where a file is to be written"},
	} {
		tool.Refused(t, cli.ExitInput, []string{"spool: " + c.out + ": " + c.problem}, "decode", "image", clitest.Photo,
			"--out", c.out)
		tool.Refused(t, cli.ExitInput, []string{"spool: " + c.out + ": " + c.problem}, "run", "images", clitest.Photo,
			"--ledger", c.out)
		tool.Refused(t, cli.ExitInput, []string{"spool: " + c.out + ": " + c.problem}, "run", "images", clitest.Photo,
			"--save-first", c.out)
	}
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	strange := filepath.Join(dir, "a\nb\x1b[2J.jpg")
	require.NoError(t, os.WriteFile(strange, []byte("no picture"), 0o600))
	for file, problem := range map[string]string{
		dir + "/x.jpg": "spool: " + dir + "/x.jpg: not-found: no such file or directory",
		dir:            "spool: " + dir + ": not-a-file: a folder, where a regular file is needed",
		"/dev/zero":    "spool: /dev/zero: not-a-file: a device, where a regular file is needed",
		strange:        "spool: \"" + dir + "/a\\nb\\x1b[2J.jpg\": not-media: not an image in a known format",
	} {
		tool.Refused(t, cli.ExitInput, []string{problem}, "decode", "image", file, "--out", dir+"/out.npy")
		require.NoFileExists(t, dir+"/out.npy")
	}
}
