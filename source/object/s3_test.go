package object_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source/object"
)

const (
	accessKey = "AKSPOOLTEST"
	secretKey = "a-secret-of-the-tests"
)

// s3 starts a real server of S3 in a process of its own, over an empty folder, and gives its address.
func s3(t *testing.T) string {
	t.Helper()
	server, err := filepath.Abs("../../bin/tools/versitygw")
	require.NoError(t, err)
	if _, err := os.Stat(server); err != nil {
		t.Skip("no bin/tools/versitygw: make stores builds it")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())

	cmd := exec.CommandContext(t.Context(), server, "--port", address, "--access", accessKey, "--secret", secretKey, "--quiet", "--keep-alive", "posix", t.TempDir())
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for range 100 {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
			return "http://" + address
		}
		<-time.After(50 * time.Millisecond)
	}
	require.Fail(t, "versitygw does not listen", output.String())
	return ""
}

// put sends a signed request with a body, which this package has no use for.
func put(t *testing.T, url string, b []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, bytes.NewReader(b))
	require.NoError(t, err)
	req.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	req = signer.SignV4(*req, accessKey, secretKey, "", "us-east-1")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode, url)
}

func login(t *testing.T) {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", accessKey)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secretKey)
}

func TestS3(t *testing.T) {
	server := s3(t)
	login(t)
	put(t, server+"/photos", nil)
	b := noise(t, 300_000)
	keys := []string{"train/a/1.jpg", "train/a b/2+3.jpg", "train/ü/%41.jpg", "train/z?x=1#y.jpg"}
	for i, key := range keys {
		put(t, server+"/photos/"+[]string{"train/a/1.jpg", "train/a%20b/2%2B3.jpg", "train/%C3%BC/%2541.jpg", "train/z%3Fx%3D1%23y.jpg"}[i], b[i:])
		_ = key
	}
	t.Setenv("AWS_ENDPOINT_URL", server)
	c := newClient(t, object.Options{Part: 100_000})
	for i, key := range keys {
		o, err := open(t, c, "s3://photos/"+key)
		require.NoError(t, err)
		got, err := read(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, b[i:], got, key)
		assert.NotEmpty(t, o.Entry().Version)
	}

	t.Run("changed", func(t *testing.T) {
		o, err := open(t, c, "s3://photos/train/a/1.jpg")
		require.NoError(t, err)
		put(t, server+"/photos/train/a/1.jpg", noise(t, 300_000))
		_, err = read(t.Context(), o)
		require.ErrorIs(t, err, spool.ErrIO)
		assert.Contains(t, err.Error(), "written anew")
	})
	t.Run("listed", func(t *testing.T) {
		found := map[string]int64{}
		for i, err := range c.List(t.Context(), "s3://photos/train/") {
			require.NoError(t, err)
			found[i.Address] = i.Size
			o, err := reopen(t, c, i)
			require.NoError(t, err)
			p := make([]byte, 10)
			_, err = o.ReadAt(t.Context(), p, 0)
			require.NoError(t, err)
		}
		want := map[string]int64{}
		for i, key := range keys {
			want["s3://photos/"+key] = int64(len(b) - i)
		}
		want["s3://photos/train/a/1.jpg"] = 300_000
		assert.Equal(t, want, found)
	})
}

func TestS3Errors(t *testing.T) {
	server := s3(t)
	put(t, server+"/photos", nil)
	put(t, server+"/photos/x.jpg", []byte("x"))
	for _, test := range []struct {
		name, address, key, secret string
		class                      spool.Class
		text                       string
	}{
		{"no bucket", "s3://photographs/x.jpg", accessKey, secretKey, spool.ErrNotFound, "bucket"},
		{"no object", "s3://photos/y.jpg", accessKey, secretKey, spool.ErrNotFound, "no such object"},
		{"an unknown key", "s3://photos/x.jpg", "AKNOBODY", secretKey, spool.ErrPermission, "credentials"},
		{"a wrong secret", "s3://photos/x.jpg", accessKey, "hush-not-this", spool.ErrPermission, "credentials"},
		{"no credentials", "s3://photos/x.jpg", "", "", spool.ErrPermission, "credentials"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			t.Setenv("AWS_ACCESS_KEY_ID", test.key)
			t.Setenv("AWS_SECRET_ACCESS_KEY", test.secret)
			c := newClient(t, object.Options{Endpoint: server, Patience: time.Second})
			_, err := open(t, c, test.address)
			e := &spool.Error{}
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.class, e.Class, err.Error())
			assert.Contains(t, err.Error(), test.text)
			showsNot(t, err, secretKey, "hush")
			for _, err := range c.List(t.Context(), test.address) { // whose answers have a body that says more
				if test.name == "no object" {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, test.class)
				showsNot(t, err, secretKey, "hush")
			}
		})
	}
}

func TestS3ManyKeys(t *testing.T) {
	server := s3(t)
	login(t)
	put(t, server+"/many", nil)
	for i := range 2500 { // pages have a thousand
		put(t, fmt.Sprintf("%s/many/%04d", server, i), []byte{1})
	}
	c := newClient(t, object.Options{Endpoint: server})
	i := 0
	for o, err := range c.List(t.Context(), "s3://many/") {
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("s3://many/%04d", i), o.Address)
		i++
	}
	assert.Equal(t, 2500, i)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range c.List(ctx, "s3://many/") {
		require.ErrorIs(t, err, spool.ErrCanceled)
	}
}
