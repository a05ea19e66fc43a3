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

// server sends single requests for the objects of one store: limits, retries and hedges are up to host. It speaks HTTP;
// the functions in s3.go add S3's signatures and the XML of its errors, those in hub.go the data sets of Hugging Face.
//
// Its methods are safe for concurrent use. Their errors are *answer if the server sent one, and otherwise the
// network's.
type server struct {
	base   *url.URL // prefix of the objects' URLs
	bucket bool     // of S3: keys are literal, not parts of URLs
	hub    *hub     // of a data set of Hugging Face: keys are paths in it
	client *http.Client
	sign   func(*http.Request) error // nil: requests are not signed
	header http.Header               // of each request
	sums   Checksums
	pages  sync.Pool // of *pageReader
}

// stat requests the size and version of an object.
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
		return s.first(ctx, key) // the body has the error, and answers to HEAD have no body
	case s.hub != nil && resp.Header.Get(linkedSize) != "":
		return s.infoOf(resp, parseSize(resp.Header.Get(linkedSize))), nil
	case resp.StatusCode != http.StatusOK:
		return info{}, s.errorOf(resp)
	case resp.ContentLength < 0:
		return s.first(ctx, key)
	}
	return s.infoOf(resp, resp.ContentLength), nil
}

// first requests an object's first byte, from servers that do not report sizes otherwise.
func (s *server) first(ctx context.Context, key string) (info, error) {
	body, i, err := s.get(ctx, key, byteRange{n: 1}, "")
	if err != nil {
		return info{}, err
	}
	return i, body.Close()
}

// byteRange is n bytes of an object at off. It is whole if these are all bytes that the object should have.
type byteRange struct {
	off, n int64
	whole  bool
}

// get requests a range of an object, and returns when the answer begins. version, unless empty, is the version that
// the object must have. The body has n bytes unless the connection breaks. It ends with ctx, and the caller closes it.
func (s *server) get(ctx context.Context, key string, r byteRange, version string) (io.ReadCloser, info, error) {
	header := http.Header{}
	switch {
	case !r.whole:
		header.Set("Range", fmt.Sprintf("bytes=%d-%d", r.off, r.off+r.n-1))
	case s.bucket && s.sums != NoChecksums: // ranges have no checksums
		header.Set("X-Amz-Checksum-Mode", "ENABLED")
	}
	if strong(version) && s.hub == nil { // its files are on other servers, whose ETags differ
		header.Set("If-Match", version)
	}
	resp, err := s.send(ctx, http.MethodGet, key, header)
	if err != nil {
		return nil, info{}, err
	}
	size := int64(-1)
	switch {
	case resp.StatusCode == http.StatusPartialContent:
		if size, err = total(resp.Header.Get("Content-Range"), r.off, r.n); err == nil && resp.ContentLength >= 0 &&
			resp.ContentLength != r.n {
			err = errLength
		}
	case resp.StatusCode == http.StatusOK: // the whole object, as requested or because the server has no ranges
		if size = resp.ContentLength; r.off > 0 {
			err = errRanges
		} else if size >= 0 && (size < r.n || (r.whole && size > r.n)) {
			err = errChanged
		}
	case resp.StatusCode == http.StatusPreconditionFailed, resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		err = errChanged
	default:
		err = s.errorOf(resp)
	}
	i := s.infoOf(resp, size)
	if r.whole && err == nil {
		i.sum = checksumOf(resp.Header, s.sums)
	}
	if err == nil && version != "" && i.version != "" && i.version != version {
		err = errChanged // the server does not support If-Match
	}
	if err != nil {
		discard(resp)
		return nil, info{}, err
	}
	return &body{resp.Body, r.n}, i, nil
}

// discard closes an unused response. It reads a short one to the end, so that the connection can be reused.
func discard(resp *http.Response) {
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	resp.Body.Close()
}

// body is n bytes of an answer.
type body struct {
	io.ReadCloser
	left int64
}

// Read returns io.ErrUnexpectedEOF if an answer ends early.
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

// send sends a request and returns the response, whatever its status.
func (s *server) send(ctx context.Context, method, key string, header http.Header) (*http.Response, error) {
	u, err := s.url(key)
	if err != nil {
		return nil, err
	}
	return s.do(ctx, method, u, header)
}

func (s *server) do(ctx context.Context, method string, u *url.URL, header http.Header) (*http.Response, error) {
	return s.doWith(ctx, method, u, header, nil)
}

// doWith sends a request with a body, if there is one, and returns the response, whatever its status.
func (s *server) doWith(ctx context.Context, method string, u *url.URL, header http.Header,
	content *content) (*http.Response, error) {
	req := (&http.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{}, ProtoMajor: 1,
		ProtoMinor: 1}).WithContext(ctx)
	if content != nil && len(content.bytes) > 0 { // an empty body of unknown length would be sent in chunks
		req.ContentLength = int64(len(content.bytes))
		req.GetBody = content.reader
		req.Body, _ = content.reader()
	}
	for _, h := range []http.Header{s.header, header} {
		maps.Copy(req.Header, h)
	}
	if s.sign != nil {
		if err := s.sign(req); err != nil {
			if req.Body != nil {
				req.Body.Close()
			}
			return nil, err
		}
	}
	return s.client.Do(req)
}

// infoOf returns what the headers of a response report.
func (s *server) infoOf(resp *http.Response, size int64) info {
	if s.hub != nil {
		return info{size: size, version: hubVersion(resp)}
	}
	return info{size: size, version: resp.Header.Get("Etag")}
}

// strong reports whether an ETag identifies the exact bytes: a weak one must not be sent in If-Match.
func strong(etag string) bool { return etag != "" && !strings.HasPrefix(etag, "W/") }

// total returns the object's size in Content-Range, -1 if it is unknown. A response with another range is an error.
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

// errorOf returns the error of a response.
func (s *server) errorOf(resp *http.Response) *serverError {
	a := &serverError{status: resp.StatusCode, after: waitOf(resp.Header, time.Now()),
		bucket: s.bucket}
	switch {
	case s.bucket:
		a.explain(resp)
	case s.hub != nil:
		a.hub, a.code = true, resp.Header.Get("X-Error-Code")
		a.signed = signed(resp.Request)
	}
	return a
}

// url returns the URL of an object.
func (s *server) url(key string) (*url.URL, error) {
	u := *s.base
	if s.bucket {
		// JoinPath would clean the path, but "a//b" and "a/../b" are valid keys.
		u.Path, u.RawPath = u.Path+key, ""
		return &u, nil
	}
	if s.hub != nil {
		return join(s.base, key), nil
	}
	path, err := url.ParseRequestURI(key)
	if err != nil {
		return nil, errRanges
	}
	u.Path, u.RawPath, u.RawQuery = path.Path, path.RawPath, path.RawQuery
	return &u, nil
}
