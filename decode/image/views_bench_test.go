package image_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// BenchmarkViews decodes two random crops of photos: together, and one after the other.
func BenchmarkViews(b *testing.B) {
	files, err := filepath.Glob("../../../shared/media/photos/*.jpg")
	require.NoError(b, err)
	if len(files) == 0 {
		files, err = filepath.Glob("../../testdata/photos/*/*.jpg")
		require.NoError(b, err)
	}
	photos := make([]spool.Bytes, len(files))
	for i, file := range files {
		photos[i].Data, err = os.ReadFile(file)
		require.NoError(b, err)
	}
	d := decodetest.New(b, decoders.Options{}).Images
	base := resize.Spec{Width: 224, Height: 224}
	augment := resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5}
	dst := [2][]byte{make([]byte, 224*224*3), make([]byte, 224*224*3)}
	views := func(n int) []image.View {
		both := make([]image.View, 2)
		for k := range both {
			by := order.Draw{ID: uint64(n), View: k}
			both[k] = image.View{Dst: dst[k], Spec: image.Spec{Resize: base,
				Draw: func(width, height int) (resize.Spec, error) { return augment.Draw(base, by, width, height) }}}
		}
		return both
	}
	b.Run("together", func(b *testing.B) {
		for n := range b.N {
			_, err := d.DecodeViews(b.Context(), photos[n%len(photos)], views(n))
			require.NoError(b, err)
		}
	})
	b.Run("apart", func(b *testing.B) {
		for n := range b.N {
			for _, v := range views(n) {
				_, err := d.DecodeInto(b.Context(), photos[n%len(photos)], v.Dst, v.Spec)
				require.NoError(b, err)
			}
		}
	})
}
