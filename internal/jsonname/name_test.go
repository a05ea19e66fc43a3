package jsonname_test

import (
	"encoding/hex"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/fuzzed"
	"github.com/spoolmedia/spool/internal/jsonname"
	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/need"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var names = []string{"", "a.jpg", "\xff", "a\xff\xfeb.jpg", "\xed\xb2\x80", "\xc3", "é\xc3é", `\udc80`, `\\udc80`, "\"\xff\"",
	"\ufffd", "\ufffd\x80", "😀\x80", "<&>\x80", "line\nend\u2028\xff"}

func TestNames(t *testing.T) {
	for _, name := range names {
		data, err := json.Marshal(jsonname.Name(name))
		require.NoError(t, err)
		got, err := jsonname.Unquote(data)
		require.NoError(t, err, "%s", data)
		assert.Equal(t, name, got, "%s", data)
		if utf8.ValidString(name) {
			plain, err := json.Marshal(name)
			require.NoError(t, err)
			assert.Equal(t, string(plain), string(data))
		}
	}
}

// Python reads and writes the same bytes.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		need.Skip(t, need.System, "no Python")
	}
	const program = "import json, os, sys; n = json.loads(sys.argv[1]); print(os.fsencode(n).hex(), json.dumps(n))"
	for _, name := range names {
		data, err := json.Marshal(jsonname.Name(name))
		require.NoError(t, err)
		out, err := exec.CommandContext(t.Context(), python, "-X", "utf8", "-c", program, string(data)).CombinedOutput()
		require.NoError(t, err, "%s", out)
		read, written, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), " ")
		assert.Equal(t, hex.EncodeToString([]byte(name)), read)
		got, err := jsonname.Unquote([]byte(written))
		require.NoError(t, err)
		assert.Equal(t, name, got)
	}
}

func TestNoNames(t *testing.T) {
	for _, bad := range []string{`\u`, `"\u12"`, `5`, `"a`, `["\udc80"]`, ``} {
		_, err := jsonname.Unquote([]byte(bad))
		assert.Error(t, err, bad)
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range names {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		data, err := jsonname.Name(name).MarshalJSON()
		require.NoError(t, err)
		require.True(t, json.Valid(data))
		got, err := jsonname.Unquote(data)
		require.NoError(t, err)
		require.Equal(t, name, got)
		fuzzed.Accept()
	})
}
