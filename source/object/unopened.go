package object

import (
	"context"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// At returns the object at a URL without opening it, as a [spool.Opener]: a decoder opens it with the parts that it
// reads first, as OpenParts does, and closes it.
func (c *Client) At(url string) spool.Object { return unopened{c, url} }

type unopened struct {
	client *Client
	url    string
}

func (u unopened) OpenParts(ctx context.Context, head, tail int) (spool.Object, error) {
	return u.client.OpenParts(ctx, source.Entry{URL: u.url}, head, tail)
}

// ReadAt opens the object, reads, and closes it.
func (u unopened) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	o, err := u.client.Open(ctx, source.Entry{URL: u.url})
	if err != nil {
		return 0, err
	}
	defer o.Close()
	return o.ReadAt(ctx, p, off)
}

// Info returns what is known before the object is opened, which excludes its size.
func (u unopened) Info() spool.ObjectInfo {
	return spool.ObjectInfo{Name: spool.Redacted(u.url), Size: -1, Remote: true}
}

// Close does nothing.
func (u unopened) Close() error { return nil }
