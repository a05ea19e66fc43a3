package loader

import (
	"cmp"
	"fmt"
	"iter"
	"sync"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/batch"
	"github.com/spoolmedia/spool/internal/invalid"
	"github.com/spoolmedia/spool/order"
)

// schedule is the sequence of samples that a loader delivers: where it begins, and how far it has come.
type schedule struct {
	options   Options
	source    int    // samples of the source; negative if unknown, for a stream
	form      string // see Form.identity
	selection string // see State
	begin     State  // where it begins

	mu    sync.Mutex
	state State // what was delivered
	good  int   // good samples of the epoch among these
}

// newSchedule returns the schedule of a loader of a source with that many samples, which are a selection. form is that
// of Form.identity. Ranks alternate every turn samples.
func newSchedule(o Options, samples int, form, selection string, turn int) (*schedule, error) {
	c := &schedule{options: o, source: samples, form: form, selection: selection}
	if err := c.start(turn); err != nil {
		return nil, err
	}
	c.state, c.good = c.begin, c.begin.Taken-c.begin.Bad-len(c.begin.Waiting)
	return c, nil
}

// start sets the beginning: epoch First, or the states of Options.Resume, converted to this loader's ranks.
func (c *schedule) start(turn int) error {
	o, n, kind := c.options, c.source, ""
	if o.Sampler != nil {
		first := o.Sampler(0)
		n, kind = first.Len(), fmt.Sprintf("%T", first)
	}
	if o.Limit > 0 {
		n = min(n, o.Limit)
	}
	s := State{Version: stateVersion, Samples: n, Shuffle: o.Shuffle, Sampler: kind, Seed: o.Seed, Form: c.form,
		Selection: c.selection, Mark: order.Mark{State: order.State{Epoch: uint64(o.First)}, Rank: o.Sharing.Rank.Index}}
	if o.Sharing.Rank.World > 1 {
		s.Split = order.Split{World: o.Sharing.Rank.World, Run: turn, Rest: o.Sharing.Rest}
	}
	c.begin = s
	if len(o.Resume) == 0 {
		return nil
	}
	if c.streamed() {
		return c.resumeStream(o.Resume)
	}
	var bad invalid.Options
	for i, r := range o.Resume {
		if r.Version == 0 {
			bad.Addf("state %d is not the state of a loader: it has no version", i)
			continue
		}
		for _, x := range []struct {
			name       string
			then, here any
		}{{"version", r.Version, stateVersion}, {"samples", r.Samples, n}, {"shuffle", r.Shuffle, o.Shuffle},
			{"sampler", r.Sampler, s.Sampler}, {"seed", r.Seed, o.Seed}, {"form", r.Form, c.form},
			{"selection", cmp.Or(r.Selection, wholeSource), cmp.Or(s.Selection, wholeSource)}} {
			if x.then != x.here {
				bad.Addf("state %d has %s %v, and this loader %v: open the loader with the sources and options of that run", i,
					x.name, x.then, x.here)
			}
		}
		bad.Add(r.checkWaiting(i, s.Split))
		s.Batch = max(s.Batch, r.Batch)
	}
	if err := bad.Err(); err != nil {
		return err
	}
	marks, err := marks(o.Resume, s.Split)
	if err != nil {
		return err
	}
	if s.State, s.Taken, err = order.Resume(n, marks, s.Split, s.Rank); err != nil {
		return fmt.Errorf("%w: %w", spool.ErrOptions, err)
	}
	for _, r := range o.Resume {
		if s.Taken > 0 && r.Rank == s.Rank {
			s.Batch, s.Bad, s.Waiting = r.Batch, r.Bad, r.Waiting
		}
	}
	if s.State.Epoch > o.Resume[0].State.Epoch {
		s.Batch = 0
	}
	c.begin = s
	return nil
}

// goesOn reports whether batches were delivered before the beginning.
func (c *schedule) goesOn() bool {
	return c.begin.Batch > 0 || c.begin.State.Epoch > uint64(c.options.First)
}

// wholeSource is the selection of sources without one, in messages.
const wholeSource = "of all rows"

// streamed reports whether samples are listed while they are loaded, so that their number is unknown.
func (c *schedule) streamed() bool { return c.source < 0 }

// resumeStream resumes a stream from its state.
func (c *schedule) resumeStream(states []State) error {
	s := &c.begin
	if r := states[0]; len(states) != 1 || r.Version != stateVersion || r.Samples != s.Samples || r.Seed != s.Seed ||
		r.Selection != s.Selection || r.Split.World > 1 || min(r.Taken, r.Batch, r.Bad) < 0 || r.Bad > r.Taken {
		return invalid.Errorf("not the state of a stream with this seed and these rows")
	}
	s.State.Epoch = states[0].State.Epoch
	s.Taken, s.Last, s.Batch, s.Bad = states[0].Taken, states[0].Last, states[0].Batch, states[0].Bad
	return nil
}

// sampler returns the order of an epoch's samples, for all ranks together.
func (c *schedule) sampler(epoch uint64) order.Sampler {
	var s order.Sampler
	switch o := c.options; {
	case o.Sampler != nil:
		s = o.Sampler(epoch)
	case o.Shuffle:
		s = order.NewPermutation(c.source, o.Seed, epoch)
	default:
		s = order.Sequential(c.source)
	}
	return order.First(s, cmp.Or(c.options.Limit, s.Len()))
}

// from returns where the schedule enters an epoch: the samples that former ranks left, and how many of this rank's
// share of these were taken.
func (c *schedule) from(epoch int) (s order.State, taken int) {
	if uint64(epoch) == c.begin.State.Epoch {
		return c.begin.State, c.begin.Taken
	}
	return order.State{Epoch: uint64(epoch)}, 0
}

// waiting returns the samples of an epoch before from that wait in buckets, by their places in the share.
func (c *schedule) waiting(epoch int) []int {
	if uint64(epoch) == c.begin.State.Epoch {
		return c.begin.Waiting
	}
	return nil
}

// pick identifies one sample to be loaded.
type pick struct {
	epoch, place int  // position in the rank's share of the epoch
	index        int  // position in the source
	occurrence   int  // how often it came before in the epoch
	padding      bool // it only fills the share
}

// Draw returns what the sample's random numbers depend on, in addition to the seed and its id. It is recorded in
// ledgers.
func (p pick) Draw() (epoch, occurrence int) { return p.epoch, p.occurrence }

// drawn returns what the sample's random numbers depend on.
func (p pick) drawn(seed uint64, id int64) order.Draw {
	return order.Draw{Seed: seed, Epoch: uint64(p.epoch), ID: uint64(id), Occurrence: p.occurrence}
}

// samples yields the rank's samples of an epoch.
func (c *schedule) samples(epoch int) iter.Seq[pick] {
	return func(yield func(pick) bool) {
		s, place := c.from(epoch)
		share := s.Share(c.sampler(s.Epoch), c.begin.Split, c.begin.Rank)
		at := func(place int) pick {
			return pick{epoch, place, share.At(place), share.Occurrence(place), share.Padding(place)}
		}
		for _, place := range c.waiting(epoch) {
			if !yield(at(place)) {
				return
			}
		}
		for ; place < share.Len(); place++ {
			if !yield(at(place)) {
				return
			}
		}
	}
}

// size returns a share whose length is right, but not its samples: the real sampler may be slow to create.
func (c *schedule) size(s order.State) *order.Share {
	return s.Share(order.Sequential(c.begin.Samples), c.begin.Split, c.begin.Rank)
}

// remaining returns how many samples of an epoch are still to come.
func (c *schedule) remaining(epoch int) int {
	s, taken := c.from(epoch)
	return c.size(s).Len() - taken + len(c.waiting(epoch))
}

// remainingBatches returns how many batches are still to come, if no sample is bad.
func (c *schedule) remainingBatches(epoch int) int { return c.batches(c.remaining(epoch)) }

// batches returns the number of batches of n samples.
func (c *schedule) batches(n int) int {
	if c.options.Last == batch.Drop {
		return n / c.options.Batch
	}
	return (n + c.options.Batch - 1) / c.options.Batch
}

// delivered counts a batch of good samples that is about to be delivered. taken is the number of places of the epoch
// that were taken up when it was complete, and waiting are the places of samples that wait for another batch. name is
// the name of the last sample. It returns the index of the batch in its epoch, which includes batches before a resumed
// state.
func (c *schedule) delivered(epoch, good, taken int, waiting []int, name string) (index int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.state
	if epoch := uint64(epoch); s.State.Epoch != epoch {
		s.Mark = order.Mark{State: order.State{Epoch: epoch}, Split: s.Split, Rank: s.Rank}
		s.Batch, s.Bad, s.Last, c.good = 0, 0, "", 0
	}
	index = s.Batch
	s.Batch++
	c.good += good
	// samples that wait come first after a resume, and then taken is less than before
	s.Taken, s.Waiting = max(taken, s.Taken), waiting
	s.Bad = s.Taken - c.good - len(s.Waiting)
	if c.streamed() {
		s.Last = name
	}
	return index
}

// now returns the current state.
func (c *schedule) now() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}
