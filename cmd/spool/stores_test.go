package main

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/s3test"
)

// files serves testdata by HTTP.
func files(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(media)))
	t.Cleanup(server.Close)
	return server.URL
}

// silent is a log that says nothing of clients that do not trust a server.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }

// pemOf is the certificate of a server.
func pemOf(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// bucket is a bucket of a real server with the photos of testdata in class folders, and some more. The test is logged in.
func bucket(t *testing.T) *s3test.Server {
	t.Helper()
	s := s3test.Start(t)
	s.Login(t)
	s.Bucket("data")
	photos, err := filepath.Glob(media + "/photos/*/*.jpg")
	require.NoError(t, err)
	require.NotEmpty(t, photos)
	for _, name := range photos {
		s.Put("data", "photos/"+strings.TrimPrefix(name, media+"/photos/"), content(t, strings.TrimPrefix(name, media+"/")))
	}
	s.Put("data", "one clip.mp4", content(t, "video/bframes.mp4"))
	return s
}

// All that names files takes addresses, and gives what the files themselves give.
func TestAddresses(t *testing.T) {
	server := files(t)
	out := filepath.Join(t.TempDir(), "a.npy")
	for _, name := range []string{"photos/animal/00.jpg", "video/bframes.mp4", "audio/alac.m4a"} {
		local, remote := done(t, "probe", media+"/"+name), done(t, "probe", server+"/"+name)
		assert.Equal(t, strings.TrimPrefix(local, media), strings.TrimPrefix(remote, server))
	}
	decoded := func(args ...string) []byte {
		done(t, append(args, "--out", out)...)
		data, err := os.ReadFile(out)
		require.NoError(t, err)
		return data
	}
	for _, args := range [][]string{{"decode", "image", "/photos/animal/00.jpg"}, {"decode", "video", "/video/bframes.mp4", "--sample", "3"}, {"decode", "audio", "/audio/alac.m4a"}} {
		local, remote := with(args), with(args)
		local[2], remote[2] = media+args[2], server+args[2]
		assert.Equal(t, decoded(local...), decoded(remote...), args)
	}

	list := filepath.Join(t.TempDir(), "list")
	names := []string{"photos/animal/00.jpg", "photos/animal/01.jpg"}
	require.NoError(t, os.WriteFile(list, []byte(server+"/"+names[0]+"\t3\n"+server+"/"+names[1]+"\n"), 0o600))
	run := []string{"run", "images", "--size", "32", "--digest"}
	local := linesOf(done(t, append(run, media+"/"+names[0], media+"/"+names[1])...))
	remote := linesOf(done(t, append(run, server+"/"+names[0], server+"/"+names[1])...))
	assert.Equal(t, local[0], remote[0])
	done(t, append(run, "@"+list)...)
	done(t, "bench", "images", "--files", server+"/"+names[0], "--size", "32")
}

// A bucket is read as a folder is.
func TestBucket(t *testing.T) {
	bucket(t)
	args := []string{"--size", "32", "--digest", "--batch", "4"}
	local := linesOf(done(t, append([]string{"run", "images", media + "/photos"}, args...)...))
	report := filepath.Join(t.TempDir(), "run.html")
	remote := linesOf(done(t, append([]string{"run", "images", "s3://data/photos/", "--report", report}, args...)...))
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
	require.NoError(t, json.Unmarshal([]byte(done(t, "run", "images", "s3://data/photos/", "--size", "32", "--json")), &s))
	assert.GreaterOrEqual(t, s.Remote["requests"], float64(s.Samples))
	assert.Positive(t, s.Remote["bytes"])
	assert.NotContains(t, done(t, "run", "images", photo, "--size", "32", "--json"), `"remote"`)

	assert.Regexp(t, `^s3://data/one clip.mp4: video `, done(t, "probe", "s3://data/one clip.mp4"))
}
