package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestModules checks that the build with the other FFmpeg uses the same modules, except for the binding.
func TestModules(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		return string(text)
	}
	const v5, v7 = "github.com/asticode/go-astiav v0.16.0\n", "github.com/asticode/go-astiav v0.39.0\n"
	first, second := read("go.mod"), read("go.ffmpeg7.mod")
	require.Contains(t, first, v5)
	assert.Equal(t, strings.Replace(first, v5, v7, 1), second)
}
