package helper

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/spoolmedia/spool"
)

const (
	strikes = 2    // how many helpers an input may kill before it is refused
	most    = 1000 // how many inputs are remembered; of more, that which has killed last the longest ago is forgotten
)

// quarantine has the inputs that have killed helpers, by their content. It is empty on most runs, and then costs
// nothing.
type quarantine struct {
	mu       sync.Mutex
	culprits []culprit // that which has killed last is at the end
}

// culprit is an input that has killed helpers.
type culprit struct {
	size  int
	sum   [sha256.Size]byte
	kills int
	last  *death
}

// refuse is the error for an input that has killed too many helpers, else nil. It reads only inputs of a size that a
// culprit has.
func (q *quarantine) refuse(input []byte) error {
	if !q.suspects(len(input)) {
		return nil
	}
	sum := sha256.Sum256(input)
	q.mu.Lock()
	defer q.mu.Unlock()
	i := q.find(sum)
	if i < 0 || q.culprits[i].kills < strikes {
		return nil
	}
	e := q.culprits[i].last.error()
	e.Text = fmt.Sprintf("refused, it has ended %d helpers: %s", q.culprits[i].kills, e.Text)
	return e
}

// add counts a helper that an input has killed.
func (q *quarantine) add(input []byte, d *death) {
	c := culprit{size: len(input), sum: sha256.Sum256(input)}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.find(c.sum); i >= 0 {
		c = q.culprits[i]
		q.culprits = slices.Delete(q.culprits, i, i+1)
	}
	c.kills++
	c.last = d
	q.culprits = append(q.culprits, c)
	q.culprits = slices.Delete(q.culprits, 0, max(0, len(q.culprits)-most))
}

// suspects reports whether a culprit has this size.
func (q *quarantine) suspects(size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.ContainsFunc(q.culprits, func(c culprit) bool { return c.size == size })
}

// find returns the place of a culprit, or -1. The lock is held.
func (q *quarantine) find(sum [sha256.Size]byte) int {
	return slices.IndexFunc(q.culprits, func(c culprit) bool { return c.sum == sum })
}

// death is why a helper ended during a task.
type death struct {
	class   spool.Class
	text    string
	outside bool // by a signal that the task cannot have caused, so it does not count against the input
}

func (d *death) Error() string { return d.text }

func (d *death) error() *spool.Error {
	return &spool.Error{Op: "decode", Class: d.class, Text: d.text}
}
