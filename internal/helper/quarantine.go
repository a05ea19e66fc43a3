package helper

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"

	"github.com/spoolmedia/spool"
)

// strikes is how many helpers an input may kill before it is refused.
const strikes = 2

// quarantine has the inputs that have killed helpers, by their content. It is empty on most runs, and then costs
// nothing.
type quarantine struct {
	mu     sync.Mutex
	bySize map[int][]*culprit
}

// culprit is an input that has killed helpers.
type culprit struct {
	sum   [sha256.Size]byte
	kills int
	last  *death
}

// refuse is the error for an input that has killed too many helpers, else nil.
func (q *quarantine) refuse(input []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.find(input)
	if c == nil || c.kills < strikes {
		return nil
	}
	e := c.last.error()
	e.Text = fmt.Sprintf("refused, it has ended %d helpers: %s", c.kills, e.Text)
	return e
}

// add counts a helper that an input has killed.
func (q *quarantine) add(input []byte, d *death) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.find(input)
	if c == nil {
		c = &culprit{sum: sha256.Sum256(input)}
		if q.bySize == nil {
			q.bySize = map[int][]*culprit{}
		}
		q.bySize[len(input)] = append(q.bySize[len(input)], c)
	}
	c.kills++
	c.last = d
}

// find returns an input's entry, or nil. It reads only inputs of a size that is in the table.
func (q *quarantine) find(input []byte) *culprit {
	same := q.bySize[len(input)]
	if len(same) == 0 {
		return nil
	}
	sum := sha256.Sum256(input)
	for _, c := range same {
		if bytes.Equal(c.sum[:], sum[:]) {
			return c
		}
	}
	return nil
}

// death is why a helper ended during a task.
type death struct {
	class spool.Class
	text  string
}

func (d *death) Error() string { return d.text }

func (d *death) error() *spool.Error {
	return &spool.Error{Op: "decode", Class: d.class, Text: d.text}
}
