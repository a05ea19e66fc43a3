package catalog

import (
	"os"
	"os/exec"
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

// Members and values are packed under the extensions that the call gives them, and tar prints them.
func TestPackMembers(t *testing.T) {
	from := t.TempDir()
	photo := clitest.Content(t, "photos/animal/00.jpg")
	clitest.Pack(t, from+"/a.tar", map[string][]byte{"x/1.jpg": photo, "x/1.seg.png": {1}, "x/1.txt": []byte("one"),
		"x/2.jpg": photo})
	names := func(folder string) string {
		out, err := exec.Command("tar", "--list", "--file", folder+"/000000.tar").Output()
		require.NoError(t, err)
		return string(out)
	}
	folder := filepath.Join(t.TempDir(), "packed")
	tool.Done(t, "pack", from+"/a.tar", "--out", folder, "--members", "jpg,mask.png=seg.png,txt")
	assert.Equal(t, "000000000.jpg\n000000000.mask.png\n000000000.txt\n000000001.jpg\n", names(folder))

	require.NoError(t, os.WriteFile(from+"/photo.jpg", photo, 0o600))
	require.NoError(t, os.WriteFile(from+"/t.csv", []byte("image,text,n\nphoto.jpg,é,5\n"), 0o600))
	folder = filepath.Join(t.TempDir(), "packed")
	tool.Done(t, "pack", from+"/t.csv", "--out", folder, "--members", "jpg=image", "--values", "txt=text,n.json=n")
	assert.Equal(t, "000000000.jpg\n000000000.txt\n000000000.n.json\n", names(folder))

	for _, wrong := range [][]string{{"--members", "jpg="}, {"--shard-bytes", "x"}, {"--shard-bytes", "1MiB", "--per-shard", "2"}} {
		assert.Equal(t, cli.ExitUsage, tool.Run(append([]string{"pack", from + "/t.csv", "--out", folder}, wrong...)...).Code)
	}
	assert.Equal(t, cli.ExitUsage, tool.Run("pack", from+"/t.csv", "--out", t.TempDir(), "--members", ".jpg=image").Code)
}

// No shard is larger than --shard-bytes.
func TestPackShardBytes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "packed")
	tool.Done(t, "pack", clitest.Media+"/photos", "--out", folder, "--shard-bytes", "1MiB")
	shards, err := filepath.Glob(folder + "/*.tar")
	require.NoError(t, err)
	require.Greater(t, len(shards), 1)
	for _, name := range shards {
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.LessOrEqual(t, info.Size(), int64(1<<20))
	}
}
