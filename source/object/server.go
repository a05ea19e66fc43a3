package object

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// server answers single requests for the objects of one store: limits, retries and hedges are the host's. It is a
// server of HTTP; what S3 has beyond that, signatures and the XML of its errors, is signed and explained by s3's functions.
//
// Its calls are safe for concurrent use. Their errors are *answer where the server sent one, and otherwise what the network said.
type server struct {
	base   *url.URL // what the keys of objects are put behind
	bucket bool     // of S3: keys are as they are, and not parts of addresses
	client *http.Client
	sign   func(*http.Request) error // nil: requests go as they are
	header http.Header               // for each request
	sums   Checksums
	pages  sync.Pool // of *pageReader
}

// stat asks what an object is.
func (s *server) stat(ctx context.Context, key string) (info, error) {
	resp, err := s.send(ctx, http.MethodHead, key, nil)
	if err != nil {
		return info{}, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusMethodNotAllowed, resp.StatusCode == http.StatusNotImplemented:
		return s.first(ctx, key)
	case s.bucket && resp.StatusCode >= 300 && resp.StatusCode < 500:
		return s.first(ctx, key) // what is wrong is said in the body, which answers to HEAD do not have
	case resp.StatusCode != http.StatusOK:
		return info{}, s.answer(resp)
	case resp.ContentLength < 0:
		return s.first(ctx, key)
	}
	return about(resp, resp.ContentLength), nil
}

// first asks for an object's first byte, from servers that do not tell sizes otherwise.
func (s *server) first(ctx context.Context, key string) (info, error) {
	body, i, err := s.get(ctx, key, stretch{n: 1}, "")
	if err != nil {
		return info{}, err
	}
	return i, body.Close()
}

// stretch is n bytes of an object at off. It is whole where these are all that the object should have.
type stretch struct {
	off, n int64
	whole  bool
}

// get asks for a stretch of an object, and returns when the answer begins. version, unless it is empty, is what
// the object still has to be. The body has n bytes unless it breaks off; it ends when ctx does, and is the caller's to close.
func (s *server) get(ctx context.Context, key string, r stretch, version string) (io.ReadCloser, info, error) {
	header := http.Header{}
	switch {
	case !r.whole:
		header.Set("Range", fmt.Sprintf("bytes=%d-%d", r.off, r.off+r.n-1))
	case s.bucket && s.sums != NoChecksums: // which parts have none of
		header.Set("X-Amz-Checksum-Mode", "ENABLED")
	}
	if strong(version) {
		header.Set("If-Match", version)
	}
	resp, err := s.send(ctx, http.MethodGet, key, header)
	if err != nil {
		return nil, info{}, err
	}
	size := int64(-1)
	switch {
	case resp.StatusCode == http.StatusPartialContent:
		if size, err = total(resp.Header.Get("Content-Range"), r.off, r.n); err == nil && resp.ContentLength >= 0 && resp.ContentLength != r.n {
			err = errLength
		}
	case resp.StatusCode == http.StatusOK: // all of it, as asked for or because the server knows no ranges
		if size = resp.ContentLength; r.off > 0 {
			err = errRanges
		} else if size >= 0 && (size < r.n || (r.whole && size > r.n)) {
			err = errChanged
		}
	case resp.StatusCode == http.StatusPreconditionFailed, resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		err = errChanged
	default:
		err = s.answer(resp)
	}
	i := about(resp, size)
	if r.whole && err == nil {
		i.sum = stated(resp.Header, s.sums)
	}
	if err == nil && version != "" && i.version != "" && i.version != version {
		err = errChanged // of a server that does not know If-Match
	}
	if err != nil {
		discard(resp)
		return nil, info{}, err
	}
	return &body{resp.Body, r.n}, i, nil
}

// discard closes an answer that is of no use, and reads it where it is short: the connection can be used again then.
func discard(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	resp.Body.Close()
}

// body is n bytes of an answer.
type body struct {
	io.ReadCloser
	left int64
}

// Read tells an answer that ends early from one that is whole.
func (b *body) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == io.EOF && b.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// send sends a request and gives the answer, whatever it is.
func (s *server) send(ctx context.Context, method, key string, header http.Header) (*http.Response, error) {
	u, err := s.url(key)
	if err != nil {
		return nil, err
	}
	return s.do(ctx, method, u, header)
}

func (s *server) do(ctx context.Context, method string, u *url.URL, header http.Header) (*http.Response, error) {
	req := (&http.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{}, ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
	for _, h := range []http.Header{s.header, header} {
		maps.Copy(req.Header, h)
	}
	if s.sign != nil {
		if err := s.sign(req); err != nil {
			return nil, err
		}
	}
	return s.client.Do(req)
}

// about is what the headers of an answer say.
func about(resp *http.Response, size int64) info {
	return info{size: size, version: resp.Header.Get("Etag")}
}

// strong reports whether an ETag stands for the very bytes: a weak one may not be asked for by If-Match.
func strong(etag string) bool { return etag != "" && !strings.HasPrefix(etag, "W/") }

// total reads Content-Range: the object's size, -1 where it is not told. An answer of another range is an error.
func total(header string, off, n int64) (int64, error) {
	var from, to int64
	if _, err := fmt.Sscanf(header, "bytes %d-%d/", &from, &to); err != nil {
		return 0, errLength
	}
	size := int64(-1)
	if _, last, _ := strings.Cut(header, "/"); last != "*" {
		var err error
		if size, err = strconv.ParseInt(last, 10, 64); err != nil {
			return 0, errLength
		}
	}
	switch {
	case from != off:
		return 0, errLength
	case to-from+1 != n:
		if size >= 0 && to == size-1 {
			return 0, errChanged // it has become shorter
		}
		return 0, errLength
	}
	return size, nil
}

// answer makes an error of an answer.
func (s *server) answer(resp *http.Response) *answer {
	a := &answer{status: resp.StatusCode, after: retryAfter(resp.Header.Get("Retry-After"), time.Now()), bucket: s.bucket}
	if s.bucket {
		a.explain(resp)
	}
	return a
}

// url is where an object lies.
func (s *server) url(key string) (*url.URL, error) {
	u := *s.base
	if s.bucket {
		// JoinPath would clean the path, but "a//b" and "a/../b" are keys like others.
		u.Path, u.RawPath = u.Path+key, ""
		return &u, nil
	}
	path, err := url.ParseRequestURI(key)
	if err != nil {
		return nil, errRanges
	}
	u.Path, u.RawPath, u.RawQuery = path.Path, path.RawPath, path.RawQuery
	return &u, nil
}
