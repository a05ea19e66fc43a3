package lanetest

import (
	"bytes"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Silent runs a test in a process of its own, which must pass and write nothing to its standard error: what is wrong with
// a file is said by errors, and by no library.
func Silent(t *testing.T, test func()) {
	t.Helper()
	const inside = "SPOOL_SILENT_CHILD"
	if os.Getenv(inside) != "" {
		test()
		return
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), inside+"=1")
	var stderr bytes.Buffer
	child.Stderr = &stderr
	require.NoError(t, child.Run())
	assert.Empty(t, stderr.String())
}

// Damaged tells how many of the files are refused that differ from data in a byte, of n bytes from a place on.
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
