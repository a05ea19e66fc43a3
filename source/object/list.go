package object

import (
	"context"
	"iter"
	"strings"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/source"
)

// List gives the objects of an S3 bucket whose addresses begin with that of the prefix, sorted bytewise by their keys: the first
// after one request, and the others as they come, of up to 32 requests at a time. Where keys are many, there are one and a half
// to three times as many requests as pages of a thousand. An error comes last.
func (c *Client) List(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return c.list(prefix, func(page pager, address string) iter.Seq2[source.Entry, error] {
		return newCatalog(pagesAtATime, page).all(ctx, address)
	})
}

// Walk is List at the pace of whoever takes the objects: each page is asked for when those of the one before are taken, and no other is
// kept.
func (c *Client) Walk(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return c.list(prefix, func(page pager, _ string) iter.Seq2[source.Entry, error] { return page.walk(ctx) })
}

// list gives the objects below a prefix as a way to go through its pages does.
func (c *Client) list(prefix string, through func(page pager, address string) iter.Seq2[source.Entry, error]) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		a, err := parse(prefix)
		if err == nil && a.bucket == "" {
			err = &spool.Error{Op: "list", File: spool.Shown(prefix), Class: spool.ErrUnsupported, Text: "only S3's servers tell what they have"}
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

// pager asks for the page behind the address last, up to the address until.
type pager func(ctx context.Context, last, until string) (page []source.Entry, more bool, err error)

// walk gives the objects of one page after the other.
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
				last = e.Address
			}
			more = rest && len(page) > 0
		}
	}
}

const pagesAtATime = 32
