package order

import (
	"fmt"
	"slices"
)

// State is the position in an epoch, in the order that all ranks share. As JSON it has two numbers, and some twenty
// bytes for each rank at another position. The zero value is the beginning.
//
// With unchanged seed, options and number of samples, it is enough to resume. The remaining samples do not depend on
// the former number of ranks, or on how they shared.
type State struct {
	Epoch uint64 `json:"epoch"`
	// Position is the beginning of the positions that no rank has taken.
	Position int `json:"position"`
	// Left are the positions before Position that no rank has taken: ranges [from, to) in ascending order, with gaps
	// between them. They exist if ranks advanced at different speeds, because a rank replaced a bad sample by its next
	// one.
	Left [][2]int `json:"left,omitempty"`
}

// Validate returns an error if the state does not fit an epoch of n positions, for example if it was read from a file.
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

// Remaining returns how many of the epoch's n positions no rank has taken.
func (s State) Remaining(n int) int {
	left := n - s.Position
	for _, r := range s.Left {
		left += r[1] - r[0]
	}
	return left
}

// at returns the i-th of the remaining positions.
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

// Share returns a rank's share of the rest of an epoch. It panics if the split, the rank or the state does not fit the
// sampler: see Validate.
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

// Share is a Sampler of the samples of one rank. Ranks alternate every Split.Run positions. With Repeat and Drop, all
// ranks have the same number of samples, and so the same number of batches of any size.
type Share struct {
	// Padded is how many samples come twice in this epoch, on all ranks together. Dropped is how many do not come.
	Padded, Dropped int

	sampler Repeating
	state   State
	layout  layout
	rank, n int
}

// Len returns the number of the rank's samples.
func (s *Share) Len() int { return s.n }

// At returns the id at the rank's position i.
func (s *Share) At(i int) int { return s.sampler.At(s.Position(i)) }

// Position returns the position in the order that all ranks share of the rank's position i.
func (s *Share) Position(i int) int {
	checkIndex(i, s.n)
	return s.state.at(s.layout.at(s.rank, i) % s.layout.n)
}

// Padding reports whether the rank's position i only fills the share, with a repeated sample from the beginning
// (Repeat). The positions of all ranks that are no padding have each sample as often as the sampler does.
func (s *Share) Padding(i int) bool {
	checkIndex(i, s.n)
	return s.layout.at(s.rank, i) >= s.layout.n
}

// Occurrence returns the occurrence of the rank's position i in the order that all ranks share. Padding repeats that
// order, so the occurrence of a padding sample is higher by the sampler's Len.
func (s *Share) Occurrence(i int) int {
	turn := s.layout.at(s.rank, i) / s.layout.n
	return s.sampler.Occurrence(s.Position(i)) + turn*s.sampler.Len()
}

// Advance returns the state after each rank has taken a number of samples of its share, bad ones included. taken has
// one number per rank, and n is the sampler's length. When all samples are taken, the state is the beginning of the
// next epoch. Samples that the split drops or repeats belong to the epoch in which it does so.
//
// A rank knows its own number. The numbers of other ranks are the same if no sample fails, or if bad samples get
// placeholders. Otherwise each rank has to save its own: see Mark.
func (s State) Advance(n int, split Split, taken []int) (State, error) {
	if err := s.Validate(n); err != nil {
		return State{}, err
	}
	if err := split.Validate(); err != nil || len(taken) != max(1, split.World) {
		return State{}, fmt.Errorf("order: %d ranks of a split of %+v", len(taken), split)
	}
	l := split.layout(s.Remaining(n))
	over := true // all ranks have taken all of their samples
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

// maxApart limits the work for ranks that advanced at different speeds: the total number of runs by which they are
// ahead of the slowest.
const maxApart = 1 << 20

// span is a range of positions.
type span struct{ from, to int }

// without returns the state without the positions that ranks have taken.
func (s State) without(n int, l layout, taken []int) State {
	turns := slices.Min(taken) / l.run // turns that all ranks have taken; little comes after them
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
		// Positions left before Position stay in ranges; the rest is one range.
		before := s.Remaining(n) - (n - s.Position)
		s.keep(&next, end, max(end, before))
		next.Position = s.at(max(end, before))
	}
	return next
}

// keep appends the remaining positions i to j to Left of the next state.
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
