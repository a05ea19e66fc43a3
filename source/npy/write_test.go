package npy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source/npy"
)

// TestAppend writes arrays of NumPy again: version 1 as the same bytes, others as the same array.
func TestAppend(t *testing.T) {
	files, err := filepath.Glob("testdata/*.npy")
	require.NoError(t, err)
	same := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		a, rest, err := npy.Parse(data)
		if err != nil || len(rest) > 0 {
			continue
		}
		got := a.Append([]byte("before"))
		require.Equal(t, "before", string(got[:6]))
		if len(got)-6 == len(data) && data[6] == 1 {
			assert.Equal(t, data, got[6:], name)
			same++
		}
		again, rest, err := npy.Parse(got[6:])
		require.NoError(t, err)
		assert.Empty(t, rest)
		assert.Equal(t, a, again, name)
	}
	assert.Greater(t, same, 10)
}
