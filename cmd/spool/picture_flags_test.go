package main

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

	"github.com/spoolmedia/spool/internal/need"
)

const good = media + "/hard/good/"

// Frames are those of --frame all, with their number in front, and those that Pillow recorded.
func TestFrame(t *testing.T) {
	type frames struct {
		RGBA []string `json:"frames_rgba"`
	}
	var expected map[string]frames
	data, err := os.ReadFile(filepath.Join(media, "expected.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &expected))
	for _, name := range []string{"disposal.gif", "disposal.png", "disposal.webp", "multipage.tiff"} {
		want := expected["hard/good/"+name].RGBA
		all := decoded(t, good+name, "--frame", "all", "--alpha", "keep")
		require.Len(t, all.shape, 4, name)
		require.Equal(t, len(want), all.shape[0], name)
		size := len(all.data) / len(want)
		for k, sum := range want {
			one := decoded(t, good+name, "--frame", strconv.Itoa(k), "--color", "rgba")
			assert.Equal(t, all.shape[1:], one.shape)
			assert.Equal(t, all.data[k*size:][:size], one.data, "%s %d", name, k)
			digest := sha256.Sum256(one.data)
			assert.Equal(t, sum, hex.EncodeToString(digest[:]), "%s %d", name, k)
		}
	}
	assert.Equal(t, []int{1, 3, 83, 125}, decoded(t, good+"rgb.png", "--frame", "all", "--layout", "nchw").shape, "one frame is an array of one")
	assert.Equal(t, []int{3, 9, 16, 3}, decoded(t, good+"pages.tiff", "--frame", "all", "--size", "16x9").shape)

	refused(t, exitInput, []string{"spool: " + good + "anim.gif: no-such-frame: there is no frame 5: the picture has 5"},
		"decode", "image", good+"anim.gif", "--frame", "5", "--out", "-")
	refused(t, exitInput, []string{"spool: " + good + "anim.gif: too-large: 5 frames, the limit is 4"},
		"decode", "image", good+"anim.gif", "--frame", "all", "--max-frames", "4", "--out", "-")
	refused(t, exitInput, []string{"spool: " + good + "anim.gif: too-large: frame 4 is beyond the limit of 4 frames"},
		"decode", "image", good+"anim.gif", "--frame", "4", "--max-frames", "4", "--out", "-")
	decoded(t, good+"anim.gif", "--frame", "all", "--max-frames", "0")
	o := command("decode", "image", good+"pages.tiff", "--frame", "all", "--out", "-")
	assert.Equal(t, exitInput, o.code)
	assert.Contains(t, o.stderr, ": unsupported: page 0 is of [47 61 3], page 1 of [33 20 3]")
}

// 16 bits keep what 8 bits drop, as integers and as floats; 8 bits fill 16.
func TestSixteenBits(t *testing.T) {
	for _, name := range []string{"gray16.png", "gray16.tiff", "gray16.pgm"} {
		wide := decoded(t, good+name, "--dtype", "uint16", "--color", "gray")
		high := decoded(t, good+name, "--color", "gray")
		floats := decoded(t, good+name, "--dtype", "float32", "--color", "gray").floats(t)
		require.Equal(t, "<u2", wide.dtype)
		require.Equal(t, high.shape, wide.shape)
		low := 0
		for i, v := range high.data {
			sample := binary.LittleEndian.Uint16(wide.data[2*i:])
			require.Equal(t, v, byte(sample>>8), name)
			require.InDelta(t, float64(sample)/65535, float64(floats[i]), 1e-6, name)
			low |= int(sample & 0xff)
		}
		assert.Positive(t, low, "%s: nothing but high bytes", name)
	}
	narrow, wide := decoded(t, good+"s420.jpg"), decoded(t, good+"s420.jpg", "--dtype", "uint16")
	for i, v := range narrow.data {
		require.Equal(t, 257*int(v), int(binary.LittleEndian.Uint16(wide.data[2*i:])))
	}
}

func TestICC(t *testing.T) {
	for _, name := range []string{"icc.jpg", "icc.png", "icc.webp", "icc.tiff"} {
		want, err := os.ReadFile(filepath.Join(media, "expected", name+".rgb"))
		require.NoError(t, err)
		got := decoded(t, good+name, "--icc").data
		require.Len(t, got, len(want))
		for i, v := range want {
			require.LessOrEqual(t, math.Abs(float64(v)-float64(got[i])), 2.0, name)
		}
		assert.NotEqual(t, decoded(t, good+name).data, got, name)
	}
	assert.Equal(t, decoded(t, photo), decoded(t, photo, "--icc"), "a picture without a profile")
}

// Loaders that are not for files from strangers are blocked unless they are asked for.
func TestAllow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.jpg") // content counts, not the name
	require.NoError(t, os.WriteFile(file, []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="6" height="4"><rect width="6" height="4" fill="#ff8000"/></svg>`), 0o600))
	for _, flags := range []string{"", "--allow pdf,hdr"} {
		o := command(append([]string{"decode", "image", file, "--out", "-"}, strings.Fields(flags)...)...)
		assert.Equal(t, exitInput, o.code)
		assert.Regexp(t, "^spool: "+file+": unsupported: svg .*\n$", o.stderr)
	}
	if !strings.Contains(done(t, "doctor", "--json"), `"svg":true`) {
		need.Skip(t, need.System, "this libvips does not read SVG")
	}
	got := decoded(t, file, "--allow", "hdr,svg")
	assert.Equal(t, []int{4, 6, 3}, got.shape)
	assert.Equal(t, []byte{0xff, 0x80, 0}, got.data[:3])
}

// One line says how a picture was decoded, and stdout is left alone.
func TestExplain(t *testing.T) {
	for file, words := range map[string]string{
		photo:                               "lane=jpeg engine=own scale=1/1 format=jpeg size=451x300 channels=3 bits=8 orientation=1 frame=0 frames=1 profile=exact filter=bilinear",
		good + "rgb16.png":                  "lane=png engine=own scale=1/1 format=png size=125x83 channels=3 bits=16",
		good + "interlaced.png":             "lane=png engine=libpng",
		good + "exif6.jpg":                  "size=125x83 channels=3 bits=8 orientation=6",
		good + "anim.gif":                   "lane=gif scale=1/1 format=gif",
		good + "lossy.webp":                 "lane=webp",
		good + "lossy.avif":                 "lane=avif",
		good + "rgb.tiff":                   "lane=vips",
		good + "rgb.bmp":                    "lane=go",
		media + "/hard/bad/truncated60.jpg": `warnings=1 warning="`,
		good + "progressive.jpg":            "lane=jpeg engine=own scale=1/1",
		good + "scans.jpg":                  "lane=jpeg engine=turbo reason=scans scale=1/1",
	} {
		o := command("decode", "image", file, "--out", "-", "--accept", "0.1", "--explain")
		require.Zero(t, o.code, o.stderr)
		assert.Len(t, linesOf(o.stderr), 1, file)
		assert.Regexp(t, `^lane=\w+( engine=\w+)?( reason=\w+)? scale=\S+ format=.* scratch=\d+ icc=0 shape=\[\d+,\d+,3\] dtype=uint8 layout=hwc fraction=\S+ warnings=\d+`, o.stderr)
		assert.Contains(t, o.stderr, words, file)
		readNPY(t, []byte(o.stdout))
	}
	o := command("decode", "image", photo, "--out", "-", "--jpeg", "turbo", "--explain")
	assert.Contains(t, o.stderr, "lane=jpeg engine=turbo scale=1/1")
	assert.Equal(t, command("decode", "image", photo, "--out", "-").stdout, o.stdout)
	o = command("decode", "image", photo, "--out", "-", "--profile", "fast", "--size", "40x30", "--explain")
	assert.Regexp(t, "lane=jpeg engine=own scale=1/[48] chroma=1/[248] format=jpeg size=451x300", o.stderr)
	o = command("decode", "image", photo, "--out", "-", "--profile", "fast", "--size", "40x30", "--color", "gray", "--explain")
	assert.Contains(t, o.stderr, "lane=jpeg engine=own scale=1/")
	o = command("decode", "image", good+"icc.png", "--out", "-", "--icc", "--explain")
	set := regexp.MustCompile(` icc=(\d+) `).FindStringSubmatch(o.stderr)
	require.NotNil(t, set, o.stderr)
	assert.NotEqual(t, "0", set[1], "the working set of the conversion")
}

// The flags for pixels are the same for a run: its batches are the decoded pictures.
func TestRunPixels(t *testing.T) {
	for _, flags := range []string{
		"--size 40 --dtype float16 --mean 0.5 --std 0.25,0.3,0.2 --layout nchw --color bgr",
		"--size 40x30 --mode fit --pad-color #102030 --filter lanczos --profile pillow",
		"--resize-shorter 64 --crop 40x50 --color gray --dtype uint16",
		"--size 33 --alpha over:#112233 --icc --orient=false",
	} {
		one := flags
		for _, square := range []string{"40", "33"} { // decode image wants WxH
			one = strings.Replace(one, "--size "+square+" ", "--size "+square+"x"+square+" ", 1)
		}
		for _, file := range []string{photo, good + "exif6.jpg", good + "rgba.png", good + "icc.jpg"} {
			h := sha256.New()
			h.Write(decoded(t, file, strings.Fields(one)...).data)
			h.Write([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}) // no label
			got := done(t, append([]string{"run", "images", file, "--digest", "--json"}, strings.Fields(flags)...)...)
			assert.Equal(t, "0 0 "+hex.EncodeToString(h.Sum(nil)), linesOf(got)[0], "%s %s", flags, file)
		}
	}
}
