package ranges

import "github.com/spoolmedia/spool"

// request requests a byte that was not expected. If the read continues the last read-ahead, it doubles the read-ahead.
// It returns nil if there is no memory for it.
func (r *Reader) request(off int64) *segment {
	if r.aheadEnd >= 0 && r.aheadEnd <= off && off <= r.aheadEnd+r.options.Near {
		r.aheadSize = min(2*r.aheadSize, r.options.Ahead)
	} else {
		r.aheadSize = r.options.Block
	}
	r.aheadEnd = off
	r.readAhead(true)
	return r.at(off)
}

// readAhead requests the next bytes of the read-ahead, and skips ranges that are already there. If a reader waits for
// the first of them, that may evict ranges which are not read yet.
func (r *Reader) readAhead(waited bool) {
	for end := min(r.aheadEnd+r.aheadSize, r.size); r.aheadEnd < end; waited = false {
		if x := r.at(r.aheadEnd); x != nil {
			r.aheadEnd = x.End
			continue
		}
		part := r.hole(r.aheadEnd, min(r.aheadEnd+r.options.Part, end))
		buffer := r.room(part.Len(), waited)
		if buffer == nil && waited {
			part.End = min(part.End, part.Begin+r.options.Block)
			buffer = r.room(part.Len(), true)
		}
		if buffer == nil {
			return
		}
		r.fetch(part, buffer, false)
		r.aheadEnd = part.End
	}
}

// requestExpected requests the expected ranges that fit in memory.
func (r *Reader) requestExpected() {
	for len(r.expected) > 0 {
		part := &r.expected[0]
		for x := r.at(part.Begin); x != nil; x = r.at(part.Begin) { // already there
			part.Begin = x.End
		}
		now := r.hole(part.Begin, min(part.End, part.Begin+r.options.Part, r.size))
		if now.Len() <= 0 {
			r.expected = r.expected[1:]
			continue
		}
		buffer := r.room(now.Len(), false)
		if buffer == nil {
			return
		}
		r.fetch(now, buffer, true)
		part.Begin = now.End
	}
}

// room returns a buffer of n bytes, or nil. It evicts what the package comment allows. If a reader waits, it may also
// evict unread ranges, and planned ones of this reader.
func (r *Reader) room(n int64, waited bool) *spool.Buffer {
	limit := r.options.Hold
	if !waited {
		limit -= r.reserve
	}
	if n > min(limit, r.store.most) {
		return nil
	}
	for r.bytes+n > limit {
		if !r.evict(waited) {
			return nil
		}
	}
	for {
		buffer := r.store.take(n, waited)
		if buffer != nil || !waited || !r.evict(true) {
			return buffer
		}
	}
}

// evict drops a segment of this reader that is not in use: one that was read to its end or, if all is set, any: unread
// ones before planned ones. The least recently used goes first.
func (r *Reader) evict(all bool) bool {
	rank := func(x *segment) int {
		switch {
		case x.passed:
			return 0
		case x.planned:
			return 2
		}
		return 1
	}
	var oldest *segment
	for _, x := range r.list {
		if x.users > 0 || rank(x) > 0 && !all {
			continue
		}
		if oldest == nil || rank(x) < rank(oldest) || rank(x) == rank(oldest) && x.used < oldest.used {
			oldest = x
		}
	}
	if oldest == nil {
		return false
	}
	r.drop(oldest)
	return true
}
