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
		catalog := newCatalog(pagesAtATime, func(ctx context.Context, last, until string) (page []source.Entry, more bool, err error) {
			err = h.ask(ctx, func(ctx context.Context) (err error) {
				page, more, err = h.server.page(ctx, store, key, strings.TrimPrefix(last, store), strings.TrimPrefix(until, store))
				return err
			})
			return page, more, err
		})
		for e, err := range catalog.all(ctx, store+key) {
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

const pagesAtATime = 32
