package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// jitter is the share by which a latency varies, up and down.
const jitter = 0.2

// store serves photos as S3 does, with latency: the bucket ms100 answers after 100 ms. It does not check signatures.
type store struct {
	keys   []string
	photos map[string][]byte
}

// newStore reads the photos into memory, so that the server takes little CPU time.
func newStore(files []string) (*store, error) {
	s := &store{photos: map[string][]byte{}}
	for i, file := range files {
		photo, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		key := fmt.Sprintf("photos/%03d%s", i, filepath.Ext(file))
		s.keys, s.photos[key] = append(s.keys, key), photo
	}
	slices.Sort(s.keys)
	return s, nil
}

// serve prints the URL, and serves until its input is closed, which happens when the parent process ends.
func serve(files []string, in io.Reader, out io.Writer) error {
	s, err := newStore(files)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	_, _ = io.Copy(io.Discard, in)
	err = server.Close()
	<-failed //nolint:errcheck // it says that it was closed
	return err
}

// ServeHTTP answers GET and HEAD of objects, and listings.
func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	ms, err := strconv.Atoi(strings.TrimPrefix(bucket, "ms"))
	if err != nil {
		http.Error(w, "<Error><Code>NoSuchBucket</Code></Error>", http.StatusNotFound)
		return
	}
	time.Sleep(time.Duration(float64(ms) * (1 + jitter*(2*rand.Float64()-1)) * float64(time.Millisecond))) //nolint:forbidigo // the store's latency
	photo, found := s.photos[key]
	switch {
	case key == "" && r.Method == http.MethodGet:
		s.list(w, r)
	case key == "":
		w.WriteHeader(http.StatusOK)
	case !found:
		http.Error(w, "<Error><Code>NoSuchKey</Code></Error>", http.StatusNotFound)
	default:
		w.Header().Set("Etag", fmt.Sprintf("%q", strconv.Itoa(len(photo))))
		http.ServeContent(w, r, key, time.Unix(1e9, 0), bytes.NewReader(photo))
	}
}

// list answers ListObjectsV2, with all objects in one page.
func (s *store) list(w http.ResponseWriter, r *http.Request) {
	type object struct {
		Key, LastModified, ETag, StorageClass string
		Size                                  int
	}
	page := struct {
		XMLName     xml.Name `xml:"ListBucketResult"`
		Name        string
		Prefix      string
		KeyCount    int
		MaxKeys     int
		IsTruncated bool
		Contents    []object
	}{Prefix: r.FormValue("prefix"), MaxKeys: 1000}
	for _, key := range s.keys {
		if strings.HasPrefix(key, page.Prefix) && key > r.FormValue("start-after") {
			page.Contents = append(page.Contents, object{
				Key: key, LastModified: "2001-09-09T01:46:40.000Z", ETag: fmt.Sprintf("%q", strconv.Itoa(len(s.photos[key]))),
				StorageClass: "STANDARD",
				Size:         len(s.photos[key]),
			})
		}
	}
	page.KeyCount = len(page.Contents)
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(page)
}
