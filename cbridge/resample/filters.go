package resample

import (
	"container/list"
	"sync"
)

// Filters caches filters and evicts the least recently used ones. Its zero value is ready for use. It is safe for
// concurrent use. A hit costs a mutex and no allocation, a miss a few milliseconds.
type Filters struct {
	MaxBytes int // of the cached filters; 0 means 16 MiB. MUST NOT change after first use

	mu     sync.Mutex
	cached map[filterKey]*list.Element
	order  list.List // of *Filter, most recently used first
	bytes  int
}

// filterKey is the key of a filter in the cache.
type filterKey struct {
	in, out int
	quality Quality
}

const defaultFiltersBytes = 16 << 20

// Get returns the filter between two rates, in samples a second. A nil Filters designs a new one in each call.
//
//	Errors: spool.ErrOptions, all problems joined; *spool.Error of class unsupported for rates too far
//	apart (the filter would have more than 131072 taps).
func (s *Filters) Get(in, out int, q Quality) (*Filter, error) {
	if s == nil {
		return newFilter(in, out, q)
	}
	k := filterKey{in, out, q}
	s.mu.Lock()
	found := s.find(k)
	s.mu.Unlock()
	if found != nil {
		return found, nil
	}
	made, err := newFilter(in, out, q) // without the lock: if two callers do the same work, the first filter is kept
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.find(k); found != nil {
		return found, nil
	}
	s.add(k, made)
	return made, nil
}

// find looks a filter up and marks it as used. The caller holds the lock.
func (s *Filters) find(k filterKey) *Filter {
	e, ok := s.cached[k]
	if !ok {
		return nil
	}
	s.order.MoveToFront(e)
	return e.Value.(*Filter)
}

// add adds a filter and evicts others until all fit. The caller holds the lock.
func (s *Filters) add(k filterKey, made *Filter) {
	limit := s.MaxBytes
	if limit == 0 {
		limit = defaultFiltersBytes
	}
	if made.bytes() > limit {
		return
	}
	if s.cached == nil {
		s.cached = map[filterKey]*list.Element{}
	}
	s.cached[k] = s.order.PushFront(made)
	s.bytes += made.bytes()
	for s.bytes > limit {
		last := s.order.Remove(s.order.Back()).(*Filter)
		delete(s.cached, filterKey{last.in, last.out, last.quality})
		s.bytes -= last.bytes()
	}
}

// bytes returns the memory of the filter, including about 256 for itself and its cache entry.
func (f *Filter) bytes() int { return 256 + 4*len(f.coefficients) }
