package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spoolmedia/spool/pipe/internal/turns"
)

// simulated is a stage.
type simulated struct {
	ModelStage
	random *rand.Rand
	times  []Bucket // of Service, with cumulative counts
	scale  float64  // of times, or of Times

	ins, outs []*edge
	router    *simulated   // of a Join
	join      *simulated   // of a Route
	turns     []int        // of a Join: the paths of the next items
	order     *turns.Turns // of a Merge
	turn      int          // of a Merge: the input of the next item; negative if it is not known yet
	taking    []bool       // of a MergeAny: the inputs whose worker has an item
	chances   []float64    // of a Route without Paths: cumulative Shares

	// Items.
	left   int64 // that a source still provides
	busy   int64 // in work: one for each worker at work
	begun  int64
	drawn  int64 // of Times
	passed int64 // whose results were passed on; if AsCompleted, all that are done
	items  int64 // done
	routed int64 // of a Route
	full   *edge // of a Route: the path that has no room for the item in work

	// done has the results of the items from number passed on, which wait for an earlier item.
	done []int64
	rest float64 // fraction of a result left over

	work    time.Duration
	waitIn  time.Duration
	waitOut time.Duration
	service Histogram
}

// States of an item in done; others are the number of its results.
const (
	inWork = -1
	hole   = -2 // it had no result at an earlier stage
)

// prepare sets up the drawing of service times. They are uniform within a bucket, and the mean is kept.
func (s *simulated) prepare() {
	s.scale = s.perTime()
	if len(s.Times) == 0 {
		sum, n := 0.0, int64(0)
		if s.Service != nil {
			for b := range s.Service.Buckets() {
				sum += float64(b.Count) * float64(b.From+b.To) / 2
				n += b.Count
				b.Count = n
				s.times = append(s.times, b)
			}
		}
		if sum > 0 {
			s.scale = float64(s.Service.sum) / sum
		}
	}
	if s.stretched > 0 {
		s.scale /= s.stretched
	}
	switch s.Kind {
	case Route:
		sum := 0.0
		for i := range s.outs {
			share := 1.0
			if len(s.Shares) == len(s.outs) {
				share = s.Shares[i]
			}
			sum += share
			s.chances = append(s.chances, sum)
		}
	case MergeAny:
		s.Workers = max(len(s.ins), 1)
		s.taking = make([]bool, len(s.ins))
	case Plain, Join, Tee, Merge:
	}
	if len(s.ins) > 1 && s.Kind != MergeAny {
		live := make([]int, len(s.ins))
		for i := range live {
			live[i] = i
		}
		if len(s.Weights) != len(s.ins) {
			s.Weights = nil
		}
		s.order, s.turn = turns.New(s.Weights, live), -1
	}
}

// draw returns the service time of the next item.
func (s *simulated) draw() float64 {
	if n := int64(len(s.Times)); n > 0 {
		s.drawn++
		return s.scale * float64(s.Times[(s.drawn-1)%n])
	}
	if len(s.times) == 0 {
		return 0
	}
	nth := s.random.Int64N(s.times[len(s.times)-1].Count)
	i, _ := slices.BinarySearchFunc(s.times, nth+1, func(b Bucket, n int64) int { return int(b.Count - n) })
	b := s.times[i]
	return s.scale * (float64(b.From) + s.random.Float64()*float64(b.To-b.From))
}

// choose returns the path of a Route's next item.
func (s *simulated) choose() int {
	if n := int64(len(s.Paths)); n > 0 {
		path := s.Paths[s.routed%n]
		s.routed++
		return min(max(path, 0), len(s.outs)-1)
	}
	x := s.random.Float64() * s.chances[len(s.chances)-1]
	path, _ := slices.BinarySearch(s.chances, x)
	return min(path, len(s.outs)-1)
}

// crowded reports whether a worker must wait for room before it takes an item. A Route takes one before it knows the
// path.
func (s *simulated) crowded() bool {
	return s.Kind != Route && slices.ContainsFunc(s.outs, (*edge).crowded)
}

// waitsForRoom reports whether the stage waits for room, rather than for items.
func (s *simulated) waitsForRoom() bool { return s.full != nil || s.crowded() }

// take takes the next item, and returns the number of its input. Items without a result pass through.
func (s *simulated) take() (input int, ok bool) {
	if len(s.ins) == 0 {
		if s.left == 0 {
			return 0, false
		}
		s.left--
		return 0, true
	}
	for {
		if input = s.next(); input < 0 || s.ins[input].empty() || s.crowded() ||
			s.Kind == Route && s.outs[0].crowded() && !s.ins[input].waiting[s.ins[input].head] {
			return 0, false
		}
		if s.router != nil {
			s.turns = s.turns[1:]
		}
		s.turn = -1
		if s.ins[input].take() {
			return input, true
		}
		if s.Kind == Route {
			s.send(s.outs[0], 0)
			continue
		}
		s.reserve()
		s.begun++
		s.done = append(s.done, hole)
		s.flush()
	}
}

// next returns the input of the next item, which may have none yet. It is negative if there is no input to take from.
func (s *simulated) next() int {
	switch {
	case s.Kind == MergeAny:
		for i, e := range s.ins {
			if !s.taking[i] && !e.empty() {
				return i
			}
		}
		return -1
	case s.router != nil:
		if len(s.turns) == 0 {
			return -1
		}
		return s.turns[0]
	case s.order == nil:
		return 0
	}
	for {
		if s.turn < 0 {
			if !s.order.Any() {
				return -1
			}
			s.turn = s.order.Next()
		}
		if !s.ins[s.turn].over() {
			return s.turn
		}
		s.order.Leave(s.turn)
		s.turn = -1
	}
}

// reserve reserves a place for the results of an item.
func (s *simulated) reserve() {
	for _, e := range s.outs {
		e.reserved++
	}
}

// finish ends an item's work, and passes on its results when it is their turn.
func (s *simulated) finish(e event) {
	s.items++
	s.rest += s.Results
	results := math.Floor(s.rest + 1e-9)
	s.rest -= results
	if s.taking != nil {
		s.taking[e.input] = false
	}
	switch {
	case s.Kind == Route && len(s.outs) > 0:
		path := s.outs[s.choose()]
		if results == 0 {
			path = s.outs[0] // which answers for it, if the order is kept
		}
		if path.crowded() && (results > 0 || path.holes) {
			s.full, s.rest = path, s.rest+results
			return
		}
		s.send(path, int64(results))
	case s.AsCompleted || s.taking != nil:
		s.hand(int64(results))
	default:
		s.done[e.item-s.passed] = int64(results)
		s.flush()
	}
	s.busy--
}

// unblock passes on the item that waited for room on its path.
func (s *simulated) unblock() (did bool) {
	if s.full == nil || s.full.crowded() {
		return false
	}
	results := math.Floor(s.rest + 1e-9)
	s.rest -= results
	s.send(s.full, int64(results))
	s.full = nil
	s.busy--
	return true
}

// send passes an item on to a path.
func (s *simulated) send(path *edge, results int64) {
	path.add(results)
	if s.join != nil {
		s.join.turns = append(s.join.turns, slices.Index(s.outs, path))
	}
}

// flush passes on the results of all items that need not wait for an earlier one.
func (s *simulated) flush() {
	n := 0
	for ; n < len(s.done) && s.done[n] != inWork; n++ {
		s.hand(max(s.done[n], 0))
	}
	s.done = slices.Delete(s.done, 0, n)
}

func (s *simulated) hand(results int64) {
	s.passed++
	for _, e := range s.outs {
		e.pass(results)
	}
}
