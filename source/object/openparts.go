package object

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// OpenParts is Open for an object that will be read in parts, its beginning first. The request for the size also
// returns the first head bytes. If tail is more than 0, a concurrent request to S3 returns the last tail bytes; other
// servers may not support such ranges and send the whole object. These bytes are kept at least until they are read to
// their end, within Options.ReadAhead, and reads of a part of the object use them without a request. No checksum
// verifies them. The end is left out if the store takes more than twice the time of the beginning for it. An entry of
// known size is opened as by Open.
func (c *Client) OpenParts(ctx context.Context, e source.Entry, head, tail int) (spool.Object, error) {
	h, key, err := c.find(e.URL)
	if err != nil {
		return nil, err
	}
	if e.Size > 0 || head <= 0 || c.store == nil {
		return c.Open(ctx, e)
	}
	var i, last info
	var data, ending *spool.Buffer
	group, side := errgroup.WithContext(ctx)
	more, enough := context.WithCancel(side)
	defer enough()
	began := time.Now()
	group.Go(func() error {
		err := h.ask(side, func(ctx context.Context) (err error) {
			data, i, err = h.server.head(ctx, key, int64(head), c.store.Get)
			return err
		})
		time.AfterFunc(time.Since(began)+spare, enough)
		return err
	})
	if tail > 0 && h.server.bucket {
		group.Go(func() error {
			_ = h.once(more, func(ctx context.Context) (err error) { // without it, reads request the end
				ending, last, err = h.server.tail(ctx, key, int64(tail), c.store.Get)
				return err
			})
			return nil
		})
	}
	err = group.Wait()
	defer release(&data)
	defer release(&ending)
	if err != nil {
		return nil, fail("open", e.URL, err)
	}
	if i.size < 0 { // Open knows other ways
		return c.Open(ctx, e)
	}
	o := c.object(h, key, source.Entry{URL: e.URL, Size: i.size, Version: i.version})
	if data != nil {
		h.bytes.Add(int64(data.Len()))
		o.blocks.Add(0, data.Retain())
	}
	if ending != nil {
		h.bytes.Add(int64(ending.Len()))
		if last == i { // otherwise it was overwritten in between
			o.blocks.Add(i.size-int64(ending.Len()), ending.Retain())
		}
	}
	return o, nil
}

func release(b **spool.Buffer) {
	if *b != nil {
		(*b).Release()
	}
}

// spare is added to the time that the end may take.
const spare = 10 * time.Millisecond

// head requests the first n bytes of an object, which may have fewer. The size is -1 if the answer is unusable. The
// bytes are in memory from get, or nil if it has none.
func (s *server) head(ctx context.Context, key string, n int64,
	get func(int) *spool.Buffer) (*spool.Buffer, info, error) {
	resp, err := s.send(ctx, http.MethodGet, key, http.Header{"Range": {fmt.Sprintf("bytes=0-%d", n-1)}})
	if err != nil {
		return nil, info{}, err
	}
	size := int64(-1)
	switch resp.StatusCode {
	case http.StatusPartialContent:
		var first, last int64
		if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size); err != nil ||
			first != 0 || last != min(n, size)-1 {
			size = -1
		}
	case http.StatusOK: // the whole object, of a server without ranges
		size = resp.ContentLength
	case http.StatusRequestedRangeNotSatisfiable: // of an empty object
	default:
		defer discard(resp)
		return nil, info{}, s.errorOf(resp)
	}
	if size < 0 {
		discard(resp)
		return nil, info{size: -1}, nil
	}
	data, err := contents(resp, min(n, size), get)
	if err != nil {
		return nil, info{}, err
	}
	return data, s.infoOf(resp, size), nil
}

// contents reads the first n bytes of a response into memory from get, and closes it. It returns nil if there is no
// memory.
func contents(resp *http.Response, n int64, get func(int) *spool.Buffer) (*spool.Buffer, error) {
	defer resp.Body.Close()
	data := get(int(n))
	if data == nil {
		return nil, nil
	}
	if _, err := io.ReadFull(resp.Body, data.Bytes()); err != nil {
		data.Release()
		return nil, err
	}
	if resp.StatusCode == http.StatusPartialContent {
		discard(resp) // its end, so that the connection can be reused
	}
	return data, nil
}

// tail requests the last n bytes of an object, which may have fewer.
func (s *server) tail(ctx context.Context, key string, n int64,
	get func(int) *spool.Buffer) (*spool.Buffer, info, error) {
	resp, err := s.send(ctx, http.MethodGet, key, http.Header{"Range": {fmt.Sprintf("bytes=-%d", n)}})
	if err != nil {
		return nil, info{}, err
	}
	var first, last, size int64
	_, err = fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size)
	if err != nil || resp.StatusCode != http.StatusPartialContent || first != max(0, size-n) || last != size-1 {
		resp.Body.Close() // it may be the whole object
		return nil, info{}, errLength
	}
	data, err := contents(resp, size-first, get)
	if err != nil {
		return nil, info{}, err
	}
	return data, s.infoOf(resp, size), nil
}
