package resample_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/cbridge/resample"
)

// random returns samples with many edge cases: the extremes, and halves between values that can be stored.
func random[T resample.Number](r *rand.Rand, n int) []T {
	list := make([]T, n)
	for i := range list {
		switch any(list[i]).(type) {
		case float32, float64:
			x := (2*r.Float64() - 1) * 1.1
			switch r.IntN(4) {
			case 0:
				x = math.Round(x*65536) / 65536
			case 1:
				x = float64([...]float64{-1, 1, 0, 2, -2, 1e9, -1e9, 1 - 0x1p-16, 1 - 0x1p-24}[r.IntN(9)])
			}
			list[i] = T(x)
		default:
			bits := r.Uint64()
			if r.IntN(4) == 0 {
				bits = [...]uint64{0, 1, ^uint64(0), 0x8080808080808080, 0x7f7f7f7f7f7f7f7f, 1 << 63, 1<<63 - 1, 1 << 31,
					1<<31 - 1}[r.IntN(9)]
			}
			list[i] = T(bits)
		}
	}
	return list
}

// loads compares the conversion of interleaved stereo with swresample, at every level.
func loads[T resample.Number](t *testing.T, format string) {
	t.Helper()
	in := random[T](rand.New(rand.NewPCG(7, 8)), 2*3001)
	want := ffmpeg[float32](t, format, 16000, 2, in, "-f", "f32le")
	require.Len(t, want, len(in))
	c := enter(t)
	defer c.Leave()
	for level := range resample.Levels {
		got := make([]float32, len(in))
		require.NoError(t, resample.MixAt(c, resample.Planes{Data: got, Stride: 3001}, resample.Interleaved(2, in), nil,
			level))
		for i := range in {
			if want[i] != got[i%2*3001+i/2] {
				require.Equal(t, want[i], got[i%2*3001+i/2], "%s, level %d, sample %d: %v", format, level, i, in[i])
			}
		}
	}
}

func TestLoadIsSwresample(t *testing.T) {
	loads[uint8](t, "u8")
	loads[int16](t, "s16le")
	loads[int32](t, "s32le")
	loads[float32](t, "f32le")
	loads[float64](t, "f64le")
}

// Formats without a Go type are read at any address, alone, in pairs and in threes.
func TestLoadBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	c := enter(t)
	defer c.Leave()
	lengths := []int{1, 5, 6, 7, 127, 128, 131, 3001}
	if testing.Short() {
		lengths = []int{7, 131}
	}
	for format, name := range map[resample.Format]string{resample.S24: "s24le", resample.ALaw: "alaw",
		resample.MuLaw: "mulaw"} {
		for _, channels := range []int{1, 2, 3} {
			for _, n := range lengths {
				data := random[uint8](r, format.Size()*channels*n+1)[1:]
				want := ffmpeg[float32](t, name, 16000, channels, data, "-f", "f32le")
				src := resample.Samples{Format: format, Channels: channels, Len: n,
					Planes: []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(data))}}
				m := &resample.Matrix{In: channels, Out: 1, Weights: []float32{0.5, 0.25, 0.125}[:channels]}
				for level := range resample.Levels {
					got, mixed := make([]float32, len(want)), make([]float32, n)
					require.NoError(t, resample.MixAt(c, resample.Planes{Data: got, Stride: n}, src, nil, level))
					require.NoError(t, resample.MixAt(c, resample.Planes{Data: mixed, Stride: n}, src, m, level))
					for i, v := range want {
						require.Equal(t, v, got[i%channels*n+i/channels], "%s, level %d, sample %d of %d", name, level, i, n)
					}
					for i, v := range mixed {
						var sum float32
						for c, w := range m.Weights {
							sum += want[i*channels+c] * w
						}
						require.Equal(t, sum, v, "%s, level %d, sample %d of %d, mixed", name, level, i, n)
					}
				}
			}
		}
	}
}

// stores compares the reverse conversion.
func stores[T resample.Number](t *testing.T, format string) {
	t.Helper()
	in := random[float32](rand.New(rand.NewPCG(9, 10)), 2*3001)
	for i, x := range in {
		in[i] = min(max(x, -100), 100) // swresample's integers wrap around far beyond this range
	}
	want := ffmpeg[T](t, "f32le", 16000, 2, in, "-f", format)
	require.Len(t, want, len(in))
	c := enter(t)
	defer c.Leave()
	planes := make([]float32, len(in))
	for i := range in {
		planes[i%2*3001+i/2] = in[i]
	}
	for level := range resample.Levels {
		got := make([]T, len(in))
		require.NoError(t, resample.StoreAt(c, resample.Interleaved(2, got), resample.Planes{Data: planes, Stride: 3001},
			level))
		for i := range in {
			if want[i] != got[i] {
				require.Equal(t, want[i], got[i], "%s, level %d, sample %d: %v", format, level, i, in[i])
			}
		}
	}
}

func TestStoreIsSwresample(t *testing.T) {
	stores[uint8](t, "u8")
	stores[int16](t, "s16le")
	stores[int32](t, "s32le")
	stores[float64](t, "f64le")
}

// Planar samples equal interleaved ones, and storing restores both, at every level and for any number of channels.
func roundTrip[T resample.Number](t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, 12))
	c := enter(t)
	defer c.Leave()
	for n, channels := range map[int]int{0: 1, 1: 2, 7: 1, 1025: 3, 2050: 2, 5000: 1, 3000: 8} {
		in := random[T](r, n*channels)
		var planes [][]T
		for i := range channels {
			plane := make([]T, n)
			for j := range plane {
				plane[j] = in[j*channels+i]
			}
			planes = append(planes, plane)
		}
		var want []float32
		for level := range resample.Levels {
			a, b := make([]float32, len(in)), make([]float32, len(in))
			require.NoError(t, resample.MixAt(c, resample.Planes{Data: a, Stride: n}, resample.Interleaved(channels, in), nil,
				level))
			require.NoError(t, resample.MixAt(c, resample.Planes{Data: b, Stride: n}, resample.Separate(planes...), nil, level))
			require.Equal(t, a, b)
			if level == 0 {
				want = a
			}
			require.Equal(t, want, a, resample.LevelName(level))

			var zero T
			if _, is := any(zero).(int64); is {
				assert.ErrorIs(t, resample.Store(c, resample.Interleaved(channels, in), resample.Planes{Data: a, Stride: n}),
					spool.ErrOptions)
				continue
			}
			back, apart := make([]T, len(in)), make([]T, len(in))
			separate := resample.Separate(planes...)
			for i := range channels {
				separate.Planes[i] = resample.Separate(apart[i*n : (i+1)*n]).Planes[0]
			}
			require.NoError(t, resample.StoreAt(c, resample.Interleaved(channels, back), resample.Planes{Data: a, Stride: n},
				level))
			require.NoError(t, resample.StoreAt(c, separate, resample.Planes{Data: a, Stride: n}, level))
			for i := range in {
				require.Equal(t, back[i], apart[i%channels*n+i/channels])
				if _, is := any(zero).(int32); !is { // float32 has 24 bits
					require.Equal(t, T(float32(in[i])), back[i])
				}
			}
		}
	}
}

func TestModelFormats(t *testing.T) {
	roundTrip[uint8](t)
	roundTrip[int16](t)
	roundTrip[int32](t)
	roundTrip[int64](t)
	roundTrip[float32](t)
	roundTrip[float64](t)
}

// NaN becomes silence, and infinities become the extremes.
func TestModelNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	c := enter(t)
	defer c.Leave()
	in := make([]float32, 99)
	for i := range in {
		in[i] = [...]float32{nan, inf, -inf}[i%3]
	}
	for level := range resample.Levels {
		got := make([]int16, 99)
		require.NoError(t, resample.StoreAt(c, resample.Interleaved(1, got), resample.Planes{Data: in}, level))
		for i := range got {
			require.Equal(t, [...]int16{0, 32767, -32768}[i%3], got[i], resample.LevelName(level))
		}
	}
}

// All levels mix channels in the same order, which is swresample's.
func TestMatrix(t *testing.T) {
	const n = 2500
	in := random[int16](rand.New(rand.NewPCG(13, 14)), 2*n)
	half := float32(math.Sqrt(0.5))
	want := ffmpeg[float32](t, "s16le", 16000, 2, in, "-af",
		"aformat=sample_fmts=flt:channel_layouts=stereo,aformat=channel_layouts=mono", "-f", "f32le")
	require.Len(t, want, n)
	c := enter(t)
	defer c.Leave()
	for level := range resample.Levels {
		got := make([]float32, n)
		m := &resample.Matrix{In: 2, Out: 1, Weights: []float32{half, half}}
		require.NoError(t, resample.MixAt(c, resample.Planes{Data: got}, resample.Interleaved(2, in), m, level))
		require.Equal(t, want, got, resample.LevelName(level))
	}
}

func TestModelMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	c := enter(t)
	defer c.Leave()
	for range 30 {
		n := r.IntN(3000)
		m := &resample.Matrix{In: 1 + r.IntN(7), Out: 1 + r.IntN(7)}
		m.Weights = make([]float32, m.In*m.Out)
		for i := range m.Weights {
			m.Weights[i] = float32(r.Float64()) * float32(r.IntN(2))
		}
		in := noise(r.Uint64(), n*m.In)
		for level := range resample.Levels {
			got := make([]float32, n*m.Out)
			require.NoError(t, resample.MixAt(c, resample.Planes{Data: got, Stride: n}, resample.Interleaved(m.In, in), m,
				level))
			for i := range got {
				var sum float32
				for j := range m.In {
					product := float32(in[i%n*m.In+j] * m.Weights[i/n*m.In+j])
					sum += product
				}
				if sum != got[i] {
					require.Equal(t, sum, got[i], "%s: %d of %d", resample.LevelName(level), i, n)
				}
			}
		}
	}
}

func TestMixRefuses(t *testing.T) {
	c := enter(t)
	defer c.Leave()
	stereo := resample.Interleaved(2, make([]float32, 20))
	assert.ErrorIs(t, resample.Mix(c, resample.Planes{Data: make([]float32, 19), Stride: 10}, stereo, nil), spool.ErrShape)
	assert.ErrorIs(t, resample.Mix(c, resample.Planes{Data: make([]float32, 20)}, stereo, nil), spool.ErrShape)
	assert.ErrorIs(t, resample.Mix(c, resample.Planes{Data: make([]float32, 20), Stride: 10}, stereo,
		&resample.Matrix{In: 3, Out: 1, Weights: make([]float32, 3)}), spool.ErrShape)
	assert.ErrorIs(t, resample.Store(c, stereo, resample.Planes{Data: make([]float32, 19), Stride: 10}), spool.ErrShape)
	assert.ErrorIs(t, resample.Store(c, resample.Samples{}, resample.Planes{}), spool.ErrOptions)
}
