package mutate

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/fuzzed"
)

var samples = [][]byte{bytes.Repeat([]byte("header"), 40), []byte("x"), bytes.Repeat([]byte{0, 255}, 500)}

func TestCasesRepeat(t *testing.T) {
	for i := range uint64(1000) {
		a, knobs := Case(samples, 7, i)
		b, again := Case(samples, 7, i)
		require.Equal(t, a, b)
		require.Equal(t, knobs, again)
	}
}

func TestCasesDiffer(t *testing.T) {
	before := [][]byte{bytes.Clone(samples[0]), bytes.Clone(samples[1]), bytes.Clone(samples[2])}
	seen, shorter, longer := map[string]bool{}, 0, 0
	for i := range uint64(2000) {
		data, _ := Case(samples[:1], 1, i)
		seen[string(data)] = true
		switch {
		case len(data) < len(samples[0]):
			shorter++
		case len(data) > len(samples[0]):
			longer++
		}
	}
	assert.Greater(t, len(seen), 1800)
	assert.Greater(t, shorter, 300)
	assert.Greater(t, longer, 300)
	assert.Equal(t, before, samples, "the files themselves are left alone")
}

// FuzzSelf fails on one kind of input if MUTATE_FAILS is set, as in the test below.
func FuzzSelf(f *testing.F) {
	bad := os.Getenv("MUTATE_FAILS") != ""
	Fuzz(f, samples, func(t testing.TB, data []byte, _ uint64) {
		fuzzed.Accept()
		if bad && bytes.Contains(data, []byte("hea\x00")) {
			t.Fatal("found")
		}
	})
}

func TestFindsAndKeeps(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	run := func(flags ...string) (string, error) {
		c := exec.Command(self, append([]string{"-test.run=^FuzzSelf$"}, flags...)...)
		c.Dir, c.Env = t.TempDir(), append(os.Environ(), "MUTATE_FAILS=1")
		out, err := c.CombinedOutput()
		kept, globErr := filepath.Glob(filepath.Join(c.Dir, "testdata", "fuzz", "FuzzSelf", "*"))
		require.NoError(t, globErr)
		if len(kept) == 0 {
			return string(out), err
		}
		data, readErr := os.ReadFile(kept[0])
		require.NoError(t, readErr)
		return string(data), err
	}
	at := filepath.Join(t.TempDir(), "at")
	found, err := run("-mutations=200000", "-mutation.at="+at)
	require.Error(t, err)
	require.True(t, strings.HasPrefix(found, "go test fuzz v1\n"), found)
	require.Contains(t, found, `hea\x00`)
	number, err := os.ReadFile(at)
	require.NoError(t, err)
	require.Len(t, number, 8)

	_, err = run("-mutations=0")
	require.NoError(t, err)
}
