package decoding

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/checkup"
	"github.com/spoolmedia/spool/internal/need"
)

// Frames are those of --frame all with their index, and those that Pillow recorded.
func TestFrame(t *testing.T) {
	type frames struct {
		RGBA []string `json:"frames_rgba"`
	}
	var expected map[string]frames
	data, err := os.ReadFile(filepath.Join(clitest.Media, "expected.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &expected))
	for _, name := range []string{"disposal.gif", "disposal.png", "disposal.webp", "multipage.tiff"} {
		want := expected["hard/good/"+name].RGBA
		all := tool.Decoded(t, "image", clitest.Good+name, "--frame", "all", "--alpha", "keep")
		require.Len(t, all.Shape, 4, name)
		require.Equal(t, len(want), all.Shape[0], name)
		size := len(all.Data) / len(want)
		for k, sum := range want {
			one := tool.Decoded(t, "image", clitest.Good+name, "--frame", strconv.Itoa(k), "--color", "rgba")
			assert.Equal(t, all.Shape[1:], one.Shape)
			assert.Equal(t, all.Data[k*size:][:size], one.Data, "%s %d", name, k)
			digest := sha256.Sum256(one.Data)
			assert.Equal(t, sum, hex.EncodeToString(digest[:]), "%s %d", name, k)
		}
	}
	assert.Equal(t, []int{1, 3, 83, 125},
		tool.Decoded(t, "image", clitest.Good+"rgb.png", "--frame", "all", "--layout", "nchw").Shape,
		"one frame is an array of one")
	assert.Equal(t, []int{3, 9, 16, 3},
		tool.Decoded(t, "image", clitest.Good+"pages.tiff", "--frame", "all", "--size", "16x9").Shape)

	tool.Refused(t, cli.ExitInput,
		[]string{"spool: " + clitest.Good + "anim.gif: no-such-frame: there is no frame 5: the image's frame count is 5"},
		"decode", "image", clitest.Good+"anim.gif", "--frame", "5", "--out", "-")
	tool.Refused(t, cli.ExitInput, []string{"spool: " + clitest.Good + "anim.gif: too-large: 5 frames, the limit is 4"},
		"decode", "image", clitest.Good+"anim.gif", "--frame", "all", "--max-frames", "4", "--out", "-")
	tool.Refused(t, cli.ExitInput,
		[]string{"spool: " + clitest.Good + "anim.gif: too-large: frame 4 is beyond the limit of 4 frames"},
		"decode", "image", clitest.Good+"anim.gif", "--frame", "4", "--max-frames", "4", "--out", "-")
	tool.Decoded(t, "image", clitest.Good+"anim.gif", "--frame", "all", "--max-frames", "0")
	o := tool.Run("decode", "image", clitest.Good+"pages.tiff", "--frame", "all", "--out", "-")
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stderr, ": unsupported: page 0 is of [47 61 3], page 1 of [33 20 3]")
}

// 16 bits keep what 8 bits drop, as integers and as floats; 8 bits fill 16.
func TestSixteenBits(t *testing.T) {
	for _, name := range []string{"gray16.png", "gray16.tiff", "gray16.pgm"} {
		wide := tool.Decoded(t, "image", clitest.Good+name, "--dtype", "uint16", "--color", "gray")
		high := tool.Decoded(t, "image", clitest.Good+name, "--color", "gray")
		floats := tool.Decoded(t, "image", clitest.Good+name, "--dtype", "float32", "--color", "gray").Floats(t)
		require.Equal(t, "<u2", wide.Dtype)
		require.Equal(t, high.Shape, wide.Shape)
		low := 0
		for i, v := range high.Data {
			sample := binary.LittleEndian.Uint16(wide.Data[2*i:])
			require.Equal(t, v, byte(sample>>8), name)
			require.InDelta(t, float64(sample)/65535, float64(floats[i]), 1e-6, name)
			low |= int(sample & 0xff)
		}
		assert.Positive(t, low, "%s: nothing but high bytes", name)
	}
	narrow, wide := tool.Decoded(t, "image", clitest.Good+"s420.jpg"), tool.Decoded(t, "image", clitest.Good+"s420.jpg",
		"--dtype", "uint16")
	for i, v := range narrow.Data {
		require.Equal(t, 257*int(v), int(binary.LittleEndian.Uint16(wide.Data[2*i:])))
	}
}

func TestICC(t *testing.T) {
	for _, name := range []string{"icc.jpg", "icc.png", "icc.webp", "icc.tiff"} {
		want, err := os.ReadFile(filepath.Join(clitest.Media, "expected", name+".rgb"))
		require.NoError(t, err)
		got := tool.Decoded(t, "image", clitest.Good+name, "--icc").Data
		require.Len(t, got, len(want))
		for i, v := range want {
			require.LessOrEqual(t, math.Abs(float64(v)-float64(got[i])), 2.0, name)
		}
		assert.NotEqual(t, tool.Decoded(t, "image", clitest.Good+name).Data, got, name)
	}
	assert.Equal(t, tool.Decoded(t, "image", clitest.Photo), tool.Decoded(t, "image", clitest.Photo, "--icc"),
		"an image without a profile")
}

// Loaders that are unsafe for files of unknown origin are blocked unless they are allowed.
func TestAllow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jpg") // content counts, not the name
	require.NoError(t, os.WriteFile(file,
		[]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="6" height="4"><rect width="6" height="4" fill="#ff8000"/></svg>`), 0o600))
	for _, flags := range []string{"", "--allow pdf,hdr"} {
		o := tool.Run(append([]string{"decode", "image", file, "--out", "-"}, strings.Fields(flags)...)...)
		assert.Equal(t, cli.ExitInput, o.Code)
		assert.Regexp(t, "^spool: "+file+": unsupported: svg .*\n$", o.Stderr)
	}
	found, err := checkup.Examine(vips.Reads, "")
	require.NoError(t, err)
	if !found.Loaders["svg"] {
		need.Skip(t, need.System, "this libvips does not read SVG")
	}
	got := tool.Decoded(t, "image", file, "--allow", "hdr,svg")
	assert.Equal(t, []int{4, 6, 3}, got.Shape)
	assert.Equal(t, []byte{0xff, 0x80, 0}, got.Data[:3])
}

// --explain prints one line, and leaves stdout alone.
func TestExplain(t *testing.T) {
	for file, words := range map[string]string{
		clitest.Photo: "lane=jpeg engine=own scale=1/1 format=jpeg size=451x300 channels=3 " +
			"bits=8 orientation=1 frame=0 frames=1 profile=exact filter=bilinear",
		clitest.Good + "rgb16.png": "lane=png engine=own scale=1/1 format=png size=125x83 " +
			"channels=3 bits=16",
		clitest.Good + "interlaced.png":             "lane=png engine=libpng",
		clitest.Good + "exif6.jpg":                  "size=125x83 channels=3 bits=8 orientation=6",
		clitest.Good + "anim.gif":                   "lane=gif scale=1/1 format=gif",
		clitest.Good + "lossy.webp":                 "lane=webp",
		clitest.Good + "lossy.avif":                 "lane=avif",
		clitest.Good + "rgb.tiff":                   "lane=vips",
		clitest.Good + "rgb.bmp":                    "lane=go",
		clitest.Media + "/hard/bad/truncated60.jpg": `warnings=1 warning="`,
		clitest.Good + "progressive.jpg":            "lane=jpeg engine=own scale=1/1",
		clitest.Good + "scans.jpg":                  "lane=jpeg engine=turbo reason=scans scale=1/1",
	} {
		o := tool.Run("decode", "image", file, "--out", "-", "--accept", "0.1", "--explain")
		require.Zero(t, o.Code, o.Stderr)
		assert.Len(t, clitest.Lines(o.Stderr), 1, file)
		assert.Regexp(t, `^lane=\w+( engine=\w+)?( reason=\w+)? scale=\S+ format=.* scratch=\d+ icc=0 shape=\[\d+,\d+,3\] dtype=uint8 layout=hwc fraction=\S+ warnings=\d+`, o.Stderr)
		assert.Contains(t, o.Stderr, words, file)
		clitest.ReadNPY(t, []byte(o.Stdout))
	}
	o := tool.Run("decode", "image", clitest.Photo, "--out", "-", "--jpeg", "turbo", "--explain")
	assert.Contains(t, o.Stderr, "lane=jpeg engine=turbo scale=1/1")
	assert.Equal(t, tool.Run("decode", "image", clitest.Photo, "--out", "-").Stdout, o.Stdout)
	o = tool.Run("decode", "image", clitest.Photo, "--out", "-", "--profile", "fast", "--size", "40x30", "--explain")
	assert.Regexp(t, "lane=jpeg engine=own scale=1/[48] chroma=1/[248] format=jpeg size=451x300", o.Stderr)
	o = tool.Run("decode", "image", clitest.Photo, "--out", "-", "--profile", "fast", "--size", "40x30", "--color", "gray",
		"--explain")
	assert.Contains(t, o.Stderr, "lane=jpeg engine=own scale=1/")
	o = tool.Run("decode", "image", clitest.Good+"icc.png", "--out", "-", "--icc", "--explain")
	set := regexp.MustCompile(` icc=(\d+) `).FindStringSubmatch(o.Stderr)
	require.NotNil(t, set, o.Stderr)
	assert.NotEqual(t, "0", set[1], "the working set of the conversion")
}
