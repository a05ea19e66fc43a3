package image_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/need"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// expected is the result of Pillow 13 for a file. It is in an expected.json, of testdata or of the shared media.
type expected struct {
	Kind    string
	Error   string
	Classes []spool.Class // our classes, for a bad file
	Mode    string
	Frames  []string `json:"frames_rgba"`    // digests of the frames, if there are several
	Samples string   `json:"samples_sha256"` // of 16 bits
	SRGB    string   // a file with the pixels after conversion by the embedded profile
	Shape   []int
	SHA256  string `json:"rgb_sha256"`
	Small   string `json:"rgb_224"` // 224x224 BILINEAR, an NPY file
}

// lossy are the formats whose decoders may round differently; other tests compare them with a tolerance.
var lossy = []string{".heic"}

func readExpected(t *testing.T, path ...string) map[string]expected {
	t.Helper()
	all := map[string]expected{}
	require.NoError(t, json.Unmarshal(decodetest.ReadFile(t, path...), &all))
	return all
}

// Every good image of the tests and of the shared media decodes to Pillow's bytes.
func TestPixelsArePillows(t *testing.T) {
	compare(t, media, readExpected(t, media, "expected.json"), 90, 1)
}

func TestPixelsArePillowsShared(t *testing.T) {
	need.Media(t)
	compare(t, shared, readExpected(t, shared, "expected", "index.json"), 100, 7)
}

func digest(pixels []byte) string { return fmt.Sprintf("%x", sha256.Sum256(pixels)) }

// compare compares at least so many files exactly, and every nth file in short mode.
func compare(t *testing.T, root string, all map[string]expected, least, nth int) {
	d := decodetest.New(t, decoders.Options{})
	compared := 0
	maps.DeleteFunc(all, func(_ string, want expected) bool {
		return want.Kind == "video" || want.Error != "" || want.SHA256 == ""
	})
	for _, name := range short.Some(slices.Sorted(maps.Keys(all)), nth) {
		want := all[name]
		data := decodetest.ReadFile(t, root, name)
		t.Run(name, func(t *testing.T) {
			got, report := decodetest.Image(t, d, data, image.Spec{})
			require.Equal(t, spool.Shape(want.Shape), report.Desc.Shape)
			exact := !slices.Contains(lossy, filepath.Ext(name)) || strings.Contains(name, "lossless")
			if exact && !(want.Mode == "I;16" && root == shared) { // in that case Pillow clips instead of taking the high byte
				require.Equal(t, want.SHA256, digest(got))
				compared++
			}
			if want.Small == "" || !exact || want.Mode == "I;16" || want.Mode == "RGBA" {
				return
			}
			small, _ := decodetest.Image(t, d, data, image.Spec{Resize: resize.Spec{Width: 224, Height: 224}})
			npy := decodetest.ReadFile(t, root, "expected", want.Small)
			largest, mean := decodetest.Worst(t, npy[len(npy)-len(small):], small)
			assert.LessOrEqual(t, largest, 1)
			bound := 0.05
			if h, w := want.Shape[0], want.Shape[1]; h > 224 && h-224 > 2*(w-224) {
				bound = 0.3 // Pillow 13 runs the vertical pass first
			}
			assert.LessOrEqual(t, mean, bound)
		})
	}
	require.GreaterOrEqual(t, compared, short.Of(least, least/nth))
}

// Results of 16 bits are the samples of the file, as OpenCV reads them.
func TestSamplesAreOpenCVs(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	compared := 0
	for name, want := range readExpected(t, media, "expected.json") {
		if want.Samples == "" {
			continue
		}
		spec := image.Spec{DType: spool.Uint16}
		if strings.Contains(name, "gray") {
			spec.Color = decode.Gray
		}
		got, report := decodetest.Image(t, d, decodetest.ReadFile(t, media, name), spec)
		require.Equal(t, 16, report.Info.Bits)
		require.Equal(t, want.Samples, digest(got), name)
		compared++
	}
	require.GreaterOrEqual(t, compared, 6)
}

// Conversion by an embedded profile is within 2 levels of Pillow's ImageCms.
func TestProfilesAreImageCms(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	compared := 0
	for name, want := range readExpected(t, media, "expected.json") {
		if want.SRGB == "" {
			continue
		}
		data := decodetest.ReadFile(t, media, name)
		plain, report := decodetest.Image(t, d, data, image.Spec{})
		require.Zero(t, report.Trace.Profile)
		got, report := decodetest.Image(t, d, data, image.Spec{ICC: true})
		require.Positive(t, report.Trace.Profile)
		require.Zero(t, report.Warnings)
		largest, _ := decodetest.Worst(t, decodetest.ReadFile(t, media, want.SRGB), got)
		require.LessOrEqual(t, largest, 2, name)
		changed, _ := decodetest.Worst(t, plain, got)
		require.Greater(t, changed, 2, "%s: nothing was converted", name)
		compared++
	}
	require.GreaterOrEqual(t, compared, 4)
}

// Every bad file gets one of the classes that are recorded for it.
func TestBadFilesHaveTheirClass(t *testing.T) {
	d := decodetest.New(t, decoders.Options{})
	bad := 0
	for name, want := range readExpected(t, media, "expected.json") {
		if want.Classes == nil {
			continue
		}
		bad++
		_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: decodetest.ReadFile(t, media, name)}, image.Spec{})
		require.Contains(t, want.Classes, spool.ClassOf(err), "%s: %v", name, err)
		var e *spool.Error
		require.ErrorAs(t, err, &e)
		require.NotEmpty(t, e.Detail(), name)
		require.NotContains(t, e.Detail(), "\n", name)
	}
	require.GreaterOrEqual(t, bad, 15)
}

func TestBadFilesShared(t *testing.T) {
	need.Media(t)
	d := decodetest.New(t, decoders.Options{})
	for name, class := range map[string]spool.Class{
		"hard/empty.jpg": spool.ErrEmpty, "hard/text.jpg": spool.ErrNotMedia, "hard/zeros.jpg": spool.ErrNotMedia,
		"hard/header_only.jpg": spool.ErrTruncated, "hard/truncated60.jpg": spool.ErrTruncated,
		"hard/truncated99.jpg":  spool.ErrTruncated,
		"libvips/truncated.jpg": spool.ErrTruncated, "hard/bomb.png": spool.ErrTooLarge,
	} {
		_, _, err := d.Images.Decode(ctx, spool.Bytes{Data: decodetest.ReadFile(t, shared, name)}, image.Spec{})
		require.ErrorIs(t, err, class, name)
	}
}
