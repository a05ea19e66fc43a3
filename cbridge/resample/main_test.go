package resample_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cbridge/call"
	"github.com/spoolmedia/spool/cbridge/mem"
	"github.com/spoolmedia/spool/cbridge/resample"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) {
	leaktest.Main(m, leaktest.Count{Name: "bytes of C memory", Now: mem.InUse})
}

func enter(t testing.TB) *call.Call {
	t.Helper()
	c, err := call.Enter(t.Context(), 1)
	require.NoError(t, err)
	return c
}

// whole resamples audio of any number of channels in one chunk.
func whole(t testing.TB, in, out int, q resample.Quality, audio ...[]float32) [][]float32 {
	t.Helper()
	f, err := (*resample.Filters)(nil).Get(in, out, q)
	require.NoError(t, err)
	return wholeBy(t, f, resample.Levels-1, audio...)
}

// wholeBy does the same with the kernels of a level.
func wholeBy(t testing.TB, f *resample.Filter, level int, audio ...[]float32) [][]float32 {
	t.Helper()
	r, err := resample.New(f, len(audio))
	require.NoError(t, err)
	r.SetLevel(level)
	c := enter(t)
	defer c.Leave()
	total := int(f.Length(int64(len(audio[0]))))
	memory := make([]float32, total*len(audio))
	n, err := r.Process(c, resample.Planes{Data: memory, Stride: total}, resample.Separate(audio...), nil)
	require.NoError(t, err)
	rest, err := r.Flush(c, resample.Planes{Data: memory[n:], Stride: total})
	require.NoError(t, err)
	require.Equal(t, total, n+rest)
	result := make([][]float32, len(audio))
	for i := range result {
		result[i] = memory[i*total:][:total]
	}
	return result
}
