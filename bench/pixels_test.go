package bench_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
)

func TestPixels(t *testing.T) {
	for _, set := range append(sets(t), shared(t)...) {
		if testing.Short() && len(set.Files) > 100 {
			continue // testdata/photos is smaller
		}
		t.Run(set.Name, func(t *testing.T) { verify(t, set) })
	}
}

// recorded is torchvision's result for a set: the SHA-256 of the RGB bytes of all images, in the order of their names.
// peers/reference.py wrote it. For generated photos, the file is in their folder.
type recorded struct {
	Files   int    `json:"pictures"`
	Own     string `json:"own"`     // at their own size
	Resized string `json:"resized"` // at 224x224
}

// verify compares everything that is timed with torchvision's pixels, and returns the photos.
func verify(tb testing.TB, set bench.Set) []photo {
	tb.Helper()
	list := read(tb, set)
	want := expected(tb, set.Name)
	require.Len(tb, list, want.Files)
	d := newDecoder(tb)

	whole, small, batches := sha256.New(), sha256.New(), sha256.New()
	memory, bare, floats := make([]byte, largest(list)), make([]byte, largest(list)), make([]byte, 4*3*side*side)
	for i, p := range list {
		rgb := memory[:3*p.width*p.height]
		decodeInto(tb, d, p, own, rgb)
		whole.Write(rgb)
		if p.upright {
			require.NoError(tb, bareRGB.run(p, bare))
			require.True(tb, bytes.Equal(rgb, bare[:len(rgb)]), "the floor gives other pixels")
		}

		rgb = memory[:3*side*side]
		decodeInto(tb, d, p, resized, rgb)
		small.Write(rgb)
		if i < 4 { // floats follow from the bytes, and have their own tests
			decodeInto(tb, d, p, tensor, floats)
			requireNormalized(tb, rgb, floats)
		}
	}
	load(tb, set.Files, 2, func(pixels []byte) { batches.Write(pixels) })

	require.Equal(tb, want.Own, hex.EncodeToString(whole.Sum(nil)), "decoding")
	require.Equal(tb, want.Resized, hex.EncodeToString(small.Sum(nil)), "resizing")
	require.Equal(tb, want.Resized, hex.EncodeToString(batches.Sum(nil)), "loading")
	return list
}

func expected(tb testing.TB, set string) recorded {
	tb.Helper()
	path := "testdata/pixels.json"
	if strings.HasPrefix(set, "generated") {
		path = filepath.Join("..", bench.Media, "pixels.json")
	}
	data, err := os.ReadFile(path)
	require.NoError(tb, err, "make bench-media writes torchvision's pixels of generated photos")
	var file struct {
		Sets map[string]recorded `json:"sets"`
	}
	require.NoError(tb, json.Unmarshal(data, &file))
	require.Contains(tb, file.Sets, set)
	return file.Sets[set]
}

func decodeInto(tb testing.TB, d *decoders.Set, p photo, spec image.Spec, dst []byte) {
	tb.Helper()
	_, err := d.Images.DecodeInto(context.Background(), spool.Bytes{Data: p.data}, dst, spec)
	require.NoError(tb, err)
}

// requireNormalized compares planes of floats with interleaved bytes.
func requireNormalized(tb testing.TB, rgb, floats []byte) {
	tb.Helper()
	for i, v := range rgb {
		x, c := i/3, i%3
		want := (float64(v)/255 - float64(tensor.Mean[c])) / float64(tensor.Std[c])
		got := math.Float32frombits(binary.LittleEndian.Uint32(floats[4*(c*side*side+x):]))
		if math.Abs(want-float64(got)) > 1e-6 {
			require.InDelta(tb, want, got, 1e-6, "channel %d of pixel %d", c, x)
		}
	}
}
