package loader

import (
	"encoding/json"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
)

// State is a loader's position: the end of the last delivered batch. A run resumes from it. As JSON it has some hundred
// bytes, and with FormBucket some bytes for each waiting sample.
//
// A loader with the same source, seed and order and with this state in Options.Resume yields the batches that would
// have followed, with the same bytes, for any number of workers. With another number of ranks, or with another batch
// size on several ranks, the rest of the epoch keeps its order and is shared again. That needs the states of all former
// ranks. If one rank has met no bad sample, its state is enough: the other ranks are assumed to be at the same
// position.
//
// A stream (source.Streamed) is listed again up to the state's position. If the sample there has another name, because
// samples before it were added or removed, the loop ends with an error.
type State struct {
	Version int `json:"version"`
	order.Mark
	Batch int    `json:"batch"`          // batches of the epoch that were delivered
	Bad   int    `json:"bad,omitempty"`  // samples of the epoch that were taken but not delivered
	Last  string `json:"last,omitempty"` // of a stream: the name of the last sample taken
	// Waiting are the samples taken that wait for their batch in a bucket: their places in the rank's share, in ascending
	// order. Each bucket has fewer than a batch of them.
	Waiting []int `json:"waiting,omitempty"`

	// These must be the same in the loader that resumes.
	Samples int    `json:"samples"` // per epoch, on all ranks together; negative for a stream
	Shuffle bool   `json:"shuffle"`
	Sampler string `json:"sampler,omitempty"` // type of the sampler that Options.Sampler returns
	Seed    uint64 `json:"seed"`
	Form    string `json:"form,omitempty"` // of buckets: their sizes and the number of samples in a batch
	// Selection identifies the rows of tables that the source selects: see source.Listing.Selection.
	Selection string `json:"selection,omitempty"`
}

// checkWaiting returns the problem of the waiting samples of state i, which may come from a file, or nil.
func (s *State) checkWaiting(i int, here order.Split) error {
	if s.Form != "" && s.Split != here {
		return invalid.Errorf("state %d is of the buckets of one rank: resume with the same ranks and batch", i)
	}
	end := -1
	for _, place := range s.Waiting {
		if place <= end || place >= s.Taken || s.Form == "" {
			return invalid.Errorf("state %d has waiting samples %v of %d", i, s.Waiting, s.Taken)
		}
		end = place
	}
	return nil
}

// stateVersion changes when the meaning of states changes.
const stateVersion = 1

// ParseState parses the JSON of a state. The error is spool.ErrCorrupt.
func ParseState(text []byte) (State, error) {
	var s State
	err := json.Unmarshal(text, &s)
	if err == nil && s.Version != stateVersion {
		err = fmt.Errorf("version %d, but only version %d is supported", s.Version, stateVersion)
	}
	if err != nil {
		return State{}, &spool.Error{Op: "resume", Class: spool.ErrCorrupt, Text: "not a loader's state: " + err.Error(),
			Err: err}
	}
	return s, nil
}

// State returns the loader's position after the batch that Batches delivered last. It is cheap and may be called at any
// time, in the loop over Batches or concurrently.
//
// The error is spool.ErrOptions for a loader without states: with batches in Any order, files delivered in parts, or
// once Headspace was called.
func (l *Loader) State() (State, error) {
	var bad invalid.Options
	if l.options.Order != batch.Exact {
		bad.Value("Order", l.options.Order, "a state needs exact order")
	}
	if l.mediumSpec.chunks != nil {
		bad.Values(invalid.Named("Every"), "a state needs whole files")
	}
	if l.repeats.Load() {
		bad.Addf("a state needs batches that are not repeated, as headspace does")
	}
	if err := bad.Err(); err != nil {
		return State{}, err
	}
	return l.schedule.now(), nil
}

// StateAt returns the state at the beginning of an epoch.
func (l *Loader) StateAt(epoch int) State {
	s := l.schedule.begin
	s.Mark = order.Mark{State: order.State{Epoch: uint64(epoch)}, Split: s.Split, Rank: s.Rank}
	s.Batch, s.Bad, s.Last, s.Waiting = 0, 0, "", nil
	return s
}

// StateBefore returns the state before a batch of an epoch, from which a loader with State in Options.Resume makes that
// batch again without the batches before it. left is how many samples of the epoch were left out before the batch
// because they were bad: State.Bad of a run.
//
// The error is spool.ErrOptions where State has one, for an epoch that another number of ranks began, and for batches
// whose size is known only in the run: of streams, FormBucket, and forms with a budget.
func (l *Loader) StateBefore(epoch, batch, left int) (State, error) {
	if _, err := l.State(); err != nil {
		return State{}, err
	}
	begin := l.schedule.begin.State
	switch n := l.EpochBatches(); {
	case n < 0 || !l.mediumSpec.slots:
		return State{}, invalid.Errorf("the position of a batch is known only in the run with these options")
	case epoch < 0 || batch < 0 || batch >= n || left < 0:
		return State{}, invalid.Errorf("batch %d of epoch %d: an epoch has %d batches, from 0", batch, epoch, n)
	case begin.Epoch == uint64(epoch) && (begin.Position > 0 || len(begin.Left) > 0):
		return State{}, invalid.Errorf("epoch %d was begun by another number of ranks", epoch)
	}
	s := l.StateAt(epoch)
	s.Taken, s.Batch, s.Bad = batch*l.options.Batch+left, batch, left
	return s, nil
}

// inOrder reports whether whole samples are delivered in the order of the list.
func (l *Loader) inOrder() bool { return l.options.Order == batch.Exact && l.mediumSpec.chunks == nil }

// marks returns the marks of states. A single state of several ranks stands for all of them if that is safe.
func marks(states []State, split order.Split) ([]order.Mark, error) {
	all := make([]order.Mark, len(states))
	for i, s := range states {
		all[i] = s.Mark
	}
	if first := states[0]; len(states) == 1 && first.Split.World > 1 && first.Split != split && first.Bad > 0 {
		return nil, invalid.Errorf("rank %d of %d has skipped %d bad samples, so the other ranks are at other positions: "+
			"resuming with other ranks or batches needs the states of all", first.Rank, first.Split.World, first.Bad)
	}
	return all, nil
}
