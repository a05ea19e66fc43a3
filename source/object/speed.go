package object

import (
	"math"
	"sync/atomic"
	"time"
)

// speed is how fast recent answers came, once they had begun: bytes a second of one connection.
type speed struct{ bits atomic.Uint64 }

// add counts an answer. Short ones tell nothing: they come with their headers.
func (s *speed) add(n int, d time.Duration) {
	if n < 64<<10 || d <= 0 {
		return
	}
	now := float64(n) / d.Seconds()
	if last := s.get(); last > 0 {
		now = last + (now-last)/8
	}
	s.bits.Store(math.Float64bits(now)) // one that comes at the same moment may be lost
}

// get is zero until something is known.
func (s *speed) get() float64 { return math.Float64frombits(s.bits.Load()) }
