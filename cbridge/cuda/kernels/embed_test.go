package kernels_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The embedded PTX belongs to the current sources and the options in ptx.py: its header has their hash. If
// SPOOL_NVRTC_PYTHON names a Python interpreter with nvrtc, the test also compares the PTX itself.
func TestEmbeddedTextIsOfTheSources(t *testing.T) {
	script, err := os.ReadFile("ptx.py")
	require.NoError(t, err)
	list := regexp.MustCompile(`(?m)^OPTIONS = \[(.*)\]$`).FindSubmatch(script)
	require.NotNil(t, list)
	options := strings.ReplaceAll(strings.ReplaceAll(string(list[1]), `"`, ""), ",", "")
	headers, err := filepath.Glob("*.h")
	require.NoError(t, err)
	slices.Sort(headers)
	sources, err := filepath.Glob("*.cu")
	require.NoError(t, err)
	require.Len(t, sources, 4)
	for _, source := range sources {
		h := sha256.New()
		h.Write([]byte(options))
		for _, name := range append([]string{source}, headers...) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			fmt.Fprintf(h, "\n%s %d\n", name, len(text))
			h.Write(text)
		}
		ptx, err := os.ReadFile(strings.TrimSuffix(source, ".cu") + ".ptx")
		require.NoError(t, err)
		lines := strings.SplitN(string(ptx), "\n", 4)
		assert.Equal(t, "// "+options, lines[1], source)
		assert.Equal(t, "// sha256 "+hex.EncodeToString(h.Sum(nil)), lines[2], "%s changed: run make ptx", source)
	}

	if python := os.Getenv("SPOOL_NVRTC_PYTHON"); python != "" {
		out, err := exec.CommandContext(t.Context(), python, "ptx.py", "--check").CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}
