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
	case s.bucket && resp.StatusCode >= 400 && resp.StatusCode < 500:
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
	body, i, err := s.get(ctx, key, 0, 1, "")
	if err != nil {
		return info{}, err
	}
	return i, body.Close()
}

// get asks for n bytes of the object at off, and returns when the answer begins. version, unless it is empty, is what
// the object still has to be. The body has n bytes unless it breaks off; it ends when ctx does, and is the caller's to close.
func (s *server) get(ctx context.Context, key string, off, n int64, version string) (io.ReadCloser, info, error) {
	header := http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", off, off+n-1)}}
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
		if size, err = total(resp.Header.Get("Content-Range"), off, n); err == nil && resp.ContentLength >= 0 && resp.ContentLength != n {
			err = errLength
		}
	case resp.StatusCode == http.StatusOK: // a server without ranges, that sends all
		if size = resp.ContentLength; off > 0 {
			err = errRanges
		} else if size >= 0 && size < n {
			err = errChanged
		}
	case resp.StatusCode == http.StatusPreconditionFailed, resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		err = errChanged
	default:
		err = s.answer(resp)
	}
	i := about(resp, size)
	if err == nil && version != "" && i.version != "" && i.version != version {
		err = errChanged // of a server that does not know If-Match
	}
	if err != nil {
		resp.Body.Close()
		return nil, info{}, err
	}
	return &body{resp.Body, n}, i, nil
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
	a := &answer{status: resp.StatusCode, after: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
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
