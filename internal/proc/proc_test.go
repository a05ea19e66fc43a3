package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Command ps says how long ago the process was started.
func TestStarted(t *testing.T) {
	age, err := exec.CommandContext(t.Context(), "ps", "-o", "etimes=", "-p", strconv.Itoa(os.Getpid())).Output()
	require.NoError(t, err)
	seconds, err := strconv.Atoi(strings.TrimSpace(string(age)))
	require.NoError(t, err)
	started, err := Started()
	require.NoError(t, err)
	assert.WithinDuration(t, time.Now().Add(-time.Duration(seconds)*time.Second), started, time.Minute)
}

func TestOpenFiles(t *testing.T) {
	before, limit, err := Files()
	require.NoError(t, err)
	for range 3 {
		f, err := os.Open(os.DevNull)
		require.NoError(t, err)
		defer f.Close()
	}
	after, _, err := Files()
	require.NoError(t, err)
	assert.Equal(t, before+3, after)
	assert.Less(t, uint64(after), limit)
}

func TestMoved(t *testing.T) {
	const size = 10 << 20
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, make([]byte, size), 0o600))
	before := Moved()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	after := Moved()
	assert.GreaterOrEqual(t, after.Read-before.Read, int64(len(data)))
	assert.Less(t, after.Read-before.Read, int64(size+size/10))
	assert.Greater(t, after.Faults, before.Faults, "of the slice")
}
