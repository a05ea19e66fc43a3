package bench_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/bench"
	"github.com/spoolmedia/spool/cbridge/floor"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// side is the width and height of resized images.
const side = 224

var (
	own     = image.Spec{}
	resized = image.Spec{Resize: resize.Spec{Width: side, Height: side}}
	tensor  = image.Spec{Resize: resize.Spec{Width: side, Height: side}, DType: spool.Float32, Layout: spool.CHW,
		Mean: []float32{0.485, 0.456, 0.406}, Std: []float32{0.229, 0.224, 0.225}} // of ImageNet, for torchvision's models
)

// photo is a file in memory.
type photo struct {
	data          []byte
	width, height int  // after orientation
	upright       bool // its orientation is 1
}

// sets returns the sets of photos, the most suitable first.
func sets(tb testing.TB) []bench.Set {
	tb.Helper()
	all, err := bench.Photos("..")
	require.NoError(tb, err)
	return all
}

// shared returns the photos outside of the repository if they are available. Only tests use them.
func shared(tb testing.TB) []bench.Set {
	tb.Helper()
	set := bench.Set{Name: "shared/media/photos", Glob: "../../shared/media/photos/*.jpg"}
	var err error
	set.Files, err = filepath.Glob(set.Glob)
	require.NoError(tb, err)
	if len(set.Files) == 0 {
		return nil
	}
	return []bench.Set{set}
}

// best returns the set that benchmarks use, and logs its pattern.
func best(b *testing.B) bench.Set {
	b.Helper()
	set := sets(b)[0]
	b.Logf("%d photos of %s (make bench-media generates 300)", len(set.Files), set.Glob)
	return set
}

// read reads a set into memory.
func read(tb testing.TB, set bench.Set) []photo {
	tb.Helper()
	list := make([]photo, len(set.Files))
	for i, file := range set.Files {
		var err error
		list[i].data, err = os.ReadFile(file)
		require.NoError(tb, err)
		info, err := image.Probe(context.Background(), spool.Bytes{Data: list[i].data}, decode.Limits{})
		require.NoError(tb, err, file)
		list[i].width, list[i].height = info.Oriented()
		list[i].upright = info.Orientation == 1
	}
	return list
}

// largest returns the bytes of memory that suffice for every step. A tensor can be larger than its photo.
func largest(list []photo) int {
	n := 4 * 3 * side * side
	for _, p := range list {
		n = max(n, 3*p.width*p.height)
	}
	return n
}

// step decodes a photo into memory that belongs to a goroutine.
type step struct {
	name string
	run  func(p photo, memory []byte) error
}

// bareRGB is the floor: only libjpeg-turbo, to RGB.
var bareRGB = step{"floor", func(p photo, memory []byte) error { return floor.JPEG(p.data, memory) }}

// steps returns the steps that are compared with the floor.
func steps(d *decoders.Set) []step {
	into := func(spec image.Spec) func(photo, []byte) error {
		return func(p photo, memory []byte) error {
			n := 3 * p.width * p.height
			if sample, ok := spec.Sample(); ok {
				n, _ = sample.Bytes()
			}
			_, err := d.Images.DecodeInto(context.Background(), spool.Bytes{Data: p.data}, memory[:n], spec)
			return err
		}
	}
	return []step{
		{"floor-planar", func(p photo, _ []byte) error { return floor.JPEGPlanar(p.data) }},
		{"decode", into(own)},
		{"resize-224", into(resized)},
		{"tensor-224", into(tensor)},
	}
}

func newDecoder(tb testing.TB) *decoders.Set {
	tb.Helper()
	d, err := decoders.New(decoders.Options{})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, d.Close()) })
	return d
}

// load runs a whole loader over the files, and calls each with the pixels of each batch.
func load(tb testing.TB, files []string, workers int, each func(pixels []byte)) {
	tb.Helper()
	ld, err := loader.Images(source.Files(files...),
		loader.ImageOptions{Spec: resized, Options: loader.Options{Workers: workers, OnError: loader.Fail}})
	require.NoError(tb, err)
	for b, err := range ld.Batches(context.Background()) {
		require.NoError(tb, err)
		each(b.Bytes())
		b.Release()
	}
	require.NoError(tb, ld.Close())
}
