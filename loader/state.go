package loader

import (
	"encoding/json"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/order"
)

// State says how far a loader has come: what to go on with is what comes behind the last batch that was delivered. As
// JSON it is some hundred bytes.
//
// A loader with the same source, seed and order that gets it as Options.Resume gives the batches that would have come, to
// the byte, with whatever number of workers. With another number of ranks, or another batch size on several ranks, the
// samples that are left of the epoch come in the order they always had, shared out anew; that takes the states of all
// former ranks, or of one, if it has not met a bad sample: the others are then taken to be as far.
//
// A stream (source.Streamed) is listed again, up to what was taken. If that is not what it was, since something was added or removed
// before the place, the loop ends with an error.
type State struct {
	Version int `json:"version"`
	order.Mark
	Batch int    `json:"batch"`          // batches of the epoch that have been delivered
	Bad   int    `json:"bad,omitempty"`  // samples of the epoch that were taken and not delivered
	Last  string `json:"last,omitempty"` // of a stream, the name of the last sample that was taken

	// What has to be the same in the loader that goes on.
	Samples int    `json:"samples"` // of an epoch, on all ranks together; negative for a stream
	Shuffle bool   `json:"shuffle"`
	Sampler string `json:"sampler,omitempty"` // the type of Options.Sampler's
	Seed    uint64 `json:"seed"`
}

// stateVersion changes when states mean something else.
const stateVersion = 1

// ParseState reads a state that was written as JSON. The error is spool.ErrCorrupt.
func ParseState(text []byte) (State, error) {
	var s State
	err := json.Unmarshal(text, &s)
	if err == nil && s.Version != stateVersion {
		err = fmt.Errorf("version %d, where %d is known", s.Version, stateVersion)
	}
	if err != nil {
		return State{}, &spool.Error{Op: "resume", Class: spool.ErrCorrupt, Text: "no state of a loader: " + err.Error(), Err: err}
	}
	return s, nil
}

// State is how far the loader has come: the batch that Batches has given last, and all before it, will not come again.
// It costs nothing to take and may be called at any time, from the loop over Batches or beside it.
//
// The error is spool.ErrOptions for a loader that has none: batches in Any order, files in parts, or batches that are
// replayed for Options.Headspace.
func (l *Loader) State() (State, error) {
	if !l.inOrder() || l.options.Headspace {
		return State{}, fmt.Errorf("%w: a state needs batches in exact order, of whole samples, that are no replays", spool.ErrOptions)
	}
	return l.course.now(), nil
}

// StateAt is the state at the beginning of an epoch.
func (l *Loader) StateAt(epoch int) State {
	s := l.course.begin
	s.Mark = order.Mark{State: order.State{Epoch: uint64(epoch)}, Split: s.Split, Rank: s.Rank}
	s.Batch, s.Bad, s.Last = 0, 0, ""
	return s
}

// inOrder reports whether samples come as they were listed, one after the other.
func (l *Loader) inOrder() bool { return l.options.Order == batch.Exact && l.medium.parts == nil }

// marks are those of states. A single one of several ranks stands for all of them, where that is safe.
func marks(states []State, split order.Split) ([]order.Mark, error) {
	all := make([]order.Mark, len(states))
	for i, s := range states {
		all[i] = s.Mark
	}
	if first := states[0]; len(states) == 1 && first.Split.World > 1 && first.Split != split && first.Bad > 0 {
		return nil, fmt.Errorf("%w: rank %d of %d has left out %d bad samples, so the others are elsewhere: going on with other ranks or batches needs the states of all",
			spool.ErrOptions, first.Rank, first.Split.World, first.Bad)
	}
	return all, nil
}
