package record_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/record"
	"github.com/spoolmedia/spool/source/npy"
)

// npyOf returns an NPY file of values in a type.
func npyOf(kind npy.Kind, size int, bits ...uint64) []byte {
	var data []byte
	for _, v := range bits {
		data = append(data, binary.LittleEndian.AppendUint64(nil, v)[:size]...)
	}
	return npy.Array{Type: npy.Type{Kind: kind, Size: size}, Shape: []int{len(bits)}, Data: data}.Append(nil)
}

// Numbers are those of an NPY file, of any type whose values fit.
func TestNumbersOfArrays(t *testing.T) {
	set := newDecoders(t)
	f32, f64 := func(v float32) uint64 { return uint64(math.Float32bits(v)) }, math.Float64bits
	minus := uint64(math.MaxUint64) // -1
	for name, c := range map[string]struct {
		file  []byte
		dtype spool.DType
		want  []float64 // nil: an error
	}{
		"same":       {npyOf(npy.Float, 4, f32(0.1), f32(-2)), spool.Float32, []float64{float64(float32(0.1)), -2}},
		"wider":      {npyOf(npy.Float, 4, f32(0.1), f32(-2)), spool.Float64, []float64{float64(float32(0.1)), -2}},
		"narrower":   {npyOf(npy.Float, 8, f64(0.1), f64(-2)), spool.Float32, []float64{float64(float32(0.1)), -2}},
		"too large":  {npyOf(npy.Float, 8, f64(1e300), f64(-2)), spool.Float32, nil},
		"integers":   {npyOf(npy.Int, 4, minus, 7), spool.Int64, []float64{-1, 7}},
		"int64":      {npyOf(npy.Int, 8, minus, 7), spool.Int64, []float64{-1, 7}},
		"int16":      {npyOf(npy.Int, 2, minus, 7), spool.Float32, []float64{-1, 7}},
		"int8":       {npyOf(npy.Int, 1, minus, 7), spool.Float64, []float64{-1, 7}},
		"uint32":     {npyOf(npy.Uint, 4, math.MaxUint32, 7), spool.Int64, []float64{math.MaxUint32, 7}},
		"uint16":     {npyOf(npy.Uint, 2, 65535, 7), spool.Int64, []float64{65535, 7}},
		"bytes":      {npyOf(npy.Uint, 1, 255, 7), spool.Uint8, []float64{255, 7}},
		"truth":      {npyOf(npy.Bool, 1, 1, 0), spool.Uint8, []float64{1, 0}},
		"negative":   {npyOf(npy.Int, 1, minus, 7), spool.Uint8, nil},
		"fractions":  {npyOf(npy.Float, 4, f32(0.5), f32(-2)), spool.Int64, nil},
		"three":      {npyOf(npy.Float, 4, 0, 0, 0), spool.Float32, nil},
		"truncated":  {npyOf(npy.Float, 4, 0, 0)[:100], spool.Float32, nil},
		"more":       {append(npyOf(npy.Float, 4, 0, 0), 0), spool.Float32, nil},
		"complex":    {npyOf(npy.Complex, 8, 0, 0), spool.Float32, nil},
		"JSON still": {[]byte("[0.5, -2]"), spool.Float32, []float64{0.5, -2}},
	} {
		schema := record.Schema{{Name: "n", Kind: record.Number{DType: c.dtype, Shape: spool.Shape{2}}}}
		d, err := decodeAll(t, set, nil, schema, map[string]any{"n": c.file}, order.Draw{})
		if c.want == nil {
			require.Error(t, err, name)
			assert.NotEmpty(t, spool.ClassOf(err), name)
			assert.ErrorContains(t, err, " n: ", name)
			continue
		}
		require.NoError(t, err, name)
		var got []float64
		for b := d.arrays["n"]; len(b) > 0; b = b[c.dtype.Size():] {
			switch c.dtype {
			case spool.Float32:
				got = append(got, float64(math.Float32frombits(binary.NativeEndian.Uint32(b))))
			case spool.Float64:
				got = append(got, math.Float64frombits(binary.NativeEndian.Uint64(b)))
			case spool.Int64:
				got = append(got, float64(int64(binary.NativeEndian.Uint64(b))))
			default:
				got = append(got, float64(b[0]))
			}
		}
		assert.Equal(t, c.want, got, name)
	}
}
