// Package decodetest has what the tests of decode's packages share.
package decodetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/decoders"
)

// New returns decoders, which end with the test. The test fails if a buffer leaks.
func New(t testing.TB, o decoders.Options) *decoders.Set {
	t.Helper()
	d, err := decoders.New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close(), "a buffer leaked") })
	return d
}

// ReadFile returns the contents of a file. path is the elements of its path.
func ReadFile(t testing.TB, path ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return data
}

// Worst returns the largest difference of two images, and the mean difference.
func Worst(t testing.TB, want, got []byte) (largest int, mean float64) {
	t.Helper()
	require.Len(t, got, len(want))
	sum := 0
	for i, v := range want {
		d := max(int(v), int(got[i])) - min(int(v), int(got[i]))
		largest = max(largest, d)
		sum += d
	}
	return largest, float64(sum) / float64(max(len(want), 1))
}
