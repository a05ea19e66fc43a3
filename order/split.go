package order

import "fmt"

// Rest is what happens to samples that cannot be shared evenly.
type Rest uint8

const (
	Repeat Rest = iota // ranks with one sample less take one from the beginning again
	Drop               // no rank takes them
	Uneven             // some ranks take one sample more, so their number of batches may differ
)

// Split is how ranks share an epoch.
type Split struct {
	World int  `json:"world"` // number of ranks; 0 means 1
	Run   int  `json:"run"`   // positions that a rank takes at a time, best the batch size; 0 means 1
	Rest  Rest `json:"rest"`  // of samples after the last whole turn of all ranks
}

// The bounds are far beyond any run, and keep products below 2^63.
const (
	maxWorld = 1 << 20
	maxRun   = 1 << 40
)

// Validate returns an error if a field is negative, unknown or out of bounds.
func (s Split) Validate() error {
	if s.World < 0 || s.World > maxWorld || s.Run < 0 || s.Run > maxRun || s.Rest > Uneven {
		return fmt.Errorf("order: a split of %+v", s)
	}
	return nil
}

// normal returns the split with its defaults filled in.
func (s Split) normal() Split { return Split{max(1, s.World), max(1, s.Run), s.Rest} }

// layout is a split of n positions.
type layout struct {
	n, world, run int
	turns         int // whole turns, of world*run positions each
	rest          Rest
}

func (s Split) layout(n int) layout {
	s = s.normal()
	l := layout{n: n, world: s.World, run: s.Run, rest: s.Rest}
	l.turns = n / (l.world * l.run)
	return l
}

// whole returns the number of positions in whole turns.
func (l layout) whole() int { return l.turns * l.world * l.run }

// tail returns the range that a rank takes after the whole turns: its first position and its length.
func (l layout) tail(rank int) (first, n int) {
	left := partition{l.n - l.whole(), l.world}
	switch each := left.n / left.m; {
	case l.rest == Drop:
		return l.whole() + rank*each, each
	case l.rest == Repeat && left.n%left.m > 0:
		return l.whole() + rank*(each+1), each + 1
	}
	return l.whole() + left.first(rank), left.size(rank)
}

// size returns how many positions a rank takes.
func (l layout) size(rank int) int {
	_, n := l.tail(rank)
	return l.turns*l.run + n
}

// at returns the j-th position of a rank. Positions of n and above repeat the first ones.
func (l layout) at(rank, j int) int {
	if j >= l.turns*l.run {
		first, _ := l.tail(rank)
		return first + j - l.turns*l.run
	}
	return (j/l.run*l.world+rank)*l.run + j%l.run
}

// padded and dropped return how many positions are taken twice, and how many are not taken.
func (l layout) padded() int {
	if left := (l.n - l.whole()) % l.world; l.rest == Repeat && left > 0 {
		return l.world - left
	}
	return 0
}

func (l layout) dropped() int {
	if l.rest == Drop {
		return (l.n - l.whole()) % l.world
	}
	return 0
}
