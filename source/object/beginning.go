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

// OpenParts is Open of an object of which parts are going to be read, its beginning first: the request that tells the size brings the
// first head bytes, too, and of S3 one beside it the last tail bytes, where tail is more than 0: other servers may not know such ranges, and
// send all there is. They are kept until the object is closed, and reads of a part of it do not ask for them again. No checksum is told of
// them, and the end is done without where the store does not give it in twice the time of the beginning. An entry of which the size is known
// is opened as by Open.
func (c *Client) OpenParts(ctx context.Context, e source.Entry, head, tail int) (spool.Object, error) {
	h, key, err := c.find(e.Address)
	if err != nil {
		return nil, err
	}
	if e.Size > 0 || head <= 0 {
		return c.Open(ctx, e)
	}
	var i, last info
	var data, ending []byte
	group, side := errgroup.WithContext(ctx)
	more, enough := context.WithCancel(side)
	defer enough()
	began := time.Now()
	group.Go(func() error {
		err := h.ask(side, func(ctx context.Context) (err error) {
			data, i, err = h.server.beginning(ctx, key, int64(head))
			return err
		})
		time.AfterFunc(time.Since(began)+spare, enough)
		return err
	})
	if tail > 0 && h.server.bucket {
		group.Go(func() error {
			err := h.once(more, func(ctx context.Context) (err error) {
				ending, last, err = h.server.ending(ctx, key, int64(tail))
				return err
			})
			if err != nil {
				ending = nil
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fail("open", e.Address, err)
	}
	if i.size < 0 { // there are other ways to learn it
		return c.Open(ctx, e)
	}
	h.bytes.Add(int64(len(data) + len(ending)))
	o := c.object(h, key, source.Entry{Address: e.Address, Size: i.size, Version: i.version})
	o.beginning = data
	if last == i { // or it was written anew in between
		o.ending = ending
	}
	return o, nil
}

// spare is how long an answer may take without being late.
const spare = 10 * time.Millisecond

// beginning asks for the first n bytes of an object that may have fewer. The size is -1 where the answer is of no use.
func (s *server) beginning(ctx context.Context, key string, n int64) ([]byte, info, error) {
	resp, err := s.send(ctx, http.MethodGet, key, http.Header{"Range": {fmt.Sprintf("bytes=0-%d", n-1)}})
	if err != nil {
		return nil, info{}, err
	}
	size := int64(-1)
	switch resp.StatusCode {
	case http.StatusPartialContent:
		var first, last int64
		if _, err := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size); err != nil || first != 0 || last != min(n, size)-1 {
			size = -1
		}
	case http.StatusOK: // all of it, of a server without ranges
		size = resp.ContentLength
	case http.StatusRequestedRangeNotSatisfiable: // of what is empty
	default:
		defer discard(resp)
		return nil, info{}, s.answer(resp)
	}
	if size < 0 {
		discard(resp)
		return nil, info{size: -1}, nil
	}
	defer resp.Body.Close()
	data := make([]byte, min(n, size))
	if _, err := io.ReadFull(resp.Body, data); err != nil {
		return nil, info{}, err
	}
	if resp.StatusCode == http.StatusPartialContent {
		discard(resp) // the end of it, so that the connection can be used again
	}
	return data, about(resp, size), nil
}

// ending asks for the last n bytes of an object that may have fewer.
func (s *server) ending(ctx context.Context, key string, n int64) ([]byte, info, error) {
	resp, err := s.send(ctx, http.MethodGet, key, http.Header{"Range": {fmt.Sprintf("bytes=-%d", n)}})
	if err != nil {
		return nil, info{}, err
	}
	var first, last, size int64
	_, err = fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size)
	if err != nil || resp.StatusCode != http.StatusPartialContent || first != max(0, size-n) || last != size-1 {
		resp.Body.Close() // which may be all of the object
		return nil, info{}, errLength
	}
	defer discard(resp) // the end of it, so that the connection can be used again
	data := make([]byte, size-first)
	if _, err := io.ReadFull(resp.Body, data); err != nil {
		return nil, info{}, err
	}
	return data, about(resp, size), nil
}
