package half_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/half"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// Values from the tables of IEEE 754, and all numbers there and back.
func TestHalf(t *testing.T) {
	for bits, want := range map[uint16]float64{0: 0, 0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 0x1p-14, 1: 0x1p-24,
		0x3555: 0.333251953125, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1)} {
		assert.Equal(t, want, half.Float(bits))
		assert.Equal(t, bits, half.Bits(want))
	}
	assert.True(t, math.IsNaN(half.Float(0x7e00)))
	assert.True(t, math.IsNaN(half.Float(half.Bits(math.NaN()))))
	assert.True(t, math.Signbit(half.Float(0x8000)))
	previous := math.Inf(-1)
	for b := range 0x7c01 {
		x := half.Float(uint16(b))
		require.Greater(t, x, previous)
		require.Equal(t, uint16(b), half.Bits(x))
		require.Equal(t, uint16(b)|1<<15, half.Bits(-x))
		if b > 0 && b < 0x7c00 { // the tie goes to the even number, and others to the nearest
			middle := (previous + x) / 2
			require.Equal(t, uint16(b-1)+uint16(b-1)&1, half.Bits(middle))
			require.Equal(t, uint16(b-1), half.Bits(math.Nextafter(middle, 0)))
			require.Equal(t, uint16(b), half.Bits(math.Nextafter(middle, math.Inf(1))))
		}
		previous = x
	}
}

// A bfloat16 is the upper half of a float32. All numbers, the ties between neighbors, and what is no number.
func TestBrain(t *testing.T) {
	for b := range uint32(0x7f80) {
		low, high := math.Float32frombits(b<<16), math.Float32frombits((b+1)<<16)
		require.Equal(t, uint16(b), half.BrainBits(low))
		require.Equal(t, uint16(b)|1<<15, half.BrainBits(math.Float32frombits(b<<16|1<<31)))
		middle := math.Float32frombits(b<<16 | 1<<15)
		require.Equal(t, uint16(b)+uint16(b)&1, half.BrainBits(middle))
		require.Equal(t, uint16(b), half.BrainBits(math.Nextafter32(middle, low)))
		require.Equal(t, uint16(b)+1, half.BrainBits(math.Nextafter32(middle, high)))
	}
	inf := float32(math.Inf(1))
	assert.Equal(t, uint16(0x7f80), half.BrainBits(inf))
	assert.Equal(t, uint16(0xff80), half.BrainBits(-inf))
	for _, bits := range []uint32{0x7f800001, 0x7fffffff, 0xffffffff} { // quiet or not, and with any payload
		got := half.BrainBits(math.Float32frombits(bits))
		assert.True(t, math.IsNaN(float64(math.Float32frombits(uint32(got)<<16))), "%x", bits)
	}
}
