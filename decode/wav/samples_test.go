package wav_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/decode/wav"
)

// kind is an encoding, and the matching chunk "fmt ".
type kind struct {
	encoding    wav.Encoding
	description func(channels int) []byte
}

func kinds() []kind {
	simple := func(tag, bits int) func(int) []byte {
		return func(channels int) []byte { return description(tag, channels, 8000, bits) }
	}
	return []kind{
		{wav.Uint8, simple(1, 8)}, {wav.Int16, simple(1, 16)}, {wav.Int24, simple(1, 24)}, {wav.Int32, simple(1, 32)},
		{wav.Float32, simple(3, 32)}, {wav.Float64, simple(3, 64)}, {wav.ALaw, simple(6, 8)}, {wav.MuLaw, simple(7, 8)},
		{wav.Int24, func(channels int) []byte { return extensible(1, channels, 8000, 24, 20, 0) }},
		{wav.Float32, func(channels int) []byte { return extensible(3, channels, 8000, 32, 32, 0) }},
	}
}

// noise is n random samples of an encoding. Those of 8 bits begin with all byte values. Floats include values beyond
// full scale, and values half way between integers.
func noise(r *rand.Rand, e wav.Encoding, n int) []byte {
	b := make([]byte, n*e.Size())
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	for i := range n {
		v := r.Float64()*2.5 - 1.25
		if i%2 == 0 {
			v = math.Floor(v*(1<<16)) / (1 << 16)
		}
		switch e {
		case wav.Float32:
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(v)))
		case wav.Float64:
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(v))
		case wav.ALaw, wav.MuLaw, wav.Uint8:
			if i < 256 {
				b[i] = byte(i)
			}
		}
	}
	return b
}

// Every encoding, converted to every type, gives the samples of FFmpeg for the same file.
func TestSamplesAreFFmpegs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, k := range kinds() {
		for _, channels := range []int{1, 2, 5} {
			t.Run(fmt.Sprintf("%v %d", k.encoding, channels), func(t *testing.T) {
				n := 700 // more than one block, and not a multiple
				samples := noise(r, k.encoding, n*channels)
				file := riff(k.description(channels), chunk("JUNK", []byte("odd")), chunk("data", samples))
				h, err := wav.ReadHeader(bytes.NewReader(file))
				require.NoError(t, err)
				require.Equal(t, k.encoding, h.Encoding)
				require.Equal(t, int64(n), h.Within(int64(len(file))))
				compare[float32](t, h, file, samples, "f32le")
				compare[int16](t, h, file, samples, "s16le")
				compare[int32](t, h, file, samples, "s32le")
			})
		}
	}
}

func compare[T wav.Sample](t *testing.T, h wav.Header, file, samples []byte, format string) {
	t.Helper()
	out := ffmpeg(t, file, format)
	want := make([]T, len(samples)/h.Encoding.Size())
	_, err := binary.Decode(out, binary.LittleEndian, want)
	require.NoError(t, err)
	got := make([]T, len(want))
	wav.Interleaved(h, got, samples)
	require.Equal(t, want, got, format)

	n := len(want) / h.Channels
	for c := range h.Channels {
		channel := make([]T, n)
		wav.Channel(h, channel, samples, c)
		for i, v := range channel {
			require.Equal(t, want[i*h.Channels+c], v, "%s, sample %d of channel %d", format, i, c)
		}
	}
}

// For files with wrong sizes, Within counts the samples that FFmpeg delivers.
func TestLengthsAreFFmpegs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	samples := noise(r, wav.Int16, 2000)
	stereo := description(1, 2, 8000, 16)
	for name, file := range map[string][]byte{
		"whole":             riff(stereo, chunk("data", samples)),
		"cut":               riff(stereo, chunk("data", samples))[:1003],
		"cut to a sample":   riff(stereo, chunk("data", samples))[:51],
		"streamed, 0":       riff(stereo, sized(0, samples)),
		"streamed, max":     riff(stereo, sized(0xffffffff, samples[:1999])),
		"RF64":              rf64("RF64", 4000, stereo, sized(0xffffffff, samples)),
		"RF64, cut":         rf64("RF64", 1<<40, stereo, sized(0xffffffff, samples)),
		"BW64, more behind": rf64("BW64", 3000, stereo, sized(0xffffffff, samples)),
		"a part":            riff(stereo, sized(1001, samples[:1001]), chunk("JUNK", []byte("more"))),
	} {
		t.Run(name, func(t *testing.T) {
			h, err := wav.ReadHeader(bytes.NewReader(file))
			require.NoError(t, err)
			want := ffmpeg(t, file, "s16le")
			n := h.Within(int64(len(file)))
			assert.Equal(t, int64(len(want)/4), n)
			assert.Equal(t, want, file[h.Offset:][:4*n])
		})
	}
}

func TestView(t *testing.T) {
	header := func(e wav.Encoding) wav.Header { return wav.Header{Encoding: e, Channels: 1} }
	samples := make([]byte, 64)
	binary.NativeEndian.PutUint32(samples[4:], math.Float32bits(0.5))
	view, ok := wav.View[float32](header(wav.Float32), samples)
	require.True(t, ok)
	assert.Equal(t, float32(0.5), view[1])
	assert.Len(t, view, 16)
	binary.NativeEndian.PutUint32(samples, math.Float32bits(-2))
	assert.Equal(t, float32(-2), view[0], "it is the same memory")
	assert.Zero(t, testing.AllocsPerRun(10, func() { _, _ = wav.View[float32](header(wav.Float32), samples) }))

	shorts, ok := wav.View[int16](header(wav.Int16), samples[2:7])
	assert.True(t, ok)
	assert.Len(t, shorts, 2, "half a sample is none")
	none, ok := wav.View[int16](header(wav.Int16), nil)
	assert.True(t, ok)
	assert.Empty(t, none)

	_, ok = wav.View[int16](header(wav.Int16), samples[1:])
	assert.False(t, ok, "an odd address")
	_, ok = wav.View[int32](header(wav.Int32), samples[2:])
	assert.False(t, ok, "an odd address")
	_, ok = wav.View[int16](header(wav.Int32), samples)
	assert.False(t, ok, "another type")
	_, ok = wav.View[float32](header(wav.Int32), samples)
	assert.False(t, ok, "another type")
}

func TestSpecialFloats(t *testing.T) {
	var samples []byte
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1, -1, -0x1p-16, 3 * 0x1p-16} {
		samples = binary.LittleEndian.AppendUint64(samples, math.Float64bits(v))
	}
	h := wav.Header{Encoding: wav.Float64, Channels: 1}
	shorts, longs := make([]int16, 7), make([]int32, 7)
	wav.Interleaved(h, shorts, samples)
	wav.Interleaved(h, longs, samples)
	assert.Equal(t, []int16{0, math.MaxInt16, math.MinInt16, math.MaxInt16, math.MinInt16, 0, 2}, shorts, "to even")
	assert.Equal(t, []int32{0, math.MaxInt32, math.MinInt32, math.MaxInt32, math.MinInt32, -1 << 15, 3 << 15}, longs)
}

func TestTooFewSamplesPanic(t *testing.T) {
	h := wav.Header{Encoding: wav.Int24, Channels: 2}
	assert.Panics(t, func() { wav.Interleaved(h, make([]float32, 4), make([]byte, 11)) })
	assert.Panics(t, func() { wav.Channel(h, make([]float32, 2), make([]byte, 11), 1) })
	assert.NotPanics(t, func() { wav.Channel(h, make([]float32, 2), make([]byte, 11), 0) })
	assert.NotPanics(t, func() { wav.Channel(h, []int16{}, nil, 0) })
}

func TestEncoding(t *testing.T) {
	for e, name := range map[wav.Encoding]string{wav.Uint8: "pcm_u8", wav.Int24: "pcm_s24le", wav.ALaw: "pcm_alaw",
		0: "Encoding(0)"} {
		assert.Equal(t, name, e.String())
	}
	assert.Zero(t, wav.Encoding(99).Size())
}

func BenchmarkChannel(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, k := range kinds()[:8] {
		b.Run(k.encoding.String(), func(b *testing.B) {
			h := wav.Header{Encoding: k.encoding, Channels: 2}
			src, dst := noise(r, k.encoding, 2*4096), make([]float32, 4096)
			for b.Loop() {
				wav.Channel(h, dst, src, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/sample")
		})
	}
}

func BenchmarkInterleaved24(b *testing.B) {
	src, dst := noise(rand.New(rand.NewPCG(7, 8)), wav.Int24, 8192), make([]int32, 8192)
	for b.Loop() {
		wav.Interleaved(wav.Header{Encoding: wav.Int24, Channels: 2}, dst, src)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8192, "ns/sample")
}
