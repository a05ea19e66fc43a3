package s3test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/need"
)

// Server is an S3 server with one user. It stops when the test ends.
type Server struct {
	URL                  string // http://127.0.0.1:PORT
	AccessKey, SecretKey string
	Folder               string // of versitygw

	t      testing.TB
	client http.Client
}

// Start starts versitygw.
func Start(t testing.TB) *Server {
	t.Helper()
	program := need.Store(t, "versitygw")
	s := newServer(t)
	s.Folder = t.TempDir()
	s.listens(program, "--port", strings.TrimPrefix(s.URL, "http://"), "--access", s.AccessKey, "--secret", s.SecretKey,
		"--quiet", "--keep-alive", "posix", s.Folder)
	return s
}

// StartMoto starts moto, another implementation. It requires no credentials and keeps buckets in memory, so it has no
// Folder.
func StartMoto(t testing.TB) *Server {
	t.Helper()
	python := need.Peer(t, "moto.server")
	s := newServer(t)
	host, port, err := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	require.NoError(t, err)
	s.listens(python, "-m", "moto.server", "-H", host, "-p", port)
	return s
}

// Each runs a test on each available implementation.
func Each(t *testing.T, test func(t *testing.T, s *Server)) {
	t.Run("versitygw", func(t *testing.T) { test(t, Start(t)) })
	t.Run("moto", func(t *testing.T) { test(t, StartMoto(t)) })
}

func newServer(t testing.TB) *Server {
	s := &Server{URL: "http://" + free(t), AccessKey: "AKSPOOLTEST", SecretKey: "a-secret-of-the-tests", t: t}
	s.client.Transport = &http.Transport{}
	t.Cleanup(s.client.CloseIdleConnections)
	return s
}

// listens starts the server, and returns when it accepts requests.
func (s *Server) listens(program string, args ...string) {
	s.t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(s.t.Context()), program, args...) //nolint:gosec // built here, or named by the user
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	require.NoError(s.t, cmd.Start())
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 1200 {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(s.t.Context(), "tcp",
			strings.TrimPrefix(s.URL, "http://"))
		if err == nil {
			require.NoError(s.t, conn.Close())
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // before its output is read
	require.Fail(s.t, program+" does not listen", output.String())
}

// free returns an address that was unused a moment ago.
func free(t testing.TB) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// Login sets the user's credentials and the server's URL in the test's environment, in the variables of AWS's tools.
func (s *Server) Login(t *testing.T) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", s.AccessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", s.SecretKey)
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
}

// Bucket creates a bucket.
func (s *Server) Bucket(name string) { s.send(http.MethodPut, name, nil) }

// Put writes an object.
func (s *Server) Put(bucket, key string, data []byte) {
	s.send(http.MethodPut, bucket+"/"+key, data)
}

// Delete removes an object.
func (s *Server) Delete(bucket, key string) { s.send(http.MethodDelete, bucket+"/"+key, nil) }

func (s *Server) send(method, path string, data []byte) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.URL+"/"+s3utils.EncodePath(path),
		bytes.NewReader(data))
	require.NoError(s.t, err)
	req.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	resp, err := s.client.Do(signer.SignV4(*req, s.AccessKey, s.SecretKey, "", "us-east-1"))
	require.NoError(s.t, err)
	defer resp.Body.Close()
	require.Contains(s.t, []int{http.StatusOK, http.StatusNoContent}, resp.StatusCode, path)
}
