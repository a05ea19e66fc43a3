package order

import "fmt"

// Mark is what a rank saves to resume later: the state where the run began, the split, and how many samples of its
// share the rank has taken, bad ones included.
type Mark struct {
	State State `json:"state"`
	Split Split `json:"split"`
	Rank  int   `json:"rank"`
	Taken int   `json:"taken"`
}

// Resume returns where a rank continues: the state from which to take its Share, and the position in that share. n is
// the sampler's length.
//
// If the split is unchanged, the rank's own mark is enough, and it continues with the samples that would have followed.
// If the split is different, the ranks share the samples that no rank has taken, in the global order. That needs the
// marks of all former ranks, in any order. A single mark stands for all of them, which is correct if no rank had to
// replace a bad sample. Errors report marks that are invalid, missing, or of different runs.
func Resume(n int, marks []Mark, split Split, rank int) (State, int, error) {
	if err := split.Validate(); err != nil {
		return State{}, 0, err
	}
	if rank < 0 || rank >= max(1, split.World) {
		return State{}, 0, fmt.Errorf("order: rank %d of %d", rank, max(1, split.World))
	}
	if len(marks) == 0 {
		return State{}, 0, nil
	}
	first := marks[0]
	if err := first.Split.Validate(); err != nil {
		return State{}, 0, err
	}
	taken := make([]int, max(1, first.Split.World))
	for i := range taken {
		taken[i] = -1
	}
	for _, m := range marks {
		if m.Split != first.Split || !m.State.equal(first.State) {
			return State{}, 0, fmt.Errorf("order: marks of ranks %d and %d are not of the same run", first.Rank, m.Rank)
		}
		if m.Rank < 0 || m.Rank >= len(taken) || taken[m.Rank] >= 0 {
			return State{}, 0, fmt.Errorf("order: a mark of rank %d of %d, or a second one", m.Rank, len(taken))
		}
		if err := m.check(n); err != nil {
			return State{}, 0, err
		}
		taken[m.Rank] = m.Taken
	}
	if first.Split.normal() == split.normal() && taken[rank] >= 0 { // same split
		return first.State, taken[rank], nil
	}
	for r, k := range taken {
		if k < 0 && len(marks) == 1 {
			taken[r] = first.Taken
		} else if k < 0 {
			return State{}, 0, fmt.Errorf("order: resuming with %d ranks needs the marks of all %d, and rank %d's is missing",
				max(1, split.World), len(taken), r)
		}
	}
	next, err := first.State.Advance(n, first.Split, taken)
	return next, 0, err
}

// check returns the error of an invalid mark, which may come from a file.
func (m Mark) check(n int) error {
	if err := m.Split.Validate(); err != nil {
		return err
	}
	if err := m.State.Validate(n); err != nil {
		return err
	}
	if left := m.State.Remaining(n); m.Taken < 0 || m.Taken > 0 &&
		(left == 0 || m.Taken > m.Split.layout(left).size(m.Rank)) {
		return fmt.Errorf("order: rank %d has taken %d samples, more than its share", m.Rank, m.Taken)
	}
	return nil
}
