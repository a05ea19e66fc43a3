package image

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/internal/jpegfile"
	"github.com/spoolmedia/spool/decode/internal/tiff"
	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/mutate"
	"github.com/spoolmedia/spool/internal/need"
)

// exifCases reads the files of testdata/exif.json, with the orientation that torchvision applies.
func exifCases(tb testing.TB) (files map[string][]byte, want map[string]int) {
	tb.Helper()
	text, err := os.ReadFile("testdata/exif.json")
	require.NoError(tb, err)
	var report struct {
		Base  string
		Cases map[string]struct {
			Segments    string
			Torchvision int
		}
	}
	require.NoError(tb, json.Unmarshal(text, &report))
	require.NotEmpty(tb, report.Cases)
	base, err := hex.DecodeString(report.Base)
	require.NoError(tb, err)
	files, want = map[string][]byte{}, map[string]int{}
	for name, c := range report.Cases {
		segments, err := hex.DecodeString(c.Segments)
		require.NoError(tb, err)
		files[name] = append(append(append([]byte{}, base[:2]...), segments...), base[2:]...)
		want[name] = c.Torchvision
	}
	return files, want
}

func TestOrientationIsTorchvisions(t *testing.T) {
	files, want := exifCases(t)
	// torchvision reads an incomplete entry; this package requires a complete one, like Pillow
	for _, name := range []string{"value cut", "value's padding cut"} {
		require.Equal(t, 6, want[name])
		want[name] = 1
	}
	for name, data := range files {
		assert.Equal(t, want[name], jpegfile.Orientation(exifOf(data)), name)
	}
}

// exifOf is the Exif data of a JPEG file.
func exifOf(data []byte) []byte {
	exif, _ := jpegfile.Metadata(data)
	return exif
}

func TestOrientationOfFiles(t *testing.T) {
	for n := 1; n <= 8; n++ {
		data, err := os.ReadFile(fmt.Sprintf("../../testdata/hard/good/exif%d.jpg", n))
		require.NoError(t, err)
		require.Equal(t, n, jpegfile.Orientation(exifOf(data)))
	}
}

// The orientations that Pillow 13 reads.
func TestOrientationOfSharedMedia(t *testing.T) {
	want := map[string]int{"hard/flipped.jpg": 1, "hard/s420.jpg": 1, "libvips/sample.jpg": 1}
	for n := 1; n <= 8; n++ {
		want[fmt.Sprintf("hard/exif%d.jpg", n)] = n
		want[fmt.Sprintf("libvips/rotation/%d.jpg", n)] = n
	}
	for name, n := range want {
		data, err := os.ReadFile(need.Media(t, name))
		require.NoError(t, err)
		assert.Equal(t, n, jpegfile.Orientation(exifOf(data)), name)
	}
}

func FuzzExif(f *testing.F) {
	files, _ := exifCases(f)
	var all [][]byte
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all = append(all, files[name])
		if exif := exifOf(files[name]); exif != nil {
			all = append(all, exif)
		}
	}
	mutate.Fuzz(f, all, func(t testing.TB, data []byte, _ uint64) {
		for _, exif := range [][]byte{data, exifOf(data)} {
			if n := jpegfile.Orientation(exif); n < 1 || n > 8 {
				t.Fatalf("orientation %d", n)
			}
		}
		_, plain := tiff.Parse(data)
		_, inside := tiff.Parse(exifOf(data))
		if plain || inside {
			fuzzed.Accept()
		}
		if _, profile := jpegfile.Metadata(data); len(profile) > len(data) {
			t.Fatalf("a profile of %d bytes in %d", len(profile), len(data))
		}
	})
}
