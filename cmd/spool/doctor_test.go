package main

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/vips"
	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
	"github.com/spoolmedia/spool/internal/checkup"
)

// Every format that doctor reports as decodable can be decoded.
func TestDoctor(t *testing.T) {
	var found checkup.Checkup
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "doctor", "--json")), &found))
	assert.Equal(t, runtime.GOOS+"/"+runtime.GOARCH, found.Platform)
	assert.Equal(t, runtime.Version(), found.Go)
	assert.EqualValues(t, runtime.NumCPU(), found.Limits["cores"])
	assert.EqualValues(t, 178956970, found.Limits["max_pixels"])
	assert.Positive(t, found.Limits["memory_bytes"])
	assert.Contains(t, []string{"avx512-vnni", "avx2", "sse4.1", "neon", "scalar"}, found.SIMD)
	assert.Contains(t, []string{"avx512", "avx512vl", "avx2", "sse4.1", "neon", "scalar"}, found.JPEGSIMD)
	for _, library := range []string{"FFmpeg", "lcms2", "libavif", "libdeflate", "libjpeg-turbo", "libopenjp2", "libpng",
		"libvips", "libwebp"} {
		assert.Regexp(t, `^\d+\.\d+`, found.Versions[library], library)
		assert.NotEmpty(t, found.Packages[library], library)
		assert.Contains(t, tool.Done(t, "--version"), library+" "+found.Versions[library])
	}
	for format, file := range map[string]string{"jpeg": "q100.jpg", "png": "gray.png", "webp": "lossy.webp",
		"gif": "anim.gif", "tiff": "lzw.tiff",
		"bmp": "gray.bmp", "pnm": "gray.pgm", "tga": "gray.tga", "avif": "lossy.avif", "jp2": "lossless.jp2"} {
		o := tool.Run("decode", "image", clitest.Media+"/hard/good/"+file, "--out", "-")
		assert.Equal(t, found.Formats[format], o.Code == cli.ExitDone, format)
	}
	if len(found.Missing) == 0 {
		assert.Contains(t, tool.Done(t, "doctor"), "\nmissing              nothing\n")
	}
}

// A missing loader is reported with the package that contains it.
func TestDoctorWithoutLoaders(t *testing.T) {
	has := func(f vips.Format) bool { return f != vips.HEIF && f != vips.TIFF && f != vips.PDF }
	found, err := checkup.Examine(has, "")
	require.NoError(t, err)
	assert.Equal(t, []checkup.Missing{
		{What: "a libvips that reads tiff", For: "images in tiff", Package: "libvips42 libtiff6"},
		{What: "a libvips that reads heic", For: "images in heic", Package: "libvips42 libheif1"},
		{What: "a libvips that reads pdf", For: "images in pdf, which are blocked by default",
			Package: "libvips42 libpoppler-glib8"},
	}, found.Missing)
	var out strings.Builder
	require.NoError(t, printCheckup(&out, found))
	assert.Contains(t, out.String(), "does not decode      heic tiff\n")
	assert.Contains(t, out.String(),
		"missing              a libvips that reads heic, for images in heic: apt-get install libvips42 libheif1\n")
}

// Each part of the program has a licence. A new module needs a line in internal/checkup/license.go.
func TestDoctorLicenses(t *testing.T) {
	var found []checkup.License
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "doctor", "--licenses", "--json")), &found))
	names := map[string]string{}
	for _, l := range found {
		assert.NotEmpty(t, l.Version, l.Name)
		assert.NotEqual(t, "unknown", l.License, l.Name)
		names[l.Name] = l.License
	}
	assert.Equal(t, "Apache-2.0", names["spool"])
	assert.Contains(t, names["FFmpeg"], "GPL")
	assert.Equal(t, "MIT", names["github.com/asticode/go-astiav"])
	assert.Contains(t, tool.Done(t, "doctor", "--licenses"), "libvips")
}
