package clitest

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/s3test"
)

// Served serves testdata over HTTP, and returns the URL.
func Served(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(Media)))
	t.Cleanup(server.Close)
	return server.URL
}

// Bucket starts a real S3 server, whose bucket has the photos of testdata in class folders, and a clip. The test gets
// its credentials.
func Bucket(t *testing.T) *s3test.Server {
	t.Helper()
	s := s3test.Start(t)
	s.Login(t)
	s.Bucket("data")
	photos, err := filepath.Glob(Media + "/photos/*/*.jpg")
	require.NoError(t, err)
	require.NotEmpty(t, photos)
	for _, name := range photos {
		s.Put("data", "photos/"+strings.TrimPrefix(name, Media+"/photos/"), Content(t, strings.TrimPrefix(name, Media+"/")))
	}
	s.Put("data", "one clip.mp4", Content(t, "video/bframes.mp4"))
	return s
}
