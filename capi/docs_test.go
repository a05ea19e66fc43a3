package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The program in the guide compiles, runs, and prints what the guide shows.
func TestGuide(t *testing.T) {
	page, err := os.ReadFile("../docs/capi.md")
	require.NoError(t, err)
	program := regexp.MustCompile("(?s)```c\n(.*?)```").FindSubmatch(page)
	session := regexp.MustCompile("(?s)```console\n.*?\n\\$ ./batch (.*?)\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, program)
	require.NotNil(t, session)
	source := filepath.Join(t.TempDir(), "batch.c")
	require.NoError(t, os.WriteFile(source, program[1], 0o600))
	binary := compile(t, source)
	c := exec.Command("sh", "-c", binary+" "+string(session[1]))
	c.Dir = ".."
	out, err := c.CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, string(session[2]), string(out))
}
