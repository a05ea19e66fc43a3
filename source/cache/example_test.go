package cache_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"github.com/spoolmedia/spool/source"
	"github.com/spoolmedia/spool/source/cache"
	"github.com/spoolmedia/spool/source/object"
)

func Example() {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		time.Sleep(time.Millisecond)
		w.Header().Set("Etag", `"1"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader([]byte("some JPEG data")))
	}))
	defer server.Close()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)

	client, err := object.New(object.Options{})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	kept, err := cache.Open(folder, cache.Options{MaxBytes: 1 << 30, Warn: func(err error) { fmt.Println(err) }})
	if err != nil {
		panic(err)
	}
	defer kept.Close()
	remote := cache.NewRemote(client, kept)
	for range 3 {
		o, err := remote.Open(context.Background(), source.Entry{URL: server.URL + "/cat.jpg", Size: 14, Version: `"1"`})
		if err != nil {
			panic(err)
		}
		p := make([]byte, 14)
		if _, err := o.ReadAt(context.Background(), p, 0); err != nil {
			panic(err)
		}
		fmt.Printf("%q, %d request\n", p, requests)
		o.Close()
	}
	s := kept.Stats()
	fmt.Println(s.Hits, "hits,", s.Misses, "miss,", s.Entries, "entry")
	// Output:
	// "some JPEG data", 1 request
	// "some JPEG data", 1 request
	// "some JPEG data", 1 request
	// 2 hits, 1 miss, 1 entry
}
