package object_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/internal/bubble"
	"github.com/spoolmedia/spool/internal/pipenet"
	"github.com/spoolmedia/spool/internal/short"
	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/object"
)

// keyBucket is a bucket of many keys, which it lists in pages of a thousand.
type keyBucket struct {
	keys    []string
	rows    []string // of their pages
	latency time.Duration
	pages   atomic.Int64
}

func newKeyBucket(keys []string, latency time.Duration) *keyBucket {
	s := &keyBucket{keys: keys, latency: latency}
	for i, key := range keys {
		s.rows = append(s.rows, fmt.Sprintf(`<Contents><Key>%s</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag>`+
			`<Size>%d</Size><StorageClass>STANDARD</StorageClass></Contents>`, url.QueryEscape(key), 1000+i))
	}
	return s
}

func (s *keyBucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.pages.Add(1)
	timer := time.NewTimer(s.latency)
	defer timer.Stop()
	<-timer.C
	q := r.URL.Query()
	prefix, after := q.Get("prefix"), q.Get("start-after")
	i, found := slices.BinarySearch(s.keys, max(prefix, after))
	if found && after != "" {
		i++
	}
	var page bytes.Buffer
	page.WriteString(`<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><EncodingType>url</EncodingType>`)
	end := i
	for ; end < len(s.keys) && end < i+1000 && strings.HasPrefix(s.keys[end], prefix); end++ {
		page.WriteString(s.rows[end])
	}
	fmt.Fprintf(&page, `<IsTruncated>%v</IsTruncated></ListBucketResult>`, end < len(s.keys) &&
		strings.HasPrefix(s.keys[end], prefix))
	_, _ = w.Write(page.Bytes())
}

// hundredThousand returns typical keys.
func hundredThousand(kind string) []string {
	keys := make([]string, 100_000)
	for i := range keys {
		switch kind {
		case "flat":
			keys[i] = fmt.Sprintf("train/%08d.jpg", i)
		case "classes":
			keys[i] = fmt.Sprintf("train/n%08d/n%08d_%d.JPEG", 1440764+i/100*137, 1440764+i/100*137, i%100)
		case "deep":
			keys[i] = fmt.Sprintf("train/2026/%02d/%02d/camera-%d/%02d/frame_%06d.jpg", 1+i/8000, 1+i/300%28, i/60%5, i/10%6, i)
		}
	}
	slices.Sort(keys)
	return keys
}

// A hundred thousand objects, or ten thousand in short mode, are listed within the 2 s that a first batch may take, at
// 50 ms a page.
func TestListingOfManyObjects(t *testing.T) {
	for _, kind := range []string{"flat", "classes", "deep"} {
		t.Run(kind, func(t *testing.T) {
			bubble.Test(t, func(t *testing.T) {
				s := newKeyBucket(short.Some(hundredThousand(kind), 10), 50*time.Millisecond)
				server := pipenet.Serve(s)
				t.Cleanup(server.Close)
				c := newClient(t, object.Options{Transport: server.Transport, Endpoint: "http://store", NoSignRequest: true})
				began := time.Now()
				i := 0
				var first time.Duration
				for e, err := range c.List(t.Context(), "s3://b/train/") {
					require.NoError(t, err)
					if i == 0 {
						first = time.Since(began)
					}
					if e.URL != "s3://b/"+s.keys[i] {
						require.Equal(t, "s3://b/"+s.keys[i], e.URL)
					}
					i++
				}
				listed := time.Since(began)
				assert.Equal(t, len(s.keys), i)
				pages := s.pages.Swap(0)
				began = time.Now()
				photos, err := source.Open(t.Context(), []string{"s3://b/train"}, source.Options{Remote: c})
				require.NoError(t, err)
				opened := time.Since(began)
				assert.Equal(t, len(s.keys), photos.Len())
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				runtime.KeepAlive(photos)
				t.Logf("first after %v, all after %v by %d pages; as a source after %v; %d MB of heap with the server's keys",
					first, listed, pages, opened, m.HeapAlloc>>20)
				assert.Equal(t, 50*time.Millisecond, first)
				assert.Less(t, listed, 2*time.Second)
				assert.Less(t, opened, 2*time.Second)
				assert.Less(t, pages, short.Of[int64](300, 100), "100 are needed, or 10 in short mode")
			})
		})
	}
}

// Walk requests one page after the other, and none before it is needed.
func TestWalk(t *testing.T) {
	s := newKeyBucket(hundredThousand("classes")[:3500], 0)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := newClient(t, object.Options{Endpoint: server.URL, NoSignRequest: true})
	i := 0
	for e, err := range c.Walk(t.Context(), "s3://b/train/") {
		require.NoError(t, err)
		require.Equal(t, source.Entry{URL: "s3://b/" + s.keys[i], Size: int64(1000 + i), Version: e.Version}, e)
		assert.NotEmpty(t, e.Version)
		require.EqualValues(t, 1+i/1000, s.pages.Load())
		i++
	}
	assert.Equal(t, len(s.keys), i)
	for e, err := range c.Walk(t.Context(), "s3://b/none/") {
		t.Error("nothing begins like this", e, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	for _, err := range c.Walk(ctx, "s3://b/train/") {
		if i++; i == len(s.keys)+2 {
			cancel() // before the next page
		}
		if err != nil {
			require.ErrorIs(t, err, spool.ErrCanceled)
			break
		}
	}
	assert.Equal(t, len(s.keys)+1001, i)
	cancel()
	for _, err := range c.Walk(t.Context(), server.URL+"/x") {
		require.ErrorIs(t, err, spool.ErrUnsupported)
	}
}
