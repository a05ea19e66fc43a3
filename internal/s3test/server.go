package s3test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"
	"github.com/stretchr/testify/require"
)

// Server is a server of S3 with one user, whose buckets are folders of a temporary folder. It ends with the test.
type Server struct {
	URL                  string // http://127.0.0.1:PORT
	AccessKey, SecretKey string
	Folder               string

	t      testing.TB
	client http.Client
}

// Start starts a server. The test is skipped where none is built.
func Start(t testing.TB) *Server {
	t.Helper()
	program := filepath.Join(root(t), "bin", "tools", "versitygw")
	if _, err := os.Stat(program); err != nil {
		t.Skip("no bin/tools/versitygw: make stores builds it")
	}
	s := &Server{AccessKey: "AKSPOOLTEST", SecretKey: "a-secret-of-the-tests", Folder: t.TempDir(), t: t}
	s.client.Transport = &http.Transport{}
	t.Cleanup(s.client.CloseIdleConnections)
	address := free(t)
	s.URL = "http://" + address
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "--port", address, "--access", s.AccessKey, "--secret", s.SecretKey, //nolint:gosec // built here
		"--quiet", "--keep-alive", "posix", s.Folder)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 200 {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			require.NoError(t, conn.Close())
			return s
		}
		<-time.After(50 * time.Millisecond)
	}
	require.Fail(t, "versitygw does not listen", output.String())
	return nil
}

// root is the repository's folder.
func root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		require.NotEqual(t, "/", folder, "no go.mod above the test")
		folder = filepath.Dir(folder)
	}
}

// free is an address that nobody listened at a moment ago.
func free(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// Login gives the test the user's credentials, and the server's address, as AWS's tools look for them.
func (s *Server) Login(t *testing.T) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", s.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s.SecretKey)
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
}

// Bucket makes a bucket.
func (s *Server) Bucket(name string) { s.put(name, nil) }

// Put writes an object.
func (s *Server) Put(bucket, key string, data []byte) { s.put(bucket+"/"+key, data) }

func (s *Server) put(path string, data []byte) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPut, s.URL+"/"+s3utils.EncodePath(path), bytes.NewReader(data))
	require.NoError(s.t, err)
	req.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	resp, err := s.client.Do(signer.SignV4(*req, s.AccessKey, s.SecretKey, "", "us-east-1"))
	require.NoError(s.t, err)
	defer resp.Body.Close()
	require.Equal(s.t, http.StatusOK, resp.StatusCode, path)
}
