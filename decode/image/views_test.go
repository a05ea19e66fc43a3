package image_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/decodetest"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/resize"
)

// Each view has the bytes and the region of a decode of its own.
func TestViews(t *testing.T) {
	var files []string
	for _, pattern := range []string{"photos/*/*.jpg", "hard/good/*"} {
		found, err := filepath.Glob(filepath.Join("../../testdata", pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.NotEmpty(t, files)
	d := decodetest.New(t, decoders.Options{}).Images
	r := seed.Rand(t)
	profiles := []resize.Profile{resize.Exact, resize.Pillow, resize.Fast}
	colors := []decode.Color{decode.RGB, decode.BGR, decode.Gray, decode.RGBA}
	decodes := func() int64 { return d.JPEG().Own + d.JPEG().Turbo }
	shared := 0
	for n, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, views := range [][]image.View{viewsOf(r, profiles[n%3], colors[n%4]), viewsOf(r, resize.Exact, decode.RGB)} {
			before := decodes()
			reports, err := d.DecodeViews(context.Background(), spool.Bytes{Data: data}, views)
			if decoded := decodes() - before; err == nil && decoded > 0 && views[0].Spec.Resize.Profile != resize.Fast {
				require.EqualValues(t, 1, decoded, file)
				shared++
			}
			for i, v := range views {
				want := make([]byte, len(v.Dst))
				report, alone := d.DecodeInto(context.Background(), spool.Bytes{Data: data}, want, v.Spec)
				if alone != nil {
					require.Error(t, err, file)
					break
				}
				require.NoError(t, err, file)
				require.Equal(t, want, v.Dst, "%s, view %d: %+v", file, i, v.Spec.Resize)
				assert.Equal(t, report.FlipX, reports[i].FlipX)
				assert.InDelta(t, report.Region.Left, reports[i].Region.Left, 1e-9)
				assert.InDelta(t, report.Region.Height, reports[i].Region.Height, 1e-9)
				assert.Equal(t, report.Info, reports[i].Info)
				assert.Equal(t, report.Warnings, reports[i].Warnings)
			}
		}
	}
	assert.Greater(t, shared, len(files)/2, "JPEG images that were decoded once")
}

// viewsOf returns views with random crops, and one of the whole image.
func viewsOf(r *rand.Rand, profile resize.Profile, color decode.Color) (views []image.View) {
	augment := resize.Augment{ResizedCrop: new(resize.RandomResizedCrop), FlipX: 0.5, FlipY: 0.5}
	for i := range 3 {
		spec := image.Spec{Color: color, Resize: resize.Spec{Width: 8 + r.IntN(40), Height: 8 + r.IntN(40),
			Profile: profile}}
		if i == 1 {
			spec.DType, spec.Layout = spool.Float32, spool.CHW
			spec.Mean, spec.Std = []float32{0.4}, []float32{0.2}
		}
		if by := (order.Draw{Seed: r.Uint64()}); i < 2 || r.IntN(2) == 0 {
			base := spec.Resize
			spec.Draw = func(width, height int) (resize.Spec, error) { return augment.Draw(base, by, width, height) }
		}
		desc, _ := spec.Sample()
		n, _ := desc.Bytes()
		views = append(views, image.View{Spec: spec, Dst: make([]byte, n)})
	}
	return views
}
