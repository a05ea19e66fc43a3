package s3test_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/leaktest"
	"github.com/spoolmedia/spool/internal/s3test"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestServer(t *testing.T) {
	s := s3test.Start(t)
	s.Bucket("photos")
	s.Put("photos", "a b/ü+1.jpg", []byte("some bytes"))
	data, err := os.ReadFile(filepath.Join(s.Folder, "photos", "a b", "ü+1.jpg"))
	require.NoError(t, err)
	assert.Equal(t, "some bytes", string(data))

	defer http.DefaultClient.CloseIdleConnections()
	resp, err := http.Get(s.URL + "/photos/a%20b/%C3%BC%2B1.jpg")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	assert.Equal(t, http.StatusForbidden, resp.StatusCode, "it wants a signature")
}
