package object

import (
	"context"
	"iter"
	"strings"
	"sync"
)

// catalog lists many objects by several requests at a time, in their order.
//
// A server gives the keys after a given one, a page of a thousand, and so tells the next place to ask at only with the page
// before it: at 50 ms a page a million objects take a minute. So the keys that are still to come are cut in places that are
// guessed, and the parts are listed side by side; parts that are still long are cut again while there are requests to spare.
// A guess that nothing lies behind costs one empty page.
type catalog struct {
	page func(ctx context.Context, last, until string) (objects []listed, more bool, err error)
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

	objects []listed // that have come and were not given on
	done    bool
	next    *span
}

func newCatalog(most int, page func(ctx context.Context, last, until string) ([]listed, bool, error)) *catalog {
	c := &catalog{page: page, most: most}
	c.came.L = &c.mu
	return c
}

// all gives the objects whose keys begin with prefix, in bytewise order, as soon as all before them have come. An error comes last.
func (c *catalog) all(ctx context.Context, prefix string) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
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
				yield(listed{}, err)
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
func (c *catalog) take(s *span) (objects []listed, done bool, err error) {
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
		var objects []listed
		var err error
		if objects, more, err = c.page(ctx, last, s.until); err != nil {
			c.fail(err)
			return
		}
		c.mu.Lock()
		for i, o := range objects {
			if s.until != "" && o.key > s.until {
				objects, more = objects[:i], false
				break
			}
		}
		s.objects = append(s.objects, objects...)
		if len(objects) > 0 {
			last = objects[len(objects)-1].key
		} else {
			more = false
		}
		if more {
			for _, part := range s.cut(prefix, last, c.most-c.lists) {
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

// cut leaves a span's keys up to the first of the guessed places to it, and gives spans of the others.
func (s *span) cut(prefix, last string, most int) []*span {
	var parts []*span
	for _, place := range places(prefix, last, s.until, min(most, cuts)) {
		part := &span{after: place, until: s.until, next: s.next}
		s.until, s.next = place, part
		parts = append(parts, part)
		s = part
	}
	return parts
}

// cuts is how many parts a span loses after a page: with more of them 100,000 keys take as long, and up to a half more
// requests, of which most find nothing.
const cuts = 2

// highest is behind all characters that names are likely to begin with; what comes behind it is the last part's.
const highest = '~'

// places guesses up to most keys between last and until that part the keys there: at the first byte where these
// leave room for any, they are spread evenly over it.
func places(prefix, last, until string, most int) []string {
	for at := len(prefix); at <= len(last) && most > 0; at++ {
		low, high := ' '-1, highest+1
		if at < len(last) {
			low = rune(last[at])
		}
		if strings.HasPrefix(until, last[:at]) && at < len(until) {
			high = min(rune(until[at]), high) // whole characters only: there are servers that take nothing else
		}
		if n := min(int(high-low)-1, most); n > 0 {
			found := make([]string, n)
			for i := range found {
				found[i] = last[:at] + string(low+1+rune(i)*(high-low-1)/rune(n))
			}
			return found
		}
	}
	return nil
}
