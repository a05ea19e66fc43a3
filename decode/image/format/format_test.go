package format

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/internal/raster"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/seed"
)

func TestFormatNames(t *testing.T) {
	seen := map[string]bool{}
	for f := JPEG; f < formats; f++ {
		name := f.String()
		require.NotEqual(t, "unknown", name)
		require.False(t, seen[name], name)
		seen[name] = true
	}
	require.Equal(t, "jpeg", JPEG.String())
	require.Equal(t, "unknown", Format(0).String())
	require.Equal(t, "unknown", Format(200).String())
}

func TestSniff(t *testing.T) {
	box := func(brands string) string { return string([]byte{0, 0, 0, byte(8 + len(brands))}) + "ftyp" + brands }
	for head, want := range map[string]Format{
		// cut right after the characteristic bytes
		"\xff\xd8": JPEG, "\xff\xd8\xff": JPEG, "\x89P": PNG, "\x89PNG\r\n": PNG, "GIF8": GIF, "GIF89a": GIF, "II*\x00": TIFF,
		"MM\x00+":                TIFF,
		"RIFF\x10\x00\x00\x00WE": WebP, "RIFF\x10\x00\x00\x00WEBPVP8 ": WebP, "\x00\x00\x00\x0cjP": JP2, "\xff\x4f\xff": JP2,
		"\x00\x00\x00\x0cJXL \r\n\x87\n": JXL, "\xff\x0a": JXL, "BM": BMP, "BM\x36\x00": BMP, "P6": PNM, "P5\n": PNM,
		"P4 10": PNM, "P1 10 # c": PNM,
		// similar, but not these formats
		"": 0, "\xff": 0, "\xff\xd8\x00": 0, "\x89PNX": 0, "GIF": 0, "GIF88a": 0, "II*": 0, "II\x2a\x01": 0,
		"RIFF\x10\x00\x00\x00":         0,
		"RIFF\x10\x00\x00\x00WAVEfmt ": 0, "RIFF\x10\x00\x00\x00AVI LIST": 0, "BMW is a maker of cars and bikes": 0, "BMX": 0,
		"P": 0, "P6 is the sixth": 0, "P5 10 apples": 0, "P8 1 1": 0, "Pf": 0, "P1": PNM, "P12 3": 0,
		// PNM
		"P6 640 480 255\n": PNM, "P3\n# made by hand\n3 3\n": PNM, "P5\t7\r\n7 255 ": PNM, "P6#c\n3 3 255 ": PNM,
		"P7\nWIDTH 3\n": PNM, "Pf\n3 3\n-1\n": PNM, "PF\n": PNM,
		// brands
		box("avif\x00\x00\x00\x00mif1miaf"): AVIF, box("avis\x00\x00\x00\x00"): AVIF,
		box("mif1\x00\x00\x00\x00avifmiaf"): AVIF,
		box("heic\x00\x00\x00\x00mif1heic"): HEIC, box("mif1\x00\x00\x00\x00heic"): HEIC,
		box("msf1\x00\x00\x00\x00hevc"): HEIC, box("mif1"): HEIC,
		box("mif1\x00\x00\x00\x00miaf") + "avif": HEIC, // beyond the box
		box("isom\x00\x00\x02\x00isomiso2mp41"):  0, box("mp42\x00\x00\x00\x00avif"): 0, box("qt  \x00\x00\x00\x00"): 0,
		box("M4A "): 0, box("crx "): 0, box(""): 0,
		// without a decoder
		"%PDF-1.7\n": PDF, "8BPS\x00\x01": PSD, "\x76\x2f\x31\x01\x02\x00": EXR, "#?RADIANCE\n": HDR, "#?RGBE\n": HDR,
		"#!/bin/sh\n":     0,
		"<svg xmlns='x'>": SVG, "\xef\xbb\xbf \n<?xml version='1.0'?>\n<!-- c -->\n<svg>": SVG,
		"<!DOCTYPE svg PUBLIC ''><svg>": SVG,
		"<?xml version='1.0'?><feed>":   0, "<!doctype html><svg>": 0, "<html><svg>": 0,
		// similar to formats without a decoder
		"DDS \x7d\x00\x00\x00": 0, "SIMPLE  = 1": 0, "#define a_width 3\n#define b 4\n": 0,
		"#define a_width x\n#define a_height 4\n": 0, "/* XPN */": 0,
		"\x00\x00\x02\x00\x01\x00\x10\x10\x00\x00\x00\x00\x00\x00\x30\x01\x00\x00\x17\x00\x00\x00": 0,
		"\x01\xda\x01\x03\x00\x03\x00\x10\x00\x10\x00\x03":                                         0,
		"\x28\x00\x00\x00\x10\x00\x00\x00\x10\x00\x00\x00\x01\x00\x07\x00\x00\x00\x00\x00":         0,
		"\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00":                                 ICO,
		"\x00\x00\x01\xba\x44\x00\x04\x00\x04\x01":                                                 0,
		"\x00\x00\x01\x67\x42\x00\x1e\x00\x00\x00":                                                 0,
	} {
		assert.Equal(t, want, Of([]byte(head)), "%q", head)
	}
}

// No audio, video or table of the shared media is detected as an image.
func TestSniffSharedMedia(t *testing.T) {
	const media = "../../../../shared/media"
	need.Media(t)
	for _, pattern := range []string{"audio/*", "video/*", "torchcodec/*.m*", "expected/*.npy", "expected/*.json"} {
		names, err := filepath.Glob(filepath.Join(media, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, names)
		for _, name := range names {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			assert.Zero(t, Of(data), name)
		}
	}
}

func TestSniffText(t *testing.T) {
	names, err := filepath.Glob("../../../*/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for len(data) > 0 { // from every line on
			require.Zero(t, Of(data), "%.40q", data)
			i := 0
			for i < len(data) && data[i] != '\n' {
				i++
			}
			data = data[min(i+1, len(data)):]
		}
	}
	for n := range 5000 {
		require.Zero(t, Of(make([]byte, n)))
	}
}

// Random bytes are detected as an image as often as the shortest signature, the two bytes of bare JPEG XL, occurs: once
// in 65536. TGA has no signature. Of 65 million random heads its check accepted none. It accepted 235 of as many heads
// in which three of four bytes were zero and the others below 64, as in tables of small numbers.
func TestSniffRandomBytes(t *testing.T) {
	const heads = 1 << 16
	random := seed.Rand(t)
	kinds := map[string]func() byte{
		"uniform":      func() byte { return byte(random.Uint32()) },
		"mostly zeros": func() byte { return byte(random.Uint32()) & -byte(random.Uint32N(4)/3) },
		"small":        func() byte { return byte(random.Uint32N(40)) },
	}
	for name, next := range kinds {
		found := map[Format]int{}
		head := make([]byte, 64)
		for range heads {
			for i := range head {
				head[i] = next()
			}
			found[Of(head)]++
		}
		t.Logf("%s: %v", name, found)
		assert.LessOrEqual(t, heads-found[0], 20, name) // uniform bytes give 1 on average; chance does not reach this bound
		assert.Zero(t, found[TGA]+found[WebP]+found[AVIF]+found[HEIC]+found[SVG]+found[PNG]+found[GIF]+found[JP2], name)
	}
}

func FuzzSniff(f *testing.F) {
	var heads [][]byte
	for _, s := range signatures {
		heads = append(heads, []byte(s.magic))
	}
	for _, folder := range []string{"structure", "golanes"} {
		files, err := filepath.Glob(filepath.Join("../testdata", folder, "*"))
		require.NoError(f, err)
		require.NotEmpty(f, files)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(f, err)
			heads = append(heads, data[:min(64, len(data))])
		}
	}
	mutate.Fuzz(f, heads, func(t testing.TB, head []byte, _ uint64) {
		form := Of(head)
		if form >= formats || form != Of(bytes.Clone(head)) {
			t.Fatalf("format %v", form)
		}
		if form != 0 {
			fuzzed.Accept()
		}
		if form == TGA { // a detected TGA header must decode
			if _, err := raster.ParseTGA(head); err != nil {
				t.Fatal(err)
			}
		}
	})
}
