package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
)

// model is a training on a data set: what it must deliver, and what it has delivered.
type model struct {
	seed   uint64
	batch  int
	epochs int
	pixels [][]byte // by sample
	bad    map[int]bool

	counts []map[int]int  // by epoch: how often each sample was delivered, up to the states from which ranks went on
	failed map[place]bool // what the ledgers have, up to these states or in the attempt that ended the training
}

// place is a sample of an epoch.
type place struct{ epoch, id int }

// attempt is what a rank did in one process.
type attempt struct {
	rank, world int
	resume      []loader.State
	lines       []string // of --digest
	ledger      []place
	state       *loader.State // from which the rank goes on; nil: from the beginning, or from states of former ranks
	code        int
}

// add counts what all ranks did at the same time. An error says what they did wrong.
func (m *model) add(ranks []attempt) error {
	for len(m.counts) < m.epochs {
		m.counts = append(m.counts, map[int]int{})
	}
	if m.failed == nil {
		m.failed = map[place]bool{}
	}
	ended := !slices.ContainsFunc(ranks, func(a attempt) bool { return a.code != 0 })
	var all []error
	for _, a := range ranks {
		if err := m.follow(a); err != nil {
			all = append(all, fmt.Errorf("rank %d of %d: %w", a.rank, a.world, err))
		}
		for _, p := range a.ledger {
			if ended || m.taken(a.state, p) {
				m.failed[p] = true
			}
		}
	}
	return errors.Join(all...)
}

// follow compares the batches of an attempt with those that are due, and counts those before its state.
func (m *model) follow(a attempt) error {
	state, taken, err := m.begin(a)
	if err != nil {
		return err
	}
	skipped := map[place]bool{}
	for _, p := range a.ledger {
		skipped[p] = true
	}
	lines := a.lines
	for epoch := int(state.Epoch); epoch < m.epochs; epoch++ {
		share := m.share(state, m.split(a.world), a.rank)
		due := m.due(share, taken, a.world, func(id int) bool { return skipped[place{epoch, id}] })
		next := -1 // the index of the next batch in the epoch
		if len(state.Left) == 0 && state.Position == 0 && taken == 0 {
			next = 0
		}
		for _, batch := range due {
			if len(lines) == 0 && a.code != 0 {
				return nil // the rest comes in another attempt
			} else if len(lines) == 0 {
				return fmt.Errorf("ends before %v of epoch %d", batch.ids, epoch)
			}
			var line struct {
				epoch, index int
				digest       string
			}
			if _, err := fmt.Sscan(lines[0], &line.epoch, &line.index, &line.digest); err != nil {
				return fmt.Errorf("%q: %w", lines[0], err)
			}
			if line.epoch != epoch || line.index != next && next >= 0 || line.digest != m.digest(batch.ids) {
				return fmt.Errorf("%q instead of batch %d of epoch %d, with %v (padding: %v)", lines[0], next, epoch, batch.ids,
					batch.padding)
			}
			lines, next = lines[1:], line.index+1
			s := a.state
			before := s != nil && (epoch < int(s.State.Epoch) || epoch == int(s.State.Epoch) && line.index < s.Batch)
			if before && !batch.padding { // what is delivered after the state comes again
				for _, id := range batch.ids {
					m.counts[epoch][id]++
				}
			}
		}
		state, taken = order.State{Epoch: uint64(epoch) + 1}, 0
	}
	if len(lines) > 0 {
		return fmt.Errorf("%q after all that is due", lines[0])
	}
	return nil
}

// begin returns where an attempt begins: the samples that former ranks left, and how many of its share were taken.
func (m *model) begin(a attempt) (order.State, int, error) {
	var marks []order.Mark
	for _, s := range a.resume {
		marks = append(marks, s.Mark)
	}
	return order.Resume(len(m.pixels), marks, m.split(a.world), a.rank)
}

func (m *model) split(world int) (s order.Split) {
	if world > 1 {
		s = order.Split{World: world, Run: m.batch, Rest: order.Uneven}
	}
	return s
}

func (m *model) share(s order.State, split order.Split, rank int) *order.Share {
	return s.Share(order.NewPermutation(len(m.pixels), m.seed, s.Epoch), split, rank)
}

// taken reports whether a rank has taken a sample before a state, so that it does not come again.
func (m *model) taken(s *loader.State, p place) bool {
	if s == nil || p.epoch != int(s.State.Epoch) {
		return s != nil && p.epoch < int(s.State.Epoch)
	}
	share := m.share(s.State, s.Split, s.Rank)
	for i := range s.Taken {
		if share.At(i) == p.id {
			return true
		}
	}
	return false
}

// dueBatch is a batch that must come.
type dueBatch struct {
	ids     []int
	padding bool
}

// due returns the batches of the rest of a share. A rank among several repeats its last batch for each batch that it
// lacks because it skipped samples.
func (m *model) due(share *order.Share, taken, world int, skip func(id int) bool) (all []dueBatch) {
	var good []int
	for i := taken; i < share.Len(); i++ {
		if id := share.At(i); !skip(id) {
			good = append(good, id)
		}
	}
	for ids := range slices.Chunk(good, m.batch) {
		all = append(all, dueBatch{ids: ids})
	}
	planned := (share.Len() - taken + m.batch - 1) / m.batch
	for n := len(all); n > 0 && world > 1 && len(all) < planned; {
		all = append(all, dueBatch{all[n-1].ids, true})
	}
	return all
}

// digest returns that of a batch: its pixels, and then its labels, which are -1 because there are none.
func (m *model) digest(ids []int) string {
	h := sha256.New()
	for _, id := range ids {
		h.Write(m.pixels[id])
	}
	h.Write(bytes.Repeat([]byte{0xff}, 8*len(ids)))
	return hex.EncodeToString(h.Sum(nil))
}

// judge compares what was delivered with the data set: each epoch has each good sample once, or a ledger says why not.
func (m *model) judge() error {
	var all []error
	for epoch, counts := range m.counts {
		for id := range m.pixels {
			n, reported := counts[id], m.failed[place{epoch, id}]
			switch {
			case m.bad[id] && n > 0:
				all = append(all, fmt.Errorf("epoch %d has damaged sample %d", epoch, id))
			case m.bad[id] && !reported:
				all = append(all, fmt.Errorf("epoch %d: damaged sample %d is in no ledger", epoch, id))
			case n == 0 && !reported:
				all = append(all, fmt.Errorf("epoch %d lacks sample %d, and no ledger has it", epoch, id))
			case n > 1:
				all = append(all, fmt.Errorf("epoch %d has sample %d %d times", epoch, id, n))
			}
		}
	}
	return errors.Join(all...)
}
