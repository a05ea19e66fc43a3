package pipe_test

import (
	"iter"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/pipe/internal/budget"
)

// stock creates items, and checks at the end that each was released exactly once.
type stock struct {
	mu    sync.Mutex
	items []*item
}

type item struct {
	n        int
	released atomic.Int32
	share    *budget.Lease // of a budget; released with the item
}

func (i *item) Release() {
	if i.released.Add(1) == 1 && i.share != nil {
		i.share.Release()
	}
}

// Size returns some number of bytes.
func (i *item) Size() int64 { return int64(i.n % 20) }

func (s *stock) make(n int) *item {
	i := &item{n: n}
	s.mu.Lock()
	s.items = append(s.items, i)
	s.mu.Unlock()
	return i
}

func (s *stock) made() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.items)
}

func (s *stock) checkReleased(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, i := range s.items {
		if times := i.released.Load(); times != 1 {
			assert.Failf(t, "not released exactly once", "item %d of %d: %d times", i.n, len(s.items), times)
			return
		}
	}
}

// upTo gives new items with the numbers below n.
func (s *stock) upTo(n int) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		for i := range n {
			if !yield(s.make(i)) {
				return
			}
		}
	}
}
