package object

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// put writes an object, unless there is one.
func (s *server) put(ctx context.Context, key string, c *content) error {
	header := c.header(s.sums)
	header.Set("If-None-Match", "*")
	resp, err := s.write(ctx, http.MethodPut, key, nil, header, c)
	if err != nil {
		return err
	}
	discard(resp)
	return nil
}

// begin begins an upload in parts, and returns its name.
func (s *server) begin(ctx context.Context, key string) (id string, err error) {
	header := http.Header{}
	if s.sums != NoChecksums {
		header.Set("X-Amz-Checksum-Algorithm", "CRC64NVME")
		header.Set("X-Amz-Checksum-Type", "FULL_OBJECT")
	}
	resp, err := s.write(ctx, http.MethodPost, key, url.Values{"uploads": {""}}, header, nil)
	if err != nil {
		return "", err
	}
	var answer struct{ UploadId string } //nolint:staticcheck // S3's name
	if err := decode(resp, &answer); err != nil || answer.UploadId == "" {
		return "", errNoUpload
	}
	return answer.UploadId, nil
}

// sentPart is a part that the server has.
type sentPart struct {
	PartNumber int
	ETag       string
	Sum        string `xml:"ChecksumCRC64NVME,omitempty"`
}

// part sends a part of an upload.
func (s *server) part(ctx context.Context, key, id string, p *sentPart, c *content) error {
	query := url.Values{"partNumber": {strconv.Itoa(p.PartNumber)}, "uploadId": {id}}
	header := c.header(s.sums)
	resp, err := s.write(ctx, http.MethodPut, key, query, header, c)
	if err != nil {
		return err
	}
	discard(resp)
	p.ETag, p.Sum = resp.Header.Get("Etag"), header.Get(crcHeader)
	return nil
}

// complete makes an object of these parts, unless there is one. sum is its checksum.
func (s *server) complete(ctx context.Context, key, id string, parts []*sentPart, sum string) error {
	list := struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []*sentPart
	}{Part: parts}
	text, err := xml.Marshal(list)
	if err != nil {
		return err
	}
	header := http.Header{"If-None-Match": {"*"}, "Content-Type": {"application/xml"}}
	if s.sums != NoChecksums {
		header.Set(crcHeader, sum)
		header.Set("X-Amz-Checksum-Type", "FULL_OBJECT")
	}
	resp, err := s.write(ctx, http.MethodPost, key, url.Values{"uploadId": {id}}, header,
		&content{bytes: text, sent: func() {}})
	if err != nil {
		return err
	}
	// A server that takes its time answers 200 at first, and then perhaps with an error.
	var answer struct {
		XMLName             xml.Name
		Code, Message, ETag string
	}
	if err := decode(resp, &answer); err != nil {
		return err
	}
	if answer.XMLName.Local == "Error" {
		return &serverError{status: http.StatusInternalServerError, code: answer.Code, text: answer.Message, bucket: true,
			signed: signed(resp.Request)}
	}
	return nil
}

// abort discards an upload in parts. One that is gone is no error.
func (s *server) abort(ctx context.Context, key, id string) error {
	resp, err := s.write(ctx, http.MethodDelete, key, url.Values{"uploadId": {id}}, nil, nil)
	if a, ok := err.(*serverError); ok && a.code == "NoSuchUpload" { //nolint:errorlint // write returns it as it is
		return nil
	}
	if err == nil {
		discard(resp)
	}
	return err
}

// uploadsPage is a page of the list of uploads in parts.
type uploadsPage struct {
	IsTruncated        bool
	NextKeyMarker      string
	NextUploadIDMarker string `xml:"NextUploadIdMarker"`
	Upload             []struct {
		Key      string
		UploadID string `xml:"UploadId"`
	}
}

// uploads lists uploads in parts of keys with a prefix, after those of another page.
func (s *server) uploads(ctx context.Context, prefix string, after uploadsPage) (page uploadsPage, err error) {
	u := *s.base
	query := url.Values{"uploads": {""}, "prefix": {prefix}}
	if after.NextKeyMarker != "" {
		query.Set("key-marker", after.NextKeyMarker)
		query.Set("upload-id-marker", after.NextUploadIDMarker)
	}
	u.RawQuery = query.Encode()
	resp, err := s.do(ctx, http.MethodGet, &u, nil)
	if err != nil {
		return page, err
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return page, s.errorOf(resp)
	}
	if err := decode(resp, &page); err != nil {
		return page, err
	}
	if page.IsTruncated && page.NextKeyMarker <= after.NextKeyMarker &&
		page.NextUploadIDMarker == after.NextUploadIDMarker {
		return page, errRepeats
	}
	return page, nil
}

// write sends a request that changes an object. An answer other than success is its error.
func (s *server) write(ctx context.Context, method, key string, query url.Values, header http.Header,
	c *content) (*http.Response, error) {
	u, err := s.url(key)
	if err != nil {
		return nil, err
	}
	u.RawQuery = query.Encode()
	resp, err := s.doWith(ctx, method, u, header, c)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusPreconditionFailed:
		discard(resp)
		return nil, exists{}
	case resp.StatusCode < 200 || resp.StatusCode >= 300:
		defer resp.Body.Close()
		return nil, s.errorOf(resp)
	}
	return resp, nil
}

// decode reads a short answer in XML.
func decode(resp *http.Response, answer any) error {
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return err
	}
	if err := xml.NewDecoder(bytes.NewReader(text)).Decode(answer); err != nil {
		return fmt.Errorf("%w: %w", errNoUpload, err)
	}
	return nil
}
