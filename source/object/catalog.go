package object

import (
	"context"
	"iter"
	"sync"

	"github.com/spoolmedia/spool/source"
)

// catalog lists many objects by several requests at a time, in their order.
//
// A server gives the keys after a given one, a page of a thousand, and so tells the next place to ask at only with the page
// before it: at 50 ms a page a million objects take a minute. So the keys that are still to come are cut in places that are
// guessed from those that have come, and the parts are listed side by side; parts that are still long are cut again while there
// are requests to spare. A guess that nothing lies behind costs one empty page.
//
// Objects are called by their addresses, which have the same order as keys.
type catalog struct {
	page func(ctx context.Context, last, until string) (objects []source.Entry, more bool, err error)
	most int // requests at a time

	mu    sync.Mutex
	came  sync.Cond
	lists int // spans that are being listed
	err   error
}

// span is the keys k with after < k <= until.
type span struct {
	after string
	until string // empty: no end

	objects []source.Entry // that have come and were not given on
	done    bool
	next    *span
}

func newCatalog(most int, page func(ctx context.Context, last, until string) ([]source.Entry, bool, error)) *catalog {
	c := &catalog{page: page, most: most}
	c.came.L = &c.mu
	return c
}

// all gives the objects whose addresses begin with prefix, in bytewise order, as soon as all before them have come. An error comes last.
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
			objects, done, err := c.take(s)
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

// take waits for objects of a span. The last of them have come when it is done.
func (c *catalog) take(s *span) (objects []source.Entry, done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(s.objects) == 0 && !s.done && c.err == nil {
		c.came.Wait()
	}
	objects, s.objects = s.objects, nil
	if len(objects) == 0 && !s.done {
		err = c.err
	}
	return objects, s.done, err
}

// list asks for the pages of a span, and has parts of it listed by others.
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
		if len(objects) > 0 && last != "" && objects[0].Address <= last {
			c.fail(errRepeats)
			return
		}
		c.mu.Lock()
		for i, o := range objects {
			if s.until != "" && o.Address > s.until {
				objects, more = objects[:i], false
				break
			}
		}
		s.objects = append(s.objects, objects...)
		if len(objects) > 0 {
			last = objects[len(objects)-1].Address
		} else {
			more = false
		}
		if more {
			for _, part := range s.cut(places(objects, prefix, after, s.until, c.most-c.lists)) {
				c.lists++
				lists.Go(func() { c.list(ctx, lists, prefix, part) })
			}
		} else {
			s.done = true
			c.lists--
		}
		c.came.Broadcast()
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
	c.came.Broadcast()
}

// cut leaves a span's keys up to the first of the places to it, and gives spans of the others.
func (s *span) cut(places []string) []*span {
	parts := make([]*span, len(places))
	for i, place := range places {
		part := &span{after: place, until: s.until, next: s.next}
		s.until, s.next = place, part
		parts[i], s = part, part
	}
	return parts
}
