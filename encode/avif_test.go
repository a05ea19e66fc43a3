package encode_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/encode"
	"github.com/spoolmedia/spool/internal/decoders"
)

// libavif reads what each encoder wrote, alpha included. A second call gives the same bytes.
func TestAVIF(t *testing.T) {
	decoder, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer decoder.Close()
	for _, encoder := range encode.Stills() {
		for name, c := range map[string]struct {
			channels int
			o        encode.ImageOptions
			psnr     float64
		}{
			"rgb":  {3, encode.ImageOptions{Quality: 90, Effort: 1}, 30},
			"gray": {1, encode.ImageOptions{}, 28},
			"rgba": {4, encode.ImageOptions{Quality: 90}, 30},
		} {
			if testing.Short() && (name == "rgb") == (encoder == "libaom-av1") { // libaom has gray and alpha, the others color
				continue
			}
			t.Run(encoder+" "+name, func(t *testing.T) {
				if c.channels == 4 && encoder != "libaom-av1" {
					t.Skip("without gray, which alpha needs")
				}
				pixels, d := photo(t, c.channels)
				pixels, d = even(pixels, d)
				c.o.Format = encode.AVIF
				file, err := encode.ImageBy(t.Context(), encoder, pixels, d, c.o)
				require.NoError(t, err)
				again, err := encode.ImageBy(t.Context(), encoder, pixels, d, c.o)
				require.NoError(t, err)
				assert.Equal(t, file, again)
				spec := image.Spec{Color: decode.Gray}
				if c.channels > 1 {
					spec.Color = map[int]decode.Color{3: decode.RGB, 4: decode.RGBA}[c.channels]
				}
				got, _, err := decoder.Images.Decode(t.Context(), spool.Bytes{Data: file}, spec)
				require.NoError(t, err)
				defer got.Release()
				assert.Equal(t, d.Shape, got.Desc().Shape)
				assert.Greater(t, psnr(pixels, got.Bytes()), c.psnr)
			})
		}
	}
}

// even leaves out the last column or row of odd sides, which some encoders do not have.
func even(pixels []byte, d spool.Desc) ([]byte, spool.Desc) {
	stride := d.Shape[1] * d.Shape[2]
	d.Shape = spool.Shape{d.Shape[0] &^ 1, d.Shape[1] &^ 1, d.Shape[2]}
	var kept []byte
	for y := range d.Shape[0] {
		kept = append(kept, pixels[y*stride:][:d.Shape[1]*d.Shape[2]]...)
	}
	return kept, d
}

// Odd sides keep all of the chroma, and a file's name selects the format.
func TestAVIFFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.avif")
	pixels := make([]byte, 3*5*7)
	require.NoError(t, encode.ImageFile(t.Context(), path, pixels, spool.Desc{Shape: spool.Shape{5, 7, 3}},
		encode.ImageOptions{}))
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	info, err := image.ReadHeader(t.Context(), data, decode.Limits{}.WithDefaults())
	require.NoError(t, err)
	assert.Equal(t, [2]int{7, 5}, [2]int{info.Width, info.Height})
	for _, o := range []encode.ImageOptions{{Format: encode.AVIF, Lossless: true}, {Format: encode.AVIF, Effort: 7},
		{Format: encode.AVIF, Chroma: encode.Chroma444}, {Format: encode.AVIF + 1}} {
		require.ErrorIs(t, o.Validate(), spool.ErrOptions)
	}
}
