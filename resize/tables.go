package resize

import (
	"container/list"
	"sync"
)

// table is an axis and its place in the source. It never changes, and is shared by all plans that got
// it from the same Tables.
type table struct {
	axis  Axis
	first int // source column or row that Start counts from
}

// bytes is the memory that the table takes, with about 256 for itself and its entry in a cache.
func (t *table) bytes() int {
	return 256 + 4*(len(t.axis.Start)+len(t.axis.Count)) + 2*len(t.axis.Weights) + 4*len(t.axis.Wide)
}

// Tables keeps the axes of recurring sizes, the least recently used going first. Its zero value is
// ready for use. It is safe for concurrent use; a hit costs a mutex and no allocation.
type Tables struct {
	MaxBytes int // of the axes kept; 0 means 16 MiB. Not to be changed after first use

	mu    sync.Mutex
	kept  map[span]*list.Element
	order list.List // of keptTable, most recently used first
	bytes int
}

type keptTable struct {
	span  span
	table *table
}

const defaultTablesBytes = 16 << 20

// get gives the axis of a span, computed anew by nil Tables.
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
	made := newTable(s) // without the lock: two callers may do the same work, the first one's is kept
	t.mu.Lock()
	defer t.mu.Unlock()
	if found := t.find(s); found != nil {
		return found
	}
	t.keep(s, made)
	return made
}

// find looks a table up and marks it as used. The caller holds the lock.
func (t *Tables) find(s span) *table {
	e, ok := t.kept[s]
	if !ok {
		return nil
	}
	t.order.MoveToFront(e)
	return e.Value.(*keptTable).table
}

// keep adds a table and drops others until all fit. The caller holds the lock.
func (t *Tables) keep(s span, made *table) {
	limit := t.MaxBytes
	if limit == 0 {
		limit = defaultTablesBytes
	}
	if made.bytes() > limit {
		return
	}
	if t.kept == nil {
		t.kept = map[span]*list.Element{}
	}
	t.kept[s] = t.order.PushFront(&keptTable{s, made})
	t.bytes += made.bytes()
	for t.bytes > limit {
		last := t.order.Remove(t.order.Back()).(*keptTable)
		delete(t.kept, last.span)
		t.bytes -= last.table.bytes()
	}
}
