package catalog

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// A run over packed shards gives the tensors of a run over the source.
func TestPack(t *testing.T) {
	photos := clitest.Media + "/photos"
	folder := filepath.Join(t.TempDir(), "packed")
	line := tool.Done(t, "pack", photos, "--out", folder, "--per-shard", "7", "--workers", "2")
	assert.Regexp(t, `^\d+ samples in \d+ shards, \d+ bytes\n$`, line)
	assert.Equal(t, line, tool.Done(t, "verify", folder))
	assert.Equal(t, line, tool.Done(t, "pack", photos, "--out", folder, "--per-shard", "7"), "it continues")
	run := func(from string) []string {
		return clitest.Digests(tool.Done(t, "run", "images", from, "--size", "16", "--digest"))
	}
	assert.Equal(t, run(photos), run(folder+"/*.tar"))
	assert.Contains(t, tool.Done(t, "verify", folder, "--json"), `"classes":["animal"`)

	assert.Equal(t, cli.ExitUsage, tool.Run("pack", photos).Code)
	assert.Equal(t, cli.ExitUsage, tool.Run("verify").Code)
	require.NoError(t, os.Truncate(folder+"/000001.tar", 1024))
	o := tool.Run("verify", folder)
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stderr, "000001.tar: truncated")
	assert.NotEqual(t, 0, tool.Run("pack", photos, "--out", folder, "--shuffle").Code)
}
