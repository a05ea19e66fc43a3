package fuzzed_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// FuzzSelf refuses inputs that do not begin with an "a".
func FuzzSelf(f *testing.F) {
	for _, data := range []string{"a", "b", "ab", "c"} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		switch {
		case len(data) == 0:
		case data[0] == 'a':
			fuzzed.Accept()
		case data[0] == 'b':
			fuzzed.Disagree("starts with b")
		case data[0] == 'c':
			fuzzed.Disagree("starts with c")
			fuzzed.Disagree("starts with c")
		}
	})
}

// Several processes count in the same file, and the numbers stay after they end.
func TestCount(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "accepted")
	run := func() error {
		c := exec.Command(self, "-test.run=^FuzzSelf$")
		c.Env = append(os.Environ(), fuzzed.Variable+"="+file)
		return c.Run()
	}
	require.Error(t, run(), "there is no file")
	require.NoError(t, os.WriteFile(file, make([]byte, 4096), 0o600))
	for _, want := range []uint64{2, 4} {
		require.NoError(t, run())
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, want, binary.NativeEndian.Uint64(data))
		counted := map[string]uint64{}
		for at := 64; data[at] != 0; at += 64 {
			counted[strings.TrimRight(string(data[at:at+56]), "\x00")] = binary.NativeEndian.Uint64(data[at+56:])
		}
		assert.Equal(t, map[string]uint64{"starts with b": want / 2, "starts with c": want}, counted)
	}
}

func TestReasons(t *testing.T) {
	assert.Panics(t, func() { fuzzed.Disagree("") })
	assert.Panics(t, func() { fuzzed.Disagree(strings.Repeat("long", 15)) })
}

// Each two bytes are one decision, in the high bits as in the low ones. Then a fixed sequence follows.
func TestRand(t *testing.T) {
	data := []byte{1, 0, 2, 0, 9}
	r := fuzzed.Rand(data)
	assert.Equal(t, uint64(0x0001000100010001), r.Uint64())
	assert.Equal(t, uint64(0x0002000200020002), r.Uint64())
	assert.Equal(t, rand.New(rand.NewPCG(5, 2)).Uint64(), r.Uint64())
}
