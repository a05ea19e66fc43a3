package lanetest

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Silent runs a test in a child process, which must pass and write nothing to its standard error. Damage in a file is
// reported by errors, and never printed by a library.
func Silent(t *testing.T, test func()) {
	t.Helper()
	const inside = "SPOOL_SILENT_CHILD"
	if os.Getenv(inside) != "" {
		test()
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$") //nolint:gosec,noctx // this test
	child.Env = append(os.Environ(), inside+"=1")
	var stderr bytes.Buffer
	child.Stderr = &stderr
	require.NoError(t, child.Run())
	assert.Empty(t, stderr.String())
}

// Damaged counts how many damaged copies of data are refused. It changes one byte at a time in four ways, for n bytes
// from an offset.
func Damaged(data []byte, from, n int, refuse func(damaged []byte) bool) (refused int) {
	for at := from; at < from+n; at++ {
		for _, mask := range []byte{0xff, 0x01, 0x10, 0x80} {
			damaged := bytes.Clone(data)
			damaged[at] ^= mask
			if refuse(damaged) {
				refused++
			}
		}
	}
	return refused
}
