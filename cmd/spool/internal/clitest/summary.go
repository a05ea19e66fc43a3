package clitest

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/tally"
	"github.com/spoolmedia/spool/pipe"
)

// Summarized returns the object of run --json, which follows any digests.
func Summarized(t testing.TB, stdout string) (s tally.Tally) {
	t.Helper()
	lines := Lines(stdout)
	require.NotEmpty(t, lines)
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &s))
	return s
}

// Ran is a run that must succeed with nothing on stderr.
func (x Tool) Ran(t testing.TB, args ...string) tally.Tally {
	t.Helper()
	return Summarized(t, x.Done(t, append([]string{"run", "images", "--json"}, args...)...))
}

// Ledger reads a ledger's lines.
func Ledger(t testing.TB, file string) (failures []pipe.Failure) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, line := range Lines(string(data)) {
		var f pipe.Failure
		require.NoError(t, json.Unmarshal([]byte(line), &f))
		failures = append(failures, f)
	}
	return failures
}
