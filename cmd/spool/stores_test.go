package main

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/cmd/spool/internal/clitest"
)

// silent is a log that drops the messages about clients that do not trust a server.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }

// pemOf returns the certificate of a server.
func pemOf(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// URLs are accepted wherever names of files are, with the same result as the files.
func TestURLs(t *testing.T) {
	server := clitest.Served(t)
	out := filepath.Join(t.TempDir(), "a.npy")
	for _, name := range []string{"photos/animal/00.jpg", "video/bframes.mp4", "audio/alac.m4a"} {
		local, remote := tool.Done(t, "probe", clitest.Media+"/"+name), tool.Done(t, "probe", server+"/"+name)
		assert.Equal(t, strings.TrimPrefix(local, clitest.Media), strings.TrimPrefix(remote, server))
	}
	decoded := func(args ...string) []byte {
		tool.Done(t, append(args, "--out", out)...)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		return data
	}
	for _, args := range [][]string{{"decode", "image", "/photos/animal/00.jpg"},
		{"decode", "video", "/video/bframes.mp4", "--sample", "3"}, {"decode", "audio", "/audio/alac.m4a"}} {
		local, remote := clitest.With(args), clitest.With(args)
		local[2], remote[2] = clitest.Media+args[2], server+args[2]
		assert.Equal(t, decoded(local...), decoded(remote...), args)
	}

	list := filepath.Join(t.TempDir(), "list")
	names := []string{"photos/animal/00.jpg", "photos/animal/01.jpg"}
	require.NoError(t, os.WriteFile(list, []byte(server+"/"+names[0]+"\t3\n"+server+"/"+names[1]+"\n"), 0o600))
	run := []string{"run", "images", "--size", "32", "--digest"}
	local := clitest.Lines(tool.Done(t, append(run, clitest.Media+"/"+names[0], clitest.Media+"/"+names[1])...))
	remote := clitest.Lines(tool.Done(t, append(run, server+"/"+names[0], server+"/"+names[1])...))
	assert.Equal(t, local[0], remote[0])
	tool.Done(t, append(run, "@"+list)...)
	tool.Done(t, "bench", "images", "--files", server+"/"+names[0], "--size", "32")
}

// A bucket is read like a folder.
func TestBucket(t *testing.T) {
	clitest.Bucket(t)
	args := []string{"--size", "32", "--digest", "--batch", "4"}
	local := clitest.Lines(tool.Done(t, append([]string{"run", "images", clitest.Media + "/photos"}, args...)...))
	report := filepath.Join(t.TempDir(), "run.html")
	remote := clitest.Lines(tool.Done(t,
		append([]string{"run", "images", "s3://data/photos/", "--report", report}, args...)...))
	batches := 0
	for i, line := range local {
		if !strings.HasPrefix(line, "0 ") {
			break
		}
		batches++
		assert.Equal(t, line, remote[i])
	}
	require.Positive(t, batches)
	text := strings.Join(remote, "\n")
	assert.Regexp(t, `(?m)^\d+ requests for [\d.]+ [kM]B, up to 64 at a time;.* 0 retried; 0 throttled$`, text)
	page, err := os.ReadFile(report)
	require.NoError(t, err)
	assert.Contains(t, string(page), `<p id="remote">`)
	assert.Contains(t, string(page), `<figure id="requests">`)
	assert.Contains(t, string(page), `<figure id="network">`)

	var s struct {
		Samples int
		Remote  map[string]float64
	}
	require.NoError(t, json.Unmarshal([]byte(tool.Done(t, "run", "images", "s3://data/photos/", "--size", "32", "--json")),
		&s))
	assert.GreaterOrEqual(t, s.Remote["requests"], float64(s.Samples))
	assert.Positive(t, s.Remote["bytes"])
	assert.NotContains(t, tool.Done(t, "run", "images", clitest.Photo, "--size", "32", "--json"), `"remote"`)

	assert.Regexp(t, `^s3://data/one clip.mp4: video `, tool.Done(t, "probe", "s3://data/one clip.mp4"))
}
