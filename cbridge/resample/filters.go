package resample

import (
	"container/list"
	"sync"
)

// Filters keeps the filters of recurring rates, the least recently used going first. Its zero value is
// ready for use. It is safe for concurrent use; a hit costs a mutex and no allocation, a miss some
// milliseconds.
type Filters struct {
	MaxBytes int // of the filters kept; 0 means 16 MiB. Not to be changed after first use

	mu    sync.Mutex
	kept  map[kind]*list.Element
	order list.List // of *Filter, most recently used first
	bytes int
}

// kind is what filters are told by.
type kind struct {
	in, out int
	quality Quality
}

const defaultFiltersBytes = 16 << 20

// Get gives the filter for sound of one rate to become another, in samples a second. A nil Filters
// designs it anew.
//
//	Errors: spool.ErrOptions, all problems joined; *spool.Error of class unsupported for rates too far
//	apart (the filter would have more than 131072 taps).
func (s *Filters) Get(in, out int, q Quality) (*Filter, error) {
	if s == nil {
		return newFilter(in, out, q)
	}
	k := kind{in, out, q}
	s.mu.Lock()
	found := s.find(k)
	s.mu.Unlock()
	if found != nil {
		return found, nil
	}
	made, err := newFilter(in, out, q) // without the lock: two callers may do the same work, the first one's is kept
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.find(k); found != nil {
		return found, nil
	}
	s.keep(k, made)
	return made, nil
}

// find looks a filter up and marks it as used. The caller holds the lock.
func (s *Filters) find(k kind) *Filter {
	e, ok := s.kept[k]
	if !ok {
		return nil
	}
	s.order.MoveToFront(e)
	return e.Value.(*Filter)
}

// keep adds a filter and drops others until all fit. The caller holds the lock.
func (s *Filters) keep(k kind, made *Filter) {
	limit := s.MaxBytes
	if limit == 0 {
		limit = defaultFiltersBytes
	}
	if made.bytes() > limit {
		return
	}
	if s.kept == nil {
		s.kept = map[kind]*list.Element{}
	}
	s.kept[k] = s.order.PushFront(made)
	s.bytes += made.bytes()
	for s.bytes > limit {
		last := s.order.Remove(s.order.Back()).(*Filter)
		delete(s.kept, kind{last.in, last.out, last.quality})
		s.bytes -= last.bytes()
	}
}

// bytes is the memory that the filter takes, with about 256 for itself and its entry in a cache.
func (f *Filter) bytes() int { return 256 + 4*len(f.coefficients) }
