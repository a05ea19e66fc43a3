package resample_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/internal/fuzzed"
)

// FuzzResampler covers any rates, format, matrix and samples, including NaN, in any chunks. Every instruction set gives
// the same bits as a single chunk, stays within its memory, and stores the same samples as the others.
func FuzzResampler(f *testing.F) {
	var filters resample.Filters
	fuzzed.Decisions(f, func(t *testing.T, r *rand.Rand) {
		in, out := 1+r.IntN(300), 1+r.IntN(300)
		filter, err := filters.Get(in, out, resample.Quality(r.IntN(3)))
		if err != nil {
			t.Fatal(err)
		}
		src := randomSamples(r, 1+r.IntN(5), r.IntN(400))
		var m *resample.Matrix
		channels := src.Channels
		if r.IntN(2) == 0 {
			channels = 1 + r.IntN(4)
			m = &resample.Matrix{In: src.Channels, Out: channels, Weights: noise(r.Uint64(), src.Channels*channels)}
		}
		c, err := call.Enter(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Leave()
		want := resampled(t, c, r, filter, 0, channels, src, m, false)
		for level := range resample.Levels {
			got := resampled(t, c, r, filter, level, channels, src, m, true)
			for i := range want {
				if math.Float32bits(got[i]) != math.Float32bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
					t.Fatalf("%s: %d of %d to %d Hz: sample %d is %v, not %v", resample.LevelName(level), src.Len, in, out, i, got[i],
						want[i])
				}
			}
		}
		storeAll(t, c, r, want, channels)
	})
}

// randomSamples returns random bytes in a random format and layout, at any alignment.
func randomSamples(r *rand.Rand, channels, n int) resample.Samples {
	s := resample.Samples{Format: resample.Format(1 + r.IntN(6)), Channels: channels, Len: n}
	planes := 1
	if r.IntN(2) == 0 {
		planes = channels
	}
	for range planes {
		skip := r.IntN(8)
		plane := make([]byte, skip+n*channels/planes*s.Format.Size())[skip:]
		for i := range plane {
			plane[i] = byte(r.Uint64())
		}
		s.Planes = append(s.Planes, unsafe.Pointer(unsafe.SliceData(plane)))
	}
	return s
}

// part returns n of the samples.
func part(s resample.Samples, from, n int) resample.Samples {
	planes := make([]unsafe.Pointer, len(s.Planes))
	for i := range planes {
		planes[i] = unsafe.Add(s.Planes[i], from*s.Channels/len(planes)*s.Format.Size())
	}
	s.Len, s.Planes = n, planes
	return s
}

const canary = 12345.5

func resampled(t *testing.T, c *call.Call, r *rand.Rand, f *resample.Filter, level, channels int, src resample.Samples,
	m *resample.Matrix, cut bool) []float32 {
	by, err := resample.New(f, channels)
	if err != nil {
		t.Fatal(err)
	}
	by.SetLevel(level)
	total := int(f.Length(int64(src.Len)))
	memory := make([]float32, total*channels+1)
	memory[len(memory)-1] = canary
	done := 0
	for from := 0; from < src.Len; {
		n := src.Len - from
		if cut {
			n = r.IntN(n + 1)
			by.Collect(r.IntN(2) == 0)
		}
		got, err := by.Process(c, resample.Planes{Data: memory[done:], Stride: total}, part(src, from, n), m)
		if err != nil {
			t.Fatal(err)
		}
		from, done = from+n, done+got
	}
	rest, err := by.Flush(c, resample.Planes{Data: memory[done:], Stride: total})
	if err != nil {
		t.Fatal(err)
	}
	if done+rest != total || memory[len(memory)-1] != canary {
		t.Fatalf("%d and %d outputs of %d, and behind them %v", done, rest, total, memory[len(memory)-1])
	}
	return memory[:total*channels]
}

// storeAll stores samples with the kernels of all levels.
func storeAll(t *testing.T, c *call.Call, r *rand.Rand, in []float32, channels int) {
	n := len(in) / channels
	formats := [...]resample.Format{resample.U8, resample.S16, resample.S32, resample.F32}
	format := formats[r.IntN(len(formats))]
	var want []byte
	for level := range resample.Levels {
		got := make([]byte, n*channels*format.Size()+2)[level%2:]
		got[len(got)-1] = 77
		dst := resample.Samples{Format: format, Channels: channels, Len: n,
			Planes: []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(got))}}
		if err := resample.StoreAt(c, dst, resample.Planes{Data: in, Stride: n}, level); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		for i := range n * channels * format.Size() {
			if got[i] != want[i] || got[len(got)-1] != 77 {
				t.Fatalf("%s: byte %d of format %d is %d, not %d", resample.LevelName(level), i, format, got[i], want[i])
			}
		}
	}
}
