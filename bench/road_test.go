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
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/resize"
	"github.com/spoolmedia/spool/source"
)

// side is the size that pictures are brought to.
const side = 224

var (
	own     = decode.ImageSpec{}
	resized = decode.ImageSpec{Resize: resize.Spec{Width: side, Height: side}}
	tensor  = decode.ImageSpec{Resize: resize.Spec{Width: side, Height: side}, DType: spool.Float32, Layout: spool.CHW,
		Mean: []float32{0.485, 0.456, 0.406}, Std: []float32{0.229, 0.224, 0.225}} // ImageNet's, as torchvision's models take them
)

// photo is a file in memory.
type photo struct {
	data          []byte
	width, height int  // turned as its orientation says
	upright       bool // it need not be turned
}

// sets are the photos to measure with, the best set first.
func sets(tb testing.TB) []bench.Set {
	tb.Helper()
	all, err := bench.Photos("..")
	require.NoError(tb, err)
	return all
}

// shared are the photos beside the repository, where they are: for tests alone.
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

// best is the set that benchmarks are of. They say where it lies.
func best(b *testing.B) bench.Set {
	b.Helper()
	set := sets(b)[0]
	b.Logf("%d photos of %s (make bench-media generates 300)", len(set.Files), set.Glob)
	return set
}

// read takes a set into memory.
func read(tb testing.TB, set bench.Set) []photo {
	tb.Helper()
	list := make([]photo, len(set.Files))
	for i, file := range set.Files {
		var err error
		list[i].data, err = os.ReadFile(file)
		require.NoError(tb, err)
		info, err := decode.ProbeImage(context.Background(), list[i].data, decode.Limits{})
		require.NoError(tb, err, file)
		list[i].width, list[i].height = info.Oriented()
		list[i].upright = info.Orientation == 1
	}
	return list
}

// largest is how many bytes of memory every step does with: a tensor can be larger than its photo.
func largest(list []photo) int {
	n := 4 * 3 * side * side
	for _, p := range list {
		n = max(n, 3*p.width*p.height)
	}
	return n
}

// step is a way to decode a photo into memory of a goroutine's own.
type step struct {
	name string
	run  func(p photo, memory []byte) error
}

// bareRGB is the floor: libjpeg-turbo to RGB, and nothing else.
var bareRGB = step{"floor", func(p photo, memory []byte) error { return floor.JPEG(p.data, memory) }}

// steps are what is compared with the floor.
func steps(d *decode.Decoder) []step {
	into := func(spec decode.ImageSpec) func(photo, []byte) error {
		return func(p photo, memory []byte) error {
			n := 3 * p.width * p.height
			if sample, ok := spec.Sample(); ok {
				n, _ = sample.Bytes()
			}
			_, err := d.ImageInto(context.Background(), p.data, memory[:n], spec)
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

func newDecoder(tb testing.TB) *decode.Decoder {
	tb.Helper()
	d, err := decode.New(decode.Options{})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, d.Close()) })
	return d
}

// load runs a whole loader over the files and shows each batch's pixels.
func load(tb testing.TB, files []string, workers int, each func(pixels []byte)) {
	tb.Helper()
	ld, err := loader.Images(source.Files(files...), loader.ImageOptions{Spec: resized, Options: loader.Options{Workers: workers, OnError: loader.Fail}})
	require.NoError(tb, err)
	for b, err := range ld.Batches(context.Background()) {
		require.NoError(tb, err)
		each(b.Bytes())
		b.Release()
	}
	require.NoError(tb, ld.Close())
}
