package loader

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/order"
	"github.com/spoolmedia/spool/source"
)

// State says how far a loader has come: what to go on with is what comes behind the last batch that was delivered. As
// JSON it is some hundred bytes.
//
// A loader with the same source, seed and order that gets it as Options.Resume gives the batches that would have come, to
// the byte, with whatever number of workers. With another number of ranks, or another batch size on several ranks, the
// samples that are left of the epoch come in the order they always had, shared out anew; that takes the states of all
// former ranks, or of one, if it has not met a bad sample: the others are then taken to be as far.
type State struct {
	Version int `json:"version"`
	order.Mark
	Batch int `json:"batch"`         // batches of the epoch that have been delivered
	Bad   int `json:"bad,omitempty"` // samples of the epoch that were taken and not delivered

	// What has to be the same in the loader that goes on.
	Samples int    `json:"samples"` // of an epoch, on all ranks together
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
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, nil
}

// inOrder reports whether samples come as they were listed, one after the other.
func (l *Loader) inOrder() bool { return l.options.Order == batch.Exact && l.medium.parts == nil }

// deliver counts a batch that is about to be delivered, and gives it its number in the epoch, which counts those of
// before a state as well.
func (l *Loader) deliver(b *batch.Batch) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.state
	if epoch := uint64(b.Epoch); s.State.Epoch != epoch {
		s.Mark = order.Mark{State: order.State{Epoch: epoch}, Split: s.Split, Rank: s.Rank}
		s.Batch, s.Bad, l.good = 0, 0, 0
	}
	b.Index = s.Batch
	s.Batch++
	l.good += b.Len() - b.Padded
	s.Taken = b.Samples[b.Len()-1].Place + 1
	s.Bad = s.Taken - l.good
}

// begin is the state that a loader begins with: that of Options.Resume, in terms of this loader's ranks.
func (o Options) begin(src source.Source, m medium) (State, error) {
	n, kind := src.Len(), ""
	if o.Sampler != nil {
		first := o.Sampler(0)
		n, kind = first.Len(), fmt.Sprintf("%T", first)
	}
	if o.Limit > 0 {
		n = min(n, o.Limit)
	}
	s := State{Version: stateVersion, Samples: n, Shuffle: o.Shuffle, Sampler: kind, Seed: o.Seed, Mark: order.Mark{Rank: o.Rank.Index}}
	if o.Rank.World > 1 {
		s.Split = order.Split{World: o.Rank.World, Run: o.Batch, Rest: o.Rest}
		if !m.slots { // each sample is a batch
			s.Split.Run = 1
		}
	}
	if len(o.Resume) == 0 {
		return s, nil
	}
	var problems problems
	for i, r := range o.Resume {
		for _, x := range []struct {
			name       string
			then, here any
		}{{"version", r.Version, stateVersion}, {"samples", r.Samples, n}, {"shuffle", r.Shuffle, o.Shuffle}, {"sampler", r.Sampler, s.Sampler}, {"seed", r.Seed, o.Seed}} {
			if x.then != x.here {
				problems.add("state %d has %s %v, this loader %v", i, x.name, x.then, x.here)
			}
		}
		s.Batch = max(s.Batch, r.Batch)
	}
	if len(problems) > 0 {
		return State{}, errors.Join(problems...)
	}
	marks, err := marks(o.Resume, s.Split)
	if err != nil {
		return State{}, err
	}
	if s.State, s.Taken, err = order.Resume(n, marks, s.Split, s.Rank); err != nil {
		return State{}, fmt.Errorf("%w: %w", spool.ErrOptions, err)
	}
	for _, r := range o.Resume {
		if s.Taken > 0 && r.Rank == s.Rank {
			s.Batch, s.Bad = r.Batch, r.Bad
		}
	}
	if s.State.Epoch > o.Resume[0].State.Epoch {
		s.Batch = 0
	}
	return s, nil
}

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
