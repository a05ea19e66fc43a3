package object_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/s3test"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

func TestS3(t *testing.T) { s3test.Each(t, testS3) }

func testS3(t *testing.T, server *s3test.Server) {
	server.Login(t)
	server.Bucket("photos")
	b := noise(t, 300_000)
	keys := []string{"train/a/1.jpg", "train/a b/2+3.jpg", "train/ü/%41.jpg", "train/z?x=1#y.jpg"}
	for i, key := range keys {
		server.Put("photos", key, b[i:])
	}
	c := newClient(t, object.Options{Part: 100_000})
	for i, key := range keys {
		o, err := open(t, c, "s3://photos/"+key)
		require.NoError(t, err)
		got, err := read(t.Context(), o)
		require.NoError(t, err)
		require.Equal(t, b[i:], got, key)
		assert.NotEmpty(t, o.Entry().Version)
	}

	t.Run("both ends", func(t *testing.T) {
		asked := func() int64 { // what a busy machine makes late is asked for again
			s := c.Stats()
			return s.Requests - s.Hedges - s.Retries
		}
		before := asked()
		o, err := c.OpenParts(t.Context(), source.Entry{URL: "s3://photos/train/a/1.jpg"}, 4096, 2048)
		require.NoError(t, err)
		p := make([]byte, 2048)
		_, err = o.ReadAt(t.Context(), p, 300_000-2048)
		require.NoError(t, err)
		assert.Equal(t, b[300_000-2048:], p)
		n := asked() - before
		assert.GreaterOrEqual(t, n, int64(2))
		assert.LessOrEqual(t, n, int64(3), "an end that comes late is given up, and read again")
		require.NoError(t, o.Close())
	})
	t.Run("changed", func(t *testing.T) {
		o, err := open(t, c, "s3://photos/train/a/1.jpg")
		require.NoError(t, err)
		server.Put("photos", "train/a/1.jpg", noise(t, 300_000))
		_, err = read(t.Context(), o)
		require.ErrorIs(t, err, spool.ErrIO)
		assert.Contains(t, err.Error(), "overwritten")
	})
	t.Run("listed", func(t *testing.T) {
		found := map[string]int64{}
		for i, err := range c.List(t.Context(), "s3://photos/train/") {
			require.NoError(t, err)
			found[i.URL] = i.Size
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
	server := s3test.Start(t)
	server.Bucket("photos")
	server.Put("photos", "x.jpg", []byte("x"))
	for _, test := range []struct {
		name, url, key, secret string
		class                  spool.Class
		text                   string
	}{
		{"no bucket", "s3://photographs/x.jpg", server.AccessKey, server.SecretKey, spool.ErrNotFound, "bucket"},
		{"no object", "s3://photos/y.jpg", server.AccessKey, server.SecretKey, spool.ErrNotFound, "no such object"},
		{"an unknown key", "s3://photos/x.jpg", "AKNOBODY", server.SecretKey, spool.ErrPermission, "credentials"},
		{"a wrong secret", "s3://photos/x.jpg", server.AccessKey, "hush-not-this", spool.ErrPermission, "credentials"},
		{"no credentials", "s3://photos/x.jpg", "", "", spool.ErrPermission, "credentials"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			t.Setenv("AWS_ACCESS_KEY_ID", test.key)
			t.Setenv("AWS_SECRET_ACCESS_KEY", test.secret)
			c := newClient(t, object.Options{Endpoint: server.URL, RetryTime: time.Second})
			_, err := open(t, c, test.url)
			e := &spool.Error{}
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.class, e.Class, err.Error())
			assert.Contains(t, err.Error(), test.text)
			showsNot(t, err, server.SecretKey, "hush")
			for _, err := range c.List(t.Context(), test.url) { // its answers have a body with details
				if test.name == "no object" {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, test.class)
				showsNot(t, err, server.SecretKey, "hush")
			}
		})
	}
}

func TestS3ManyKeys(t *testing.T) {
	server := s3test.Start(t)
	server.Login(t)
	server.Bucket("many")
	for i := range 2500 { // pages have a thousand
		require.NoError(t, os.WriteFile(filepath.Join(server.Folder, "many", fmt.Sprintf("%04d", i)), []byte{1}, 0o644))
	}
	c := newClient(t, object.Options{Endpoint: server.URL})
	i := 0
	for o, err := range c.List(t.Context(), "s3://many/") {
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("s3://many/%04d", i), o.URL)
		i++
	}
	assert.Equal(t, 2500, i)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range c.List(ctx, "s3://many/") {
		require.ErrorIs(t, err, spool.ErrCanceled)
	}
}
