package table

import "sync/atomic"

// recent keeps parsed rows: the inputs of a record are opened one after the other, and each is a part of its row. It is
// safe for concurrent use.
type recent [256]atomic.Pointer[recentLine]

type recentLine struct {
	k    int
	line line
}

// maxRecent is the most bytes of a row that is kept, and so bounds the memory of recent to a few megabytes.
const maxRecent = 8 << 10

// find returns row k, or nil.
func (r *recent) find(k int) line {
	if x := r[k%len(r)].Load(); x != nil && x.k == k {
		return x.line
	}
	return nil
}

// keep keeps row k, whose text has that many bytes.
func (r *recent) keep(k int, l line, bytes int) {
	if bytes <= maxRecent {
		r[k%len(r)].Store(&recentLine{k, l})
	}
}
