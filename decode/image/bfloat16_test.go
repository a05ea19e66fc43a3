package image_test

import (
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/decode/image"
	"github.com/spoolmedia/spool/internal/decoders"
	"github.com/spoolmedia/spool/resize"
)

// Results of bfloat16 are the floats of float32, each rounded to one of its two neighbors, and to none that is farther.
func TestBFloat16(t *testing.T) {
	d, err := decoders.New(decoders.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	data, err := os.ReadFile("../../testdata/photos/animal/00.jpg")
	require.NoError(t, err)
	file := spool.Bytes{Data: data}
	for _, profile := range []resize.Profile{resize.Exact, resize.Fast} {
		spec := image.Spec{DType: spool.Float32, Mean: []float32{0.485, 0.456, 0.406}, Std: []float32{0.229, 0.224, 0.225},
			Layout: spool.CHW, Resize: resize.Spec{Width: 40, Height: 30, Profile: profile}}
		floats, _, err := d.Images.Decode(t.Context(), file, spec)
		require.NoError(t, err)
		spec.DType = spool.BFloat16
		brains, report, err := d.Images.Decode(t.Context(), file, spec)
		require.NoError(t, err)
		require.Equal(t, spool.BFloat16, report.Desc.DType)
		for i := range 3 * 40 * 30 {
			exact := float64(math.Float32frombits(binary.NativeEndian.Uint32(floats.Bytes()[4*i:])))
			bits := binary.NativeEndian.Uint16(brains.Bytes()[2*i:])
			value := func(bits uint16) float64 { return float64(math.Float32frombits(uint32(bits) << 16)) }
			off := math.Abs(value(bits) - exact)
			for _, other := range []uint16{bits - 1, bits + 1} {
				require.LessOrEqual(t, off, math.Abs(value(other)-exact), "%v became %v", exact, value(bits))
			}
		}
		floats.Release()
		brains.Release()
	}
}
