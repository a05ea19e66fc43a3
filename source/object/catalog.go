package object

import (
	"context"
	"iter"
	"sync"

	"github.com/spoolmedia/spool/source"
)

// catalog lists many objects in order, by several concurrent requests.
//
// A server returns the keys after a given one, a page of a thousand. The next page can only be requested when the
// previous one has arrived: at 50 ms a page, a million objects take a minute. The catalog therefore splits the range of
// the remaining keys at names that it guesses from the keys so far, and lists the parts concurrently. It splits parts
// that are still long again, while it may send more requests. A guess with no keys after it costs one empty page.
//
// Objects are named by their URLs, which have the same order as keys.
type catalog struct {
	page func(ctx context.Context, last, until string) (objects []source.Entry, more bool, err error)
	most int // concurrent requests

	mu      sync.Mutex
	arrived sync.Cond
	lists   int // spans that are being listed
	err     error
}

// span is the keys k with after < k <= until.
type span struct {
	after string
	until string // empty: no end

	objects []source.Entry // received and not yet yielded
	done    bool
	next    *span
}

func newCatalog(most int, page func(ctx context.Context, last, until string) ([]source.Entry, bool, error)) *catalog {
	c := &catalog{page: page, most: most}
	c.arrived.L = &c.mu
	return c
}

// all yields the objects whose URLs begin with prefix, in bytewise order, each as soon as all before it have arrived.
// An error comes last.
func (c *catalog) all(ctx context.Context, prefix string) iter.Seq2[source.Entry, error] {
	return func(yield func(source.Entry, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		var lists sync.WaitGroup
		defer lists.Wait()
		defer stop()
		first := &span{}
		c.lists = 1
		lists.Go(func() { c.list(ctx, &lists, prefix, first) })
		for s := first; s != nil; {
			objects, done, err := c.wait(s)
			if err != nil {
				yield(source.Entry{}, err)
				return
			}
			for _, o := range objects {
				if !yield(o, nil) {
					return
				}
			}
			if done {
				s = s.next
			}
		}
	}
}

// wait waits for objects of a span. done reports that they are its last.
func (c *catalog) wait(s *span) (objects []source.Entry, done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(s.objects) == 0 && !s.done && c.err == nil {
		c.arrived.Wait()
	}
	objects, s.objects = s.objects, nil
	if len(objects) == 0 && !s.done {
		err = c.err
	}
	return objects, s.done, err
}

// list requests the pages of a span, and starts goroutines that list parts of it.
func (c *catalog) list(ctx context.Context, lists *sync.WaitGroup, prefix string, s *span) {
	last := s.after
	for more := true; more; {
		var objects []source.Entry
		var err error
		if objects, more, err = c.page(ctx, last, s.until); err != nil {
			c.fail(err)
			return
		}
		after := last
		if len(objects) > 0 && last != "" && objects[0].URL <= last {
			c.fail(errRepeats)
			return
		}
		c.mu.Lock()
		for i, o := range objects {
			if s.until != "" && o.URL > s.until {
				objects, more = objects[:i], false
				break
			}
		}
		s.objects = append(s.objects, objects...)
		if len(objects) > 0 {
			last = objects[len(objects)-1].URL
		} else {
			more = false
		}
		if more {
			for _, part := range s.split(splitPoints(objects, prefix, after, s.until, c.most-c.lists)) {
				c.lists++
				lists.Go(func() { c.list(ctx, lists, prefix, part) })
			}
		} else {
			s.done = true
			c.lists--
		}
		c.arrived.Broadcast()
		c.mu.Unlock()
	}
}

func (c *catalog) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	c.lists--
	c.arrived.Broadcast()
}

// split splits a span at these names: s keeps the keys up to the first one, and split returns spans of the others.
func (s *span) split(at []string) []*span {
	parts := make([]*span, len(at))
	for i, name := range at {
		part := &span{after: name, until: s.until, next: s.next}
		s.until, s.next = name, part
		parts[i], s = part, part
	}
	return parts
}
