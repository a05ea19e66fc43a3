package meter

import (
	"strconv"
	"time"

	"github.com/spoolmedia/spool/pipe/stats"
)

// assignment is the item that a worker is working on.
type assignment struct {
	busy   bool
	told   bool
	number int64
	id     string // empty for the number
	file   string
}

// Assign records the item that the worker begins. The item's names are asked for before, because the function owns the
// item afterwards.
func (m *Meter) Assign(id, file string, number int64) {
	m.mu.Lock()
	m.work = assignment{busy: true, number: number, id: id, file: file}
	m.mu.Unlock()
}

// Stuck returns the worker's item, if it has been in work for longer than after, waits not included. With tell, each
// item is returned only once.
func (m *Meter) Stuck(after time.Duration, tell bool) (s stats.Stuck, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.For = m.item; m.phase == Working {
		s.For += time.Since(m.epoch) - m.since
	}
	if !m.work.busy || s.For < after || tell && m.work.told {
		return s, false
	}
	m.work.told = m.work.told || tell
	s.ID, s.File = m.work.id, m.work.file
	if s.ID == "" {
		s.ID = strconv.FormatInt(m.work.number, 10)
	}
	return s, true
}
