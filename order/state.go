package order

import (
	"fmt"
	"slices"
)

// State is how far an epoch has come, in the order that all ranks share. As JSON it is two numbers, and some
// twenty bytes for each rank that is not where the others are. Its zero value is the beginning.
//
// With seed, options and number of samples unchanged it is all that is needed to go on: what is still to come does not
// depend on how many ranks there were, or on how they took turns.
type State struct {
	Epoch uint64 `json:"epoch"`
	// Position is where what nobody has taken begins.
	Position int `json:"position"`
	// Left is what was left out before: ranges [from, to) in ascending order, apart from each other. There are some where
	// ranks went on at different speeds, because a bad sample of one was replaced by its next.
	Left [][2]int `json:"left,omitempty"`
}

// Validate says what is wrong with a state of an epoch with n positions, as when it was read from a file.
func (s State) Validate(n int) error {
	if s.Position < 0 || s.Position > n {
		return fmt.Errorf("order: position %d of %d samples", s.Position, n)
	}
	end := -1
	for _, r := range s.Left {
		if r[0] <= end || r[1] <= r[0] || r[1] > s.Position {
			return fmt.Errorf("order: left before position %d: %v", s.Position, s.Left)
		}
		end = r[1]
	}
	return nil
}

func (s State) equal(t State) bool {
	return s.Epoch == t.Epoch && s.Position == t.Position && slices.Equal(s.Left, t.Left)
}

// Remaining is how many of the epoch's n positions are still to be taken.
func (s State) Remaining(n int) int {
	left := n - s.Position
	for _, r := range s.Left {
		left += r[1] - r[0]
	}
	return left
}

// at is the i-th position that is still to be taken.
func (s State) at(i int) int {
	for _, r := range s.Left {
		if n := r[1] - r[0]; i >= n {
			i -= n
			continue
		}
		return r[0] + i
	}
	return s.Position + i
}

// Share is what a rank takes of the rest of an epoch. It panics when the split, the rank or the state is none of the
// sampler's: see Validate.
func (s State) Share(of Sampler, split Split, rank int) *Share {
	if rank < 0 || rank >= max(1, split.World) || split.Validate() != nil || s.Validate(of.Len()) != nil {
		panic(fmt.Sprintf("order: the share of rank %d by %+v from %+v of %d samples", rank, split, s, of.Len()))
	}
	l := split.layout(s.Remaining(of.Len()))
	share := &Share{sampler: Counted(of), state: s, layout: l, rank: rank, Padded: l.padded(), Dropped: l.dropped()}
	if l.n > 0 {
		share.n = l.size(rank)
	}
	return share
}

// Share is the samples of one rank, as a Sampler. Ranks take turns of Split.Run positions. With Repeat and Drop all
// ranks have the same number, and so the same number of batches of any size.
type Share struct {
	// Padded is how many samples come twice in this epoch, on all ranks together; Dropped how many nobody takes.
	Padded, Dropped int

	sampler Repeating
	state   State
	layout  layout
	rank, n int
}

// Len is the number of samples that the rank takes.
func (s *Share) Len() int { return s.n }

// At is the id at the rank's position i.
func (s *Share) At(i int) int { return s.sampler.At(s.Position(i)) }

// Position is where the rank's position i stands in the order that all ranks share.
func (s *Share) Position(i int) int {
	checkIndex(i, s.n)
	return s.state.at(s.layout.at(s.rank, i) % s.layout.n)
}

// Padding reports whether the rank's position i only fills the share: with Repeat, a sample from the beginning that comes
// again. Over all ranks, the positions that are no padding have each sample as often as the sampler has it.
func (s *Share) Padding(i int) bool {
	checkIndex(i, s.n)
	return s.layout.at(s.rank, i) >= s.layout.n
}

// Occurrence is that of the rank's position i in the order that all ranks share. The padding goes on behind its end: what
// is taken from the beginning again counts as coming another Len of the sampler later.
func (s *Share) Occurrence(i int) int {
	turn := s.layout.at(s.rank, i) / s.layout.n
	return s.sampler.Occurrence(s.Position(i)) + turn*s.sampler.Len()
}

// Advance is the state after each rank has taken so many of its share, whether they were good or not: one number a
// rank. n is the sampler's length. When all is taken, the next epoch begins; what a split drops or repeats belongs to
// the epoch it was dropped or repeated in.
//
// A rank knows its own number. Others' are the same where no sample fails, or where what is bad gets a placeholder;
// else each has to keep its own: see Mark.
func (s State) Advance(n int, split Split, taken []int) (State, error) {
	if err := s.Validate(n); err != nil {
		return State{}, err
	}
	if err := split.Validate(); err != nil || len(taken) != max(1, split.World) {
		return State{}, fmt.Errorf("order: %d ranks of a split of %+v", len(taken), split)
	}
	l := split.layout(s.Remaining(n))
	over := true // nobody has anything to take
	apart, least := 0, slices.Min(taken)
	for rank, k := range taken {
		size := 0
		if l.n > 0 {
			size = l.size(rank)
		}
		if k < 0 || k > size {
			return State{}, fmt.Errorf("order: rank %d has taken %d of its %d samples", rank, k, size)
		}
		over = over && k == size
		apart += (k - least) / l.run
	}
	if over {
		return State{Epoch: s.Epoch + 1}, nil
	}
	if apart > maxApart {
		return State{}, fmt.Errorf("order: ranks that are %d runs apart", apart)
	}
	return s.without(n, l, taken), nil
}

// maxApart bounds the work for ranks that went on at different speeds: the runs by which all together are ahead of the
// slowest.
const maxApart = 1 << 20

// span is a range of positions.
type span struct{ from, to int }

// without is the state with what ranks have taken gone.
func (s State) without(n int, l layout, taken []int) State {
	turns := slices.Min(taken) / l.run // that all ranks have taken; behind them there is little
	turns = min(turns, l.turns)
	gone := []span{{0, turns * l.world * l.run}}
	for rank, k := range taken {
		for j := turns * l.run; j < k; {
			run := l.run - j%l.run
			if whole := l.turns * l.run; j >= whole {
				run = k
			}
			run = min(run, k-j)
			at := l.at(rank, j)
			if at < l.n {
				gone = append(gone, span{at, min(at+run, l.n)})
			}
			j += run
		}
	}
	slices.SortFunc(gone, func(a, b span) int { return a.from - b.from })
	next := State{Epoch: s.Epoch}
	end := 0
	for _, g := range gone {
		s.keep(&next, end, g.from)
		end = max(end, g.to)
	}
	next.Position = n
	if end < l.n {
		// What was left before Position stays in ranges, the rest is one.
		before := s.Remaining(n) - (n - s.Position)
		s.keep(&next, end, max(end, before))
		next.Position = s.at(max(end, before))
	}
	return next
}

// keep adds the i-th to j-th of what is still to be taken to what is left.
func (s State) keep(next *State, i, j int) {
	for i < j {
		from := s.at(i)
		to := from + 1
		for i++; i < j && s.at(i) == to; i++ {
			to++
		}
		if n := len(next.Left); n > 0 && next.Left[n-1][1] == from {
			next.Left[n-1][1] = to
			continue
		}
		next.Left = append(next.Left, [2]int{from, to})
	}
}
