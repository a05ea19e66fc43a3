package image_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	spoolimage "github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/decode/video"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/internal/seed"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/resize"
)

// indices decodes the indices of an image.
func indices(t *testing.T, data []byte, spec spoolimage.Spec) ([]byte, spool.Shape, error) {
	t.Helper()
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	spec.Color = decode.Index
	before := bytes.Clone(data)
	b, _, err := d.Images.Decode(ctx, spool.Bytes{Data: data}, spec)
	require.Equal(t, before, data, "the bytes are lent")
	if err != nil {
		return nil, nil, err
	}
	defer b.Release()
	return bytes.Clone(b.Bytes()), b.Desc().Shape, nil
}

// Indices equal Pillow's np.array(Image.open(file)) for modes P and L.
func TestIndices(t *testing.T) {
	text, err := os.ReadFile("testdata/indexed.json")
	require.NoError(t, err)
	var want map[string]struct {
		Mode   string
		Size   [2]int
		SHA256 string
	}
	require.NoError(t, json.Unmarshal(text, &want))
	require.Greater(t, len(want), 25)
	for name, w := range want {
		data, err := os.ReadFile(filepath.Join("testdata/indexed", name))
		require.NoError(t, err)
		got, shape, err := indices(t, data, spoolimage.Spec{})
		require.NoError(t, err, name)
		assert.Equal(t, spool.Shape{w.Size[1], w.Size[0], 1}, shape, name)
		assert.Equal(t, w.SHA256, fmt.Sprintf("%x", sha256.Sum256(got)), name)
		for cut := 0; cut < len(data); cut += short.Of(1, 16) { // no crash
			_, _, _ = indices(t, data[:cut], spoolimage.Spec{})
		}
	}
}

// Indices are those given to Go's encoders, for palettes of any length, and indices beyond them.
func TestIndicesOfGo(t *testing.T) {
	r := seed.Rand(t)
	for range 60 {
		n := 1 + r.IntN(256)
		palette := make(color.Palette, n)
		for i := range palette {
			palette[i] = color.NRGBA{uint8(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32()), []uint8{255, 255, 0}[r.IntN(3)]}
		}
		img := image.NewPaletted(image.Rect(0, 0, 1+r.IntN(40), 1+r.IntN(40)), palette)
		for i := range img.Pix {
			img.Pix[i] = uint8(r.IntN(n))
		}
		for name, encode := range map[string]func(*bytes.Buffer) error{
			"png": func(b *bytes.Buffer) error { return png.Encode(b, img) },
			"gif": func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) },
		} {
			var b bytes.Buffer
			require.NoError(t, encode(&b))
			got, _, err := indices(t, b.Bytes(), spoolimage.Spec{})
			require.NoError(t, err, name)
			require.Equal(t, img.Pix, got, "%s of %d colours", name, n)
		}
	}
}

// Resized indices are indices of the image, chosen by the filter as in any image.
func TestIndicesResized(t *testing.T) {
	data, err := os.ReadFile("testdata/indexed/mask.png")
	require.NoError(t, err)
	whole, shape, err := indices(t, data, spoolimage.Spec{})
	require.NoError(t, err)
	height, width := shape[0], shape[1]
	got, _, err := indices(t, data,
		spoolimage.Spec{Resize: resize.Spec{Width: 2 * width, Height: 3 * height, Filter: resize.NearestFloor, FlipX: true}})
	require.NoError(t, err)
	for y := range 3 * height {
		for x := range 2 * width {
			require.Equal(t, whole[y/3*width+(2*width-1-x)/2], got[y*2*width+x])
		}
	}
	padded, _, err := indices(t, data,
		spoolimage.Spec{Resize: resize.Spec{Width: width, Height: 2 * height, Mode: resize.Fit, Filter: resize.Nearest,
			PadColor: [3]uint8{255, 255, 255}}})
	require.NoError(t, err)
	require.Equal(t, bytes.Repeat([]byte{255}, width), padded[:width])
}

// The second page of a TIFF file has indices; in an animation only the first frame has them.
func TestIndicesOfFrames(t *testing.T) {
	pages, err := os.ReadFile("testdata/indexed/pages.tiff")
	require.NoError(t, err)
	first, shape, err := indices(t, pages, spoolimage.Spec{})
	require.NoError(t, err)
	second, _, err := indices(t, pages, spoolimage.Spec{Frame: 1})
	require.NoError(t, err)
	row := shape[1]
	for y := range shape[0] {
		require.Equal(t, first[y*row:][:row], second[(shape[0]-1-y)*row:][:row])
	}
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	all, _, err := d.Images.DecodeFrames(ctx, spool.Bytes{Data: pages}, spoolimage.Spec{Color: decode.Index}, 0)
	require.NoError(t, err)
	require.Equal(t, append(first, second...), all.Bytes())
	all.Release()
	animated, err := os.ReadFile("testdata/indexed/animated.gif")
	require.NoError(t, err)
	_, _, err = indices(t, animated, spoolimage.Spec{Frame: 1})
	require.ErrorIs(t, err, spool.ErrUnsupported)
	_, _, err = d.Images.DecodeFrames(ctx, spool.Bytes{Data: animated}, spoolimage.Spec{Color: decode.Index}, 0)
	require.ErrorIs(t, err, spool.ErrUnsupported)
}

// Images without indices are refused, and so are options that would change indices.
func TestNoIndices(t *testing.T) {
	photo, err := os.ReadFile(filepath.Join(media, "photos", "animal", "00.jpg"))
	require.NoError(t, err)
	_, _, err = indices(t, photo, spoolimage.Spec{})
	require.ErrorIs(t, err, spool.ErrUnsupported)
	mask, err := os.ReadFile("testdata/indexed/mask.png")
	require.NoError(t, err)
	for _, spec := range []spoolimage.Spec{
		{Resize: resize.Spec{Width: 5, Height: 5}}, {Resize: resize.Spec{Shorter: 5, Filter: resize.Box}},
		{DType: spool.Float32}, {DType: spool.Uint16}, {ICC: true}, {Alpha: spoolimage.BlendAlpha},
		{Draw: func(int, int) (resize.Spec, error) { return resize.Spec{Width: 5, Height: 5}, nil }},
	} {
		_, _, err = indices(t, mask, spec)
		require.ErrorIs(t, err, spool.ErrOptions)
	}
	require.ErrorIs(t, video.Spec{Color: decode.Index, DType: spool.Float32}.Validate(), spool.ErrOptions)
}
