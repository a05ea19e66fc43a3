package resize

import (
	"container/list"
	"sync"
)

// table is an axis and its position in the source. It is immutable, and shared by all plans that got it from the same
// Tables.
type table struct {
	axis  Axis
	first int // source column or row that Start is relative to
}

// bytes returns the memory of the table, including about 256 for itself and its cache entry.
func (t *table) bytes() int {
	return 256 + 4*(len(t.axis.Start)+len(t.axis.Count)) + 2*len(t.axis.Weights) + 4*len(t.axis.Wide)
}

// Tables caches the axes of recurring sizes and evicts the least recently used ones. Its zero value is ready for use.
// It is safe for concurrent use; a hit costs a mutex and no allocation.
type Tables struct {
	MaxBytes int // of the cached axes; 0 means 16 MiB. MUST NOT change after first use

	mu     sync.Mutex
	cached map[span]*list.Element
	order  list.List // of cachedTable, most recently used first
	bytes  int
}

type cachedTable struct {
	span  span
	table *table
}

const defaultTablesBytes = 16 << 20

// get returns the axis of a span. Nil Tables compute a new one in each call.
func (t *Tables) get(s span) *table {
	if t == nil {
		return newTable(s)
	}
	t.mu.Lock()
	found := t.find(s)
	t.mu.Unlock()
	if found != nil {
		return found
	}
	made := newTable(s) // without the lock: if two callers do the same work, the first table is kept
	t.mu.Lock()
	defer t.mu.Unlock()
	if found := t.find(s); found != nil {
		return found
	}
	t.add(s, made)
	return made
}

// find looks a table up and marks it as used. The caller holds the lock.
func (t *Tables) find(s span) *table {
	e, ok := t.cached[s]
	if !ok {
		return nil
	}
	t.order.MoveToFront(e)
	return e.Value.(*cachedTable).table
}

// add adds a table and evicts others until all fit. The caller holds the lock.
func (t *Tables) add(s span, made *table) {
	limit := t.MaxBytes
	if limit == 0 {
		limit = defaultTablesBytes
	}
	if made.bytes() > limit {
		return
	}
	if t.cached == nil {
		t.cached = map[span]*list.Element{}
	}
	t.cached[s] = t.order.PushFront(&cachedTable{s, made})
	t.bytes += made.bytes()
	for t.bytes > limit {
		last := t.order.Remove(t.order.Back()).(*cachedTable)
		delete(t.cached, last.span)
		t.bytes -= last.table.bytes()
	}
}
