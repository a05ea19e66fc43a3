package object

import (
	"context"
	"iter"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// List yields the objects of an S3 bucket whose URLs begin with prefix, sorted bytewise by their keys. The first
// objects come after one request, the others as they arrive, by up to 32 concurrent requests. For many keys, the number
// of requests is 1.5 to 3 times the number of pages of a thousand. The files of a data set of Hugging Face come when
// all are known. An error comes last.
func (c *Client) List(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return c.list(ctx, prefix, func(page pager, url string) iter.Seq2[source.Entry, error] {
		return newCatalog(pagesAtATime, page).all(ctx, url)
	})
}

// Walk is List at the pace of its consumer: it requests a page when the consumer has taken the previous one, and keeps
// no other. Of a data set of Hugging Face it keeps all names, whose pages have another order.
func (c *Client) Walk(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return c.list(ctx, prefix, func(page pager, _ string) iter.Seq2[source.Entry, error] { return page.walk(ctx) })
}

// list yields the objects below a prefix; through combines the pages.
func (c *Client) list(ctx context.Context, prefix string,
	through func(page pager, url string) iter.Seq2[source.Entry, error]) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		a, err := parseURL(prefix)
		if err == nil && a.bucket == "" && a.hub.name == "" {
			err = &spool.Error{Op: "list", File: spool.Redacted(prefix), Class: spool.ErrUnsupported,
				Text: "only S3 servers and Hugging Face list their objects"}
		}
		if err != nil {
			yield(source.Entry{}, err)
			return
		}
		h, key, err := c.find(prefix)
		if err != nil {
			yield(source.Entry{}, err)
			return
		}
		store := a.store + "/"
		if a.hub.name != "" {
			found, err := h.hubFiles(ctx, store, key)
			if err != nil {
				err = fail("list", prefix, err)
			}
			give(found, err, yield)
			return
		}
		page := func(ctx context.Context, last, until string) (page []source.Entry, more bool, err error) {
			err = h.ask(ctx, func(ctx context.Context) (err error) {
				page, more, err = h.server.page(ctx, store, key, strings.TrimPrefix(last, store), strings.TrimPrefix(until, store))
				return err
			})
			return page, more, err
		}
		for e, err := range through(page, store+key) {
			if err != nil {
				yield(source.Entry{}, fail("list", prefix, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// pager requests the page after the URL last, up to the URL until.
type pager func(ctx context.Context, last, until string) (page []source.Entry, more bool, err error)

// walk yields the objects page by page.
func (ask pager) walk(ctx context.Context) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		last := ""
		for more := true; more; {
			page, rest, err := ask(ctx, last, "")
			if err != nil {
				yield(source.Entry{}, err)
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
				last = e.URL
			}
			more = rest && len(page) > 0
		}
	}
}

const pagesAtATime = 32
