package catalog

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/cli"
	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// A table of a folder gives the same run as the folder.
func TestListing(t *testing.T) {
	photos := clitest.Media + "/photos"
	run := func(from string) []string {
		return clitest.Digests(tool.Done(t, "run", "images", from, "--size", "16", "--shuffle", "--digest"))
	}
	table := tool.Done(t, "list", photos)
	assert.True(t, strings.HasPrefix(table, "path,label,key,size,etag\n"+photos+"/animal/00.jpg,animal,,,\n"), table[:200])
	saved := filepath.Join(t.TempDir(), "photos.csv")
	assert.Empty(t, tool.Done(t, "list", photos, "--out", saved))
	text, err := os.ReadFile(saved)
	require.NoError(t, err)
	assert.Equal(t, table, string(text))
	want := run(photos)
	require.NotEmpty(t, want)
	assert.Equal(t, want, run(saved))
	arrow := filepath.Join(t.TempDir(), "photos.arrow")
	assert.Empty(t, tool.Done(t, "list", photos, "--out", arrow))
	assert.Equal(t, want, run(arrow))
	compiled := filepath.Join(t.TempDir(), "photos.arrow")
	assert.Empty(t, tool.Done(t, "compile", photos, "--out", compiled))
	again, err := os.ReadFile(compiled)
	require.NoError(t, err)
	same, err := os.ReadFile(arrow)
	require.NoError(t, err)
	assert.Equal(t, same, again, "compile is another name of list")
	assert.Equal(t, cli.ExitInput, tool.Run("list", photos, "--out", t.TempDir()+"/none/photos.arrow").Code)

	assert.Equal(t, "path,label,key,size,etag\nx{1..2}.wav,,,,\n",
		tool.Done(t, "list", "--kind", "audio", "@"+listOf(t, "x{1..2}.wav")))
	o := tool.Run("list", filepath.Join(t.TempDir(), "gone"), "--out", saved)
	assert.Equal(t, cli.ExitInput, o.Code)
	assert.Contains(t, o.Stderr, "not-found")
	after, err := os.ReadFile(saved)
	require.NoError(t, err)
	assert.Equal(t, text, after, "a failed listing leaves the table before it")
	assert.Equal(t, cli.ExitUsage, tool.Run("list").Code)
	assert.Equal(t, cli.ExitUsage, tool.Run("list", photos, "--kind", "books").Code)
	assert.Equal(t, cli.ExitInput, tool.Run("list", photos, "--out", t.TempDir()).Code)
}

// A shard that is damaged or too large is the same error as in a run, and there is no table.
func TestListingOfDamagedShards(t *testing.T) {
	folder := t.TempDir()
	good, bomb, cut := filepath.Join(folder, "good.tar"), filepath.Join(folder, "bomb.tar.zst"),
		filepath.Join(folder, "cut.tar.gz")
	photo := map[string][]byte{"0.jpg": clitest.Content(t, "photos/animal/00.jpg")}
	clitest.Pack(t, good, photo)
	clitest.Pack(t, cut, photo)
	require.NoError(t, os.Truncate(cut, 1000))
	window := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 0x01, 0x00, 0x00} // RFC 8878: decompresses in 2 GiB of memory
	require.NoError(t, os.WriteFile(bomb, window, 0o600))

	saved := filepath.Join(folder, "saved.csv")
	lines := map[string]string{
		bomb: "spool: " + bomb + ": too-large: zstd asks for a window of more than 134217728 bytes\n",
		cut:  "spool: " + cut + ": truncated: the compressed archive ends in the middle\n",
	}
	for shard, line := range lines {
		assert.Equal(t, clitest.Outcome{Code: cli.ExitInput, Stderr: line}, tool.Run("list", good, shard))
		assert.Equal(t, clitest.Outcome{Code: cli.ExitInput, Stderr: line}, tool.Run("list", shard, "--out", saved))
		assert.NoFileExists(t, saved)
		run := tool.Run("run", "images", shard, "--size", "16")
		assert.Equal(t, cli.ExitInput, run.Code)
		assert.Contains(t, run.Stderr, line)
	}
	assert.Equal(t, clitest.Outcome{Code: cli.ExitInput, Stderr: lines[cut] + lines[bomb]}, tool.Run("list", cut, bomb))
}

func listOf(t *testing.T, line string) string {
	path := filepath.Join(t.TempDir(), "list.txt")
	require.NoError(t, os.WriteFile(path, []byte(line+"\n"), 0o600))
	return path
}

// Sizes and ETags of a store's listing are written to the table.
func TestListingOfStore(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/bucket/", r.URL.Path)
		_, _ = w.Write([]byte(`<ListBucketResult><Contents><Key>p/cat/1.jpg</Key><Size>7</Size><ETag>"abc"</ETag></Contents></ListBucketResult>`))
	}))
	defer s.Close()
	table := tool.Done(t, "list", "s3://bucket/p/", "--endpoint-url", s.URL, "--no-sign-request", "--region", "eu-west-1")
	assert.Equal(t, "path,label,key,size,etag\ns3://bucket/p/cat/1.jpg,cat,,7,\"\"\"abc\"\"\"\n", table)
}
