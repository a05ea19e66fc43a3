package object_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// BenchmarkGet reads objects of 110,000 bytes from a server in this process. It measures the cost of the client in
// addition to that of net/http, which is the first line.
func BenchmarkGet(b *testing.B) {
	const size = 110_000
	content := make([]byte, size)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		w.Header().Set("Etag", `"1"`)
		_, _ = w.Write(content)
	}))
	defer server.Close()
	run := func(b *testing.B, get func(p []byte) error) {
		b.Helper()
		b.ReportAllocs()
		before := processor()
		var failed atomic.Int64
		b.SetParallelism(16)
		b.RunParallel(func(pb *testing.PB) {
			p := make([]byte, size)
			for pb.Next() {
				if get(p) != nil {
					failed.Add(1)
				}
			}
		})
		b.ReportMetric(float64((processor()-before).Microseconds())/float64(b.N), "cpu-us/op")
		require.Zero(b, failed.Load())
	}
	b.Run("net/http", func(b *testing.B) {
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true,
			ReadBufferSize: 64 << 10}}
		defer client.CloseIdleConnections()
		run(b, func(p []byte) error {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL+"/x", nil)
			if err != nil {
				return err
			}
			resp, err := client.Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			_, err = io.ReadFull(resp.Body, p)
			return err
		})
	})
	for _, test := range []struct{ name, url string }{{"http", server.URL + "/x"}, {"s3", "s3://b/x"}} {
		b.Run(test.name, func(b *testing.B) {
			b.Setenv("AWS_ACCESS_KEY_ID", "AK")
			b.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
			c, err := object.New(object.Options{Endpoint: server.URL})
			require.NoError(b, err)
			run(b, func(p []byte) error {
				o, err := c.Open(b.Context(), source.Entry{URL: test.url, Size: size, Version: `"1"`})
				if err != nil {
					return err
				}
				defer o.Close()
				_, err = o.ReadAt(b.Context(), p, 0)
				return err
			})
			require.NoError(b, c.Close())
		})
	}
}

// processor returns the CPU time of this process.
func processor() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
