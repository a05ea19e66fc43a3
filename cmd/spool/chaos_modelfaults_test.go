package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool"
	"github.com/spoolmedia/spool/loader"
	"github.com/spoolmedia/spool/order"
)

// play returns what a rank does that prints some batches and dies, or that goes on to its end if there are fewer. Its
// state is that of an earlier batch.
func (m *model) play(t *testing.T, a attempt, fails func(place) bool, printed, saved int) attempt {
	t.Helper()
	state, taken, err := m.begin(a)
	require.NoError(t, err)
	index := 0
	if len(a.resume) == 1 {
		index, a.state = a.resume[0].Batch, &a.resume[0]
	}
	for epoch := int(state.Epoch); epoch < m.epochs; epoch++ {
		share := m.share(state, m.split(a.world), a.rank)
		take := func(last int) { // up to a sample
			for ; taken < share.Len() && share.At(taken) != last; taken++ {
				if p := (place{epoch, share.At(taken)}); fails(p) {
					a.ledger = append(a.ledger, p)
				}
			}
			taken = min(taken+1, share.Len())
		}
		for _, batch := range m.due(share, taken, a.world, func(id int) bool { return fails(place{epoch, id}) }) {
			if len(a.lines) == printed {
				a.code = 1
				return a
			}
			last := batch.ids[len(batch.ids)-1]
			if batch.padding {
				last = -1
			}
			take(last)
			a.lines = append(a.lines, fmt.Sprintf("%d %d %s", epoch, index, m.digest(batch.ids)))
			index++
			if len(a.lines) <= saved {
				a.state = &loader.State{Version: 1, Batch: index, Mark: order.Mark{State: state, Split: m.split(a.world),
					Rank: a.rank, Taken: taken}}
			}
		}
		take(-1)
		state, taken, index = order.State{Epoch: uint64(epoch) + 1}, 0, 0
	}
	return a
}

// newModel returns a training of 13 samples, of which one is damaged.
func newModel(batch int) *model {
	m := &model{seed: 5, batch: batch, epochs: 2, bad: map[int]bool{3: true}}
	for id := range 13 {
		m.pixels = append(m.pixels, []byte{byte(id)})
	}
	return m
}

func (m *model) damaged(p place) bool { return m.bad[p.id] }

// never is a number of batches that no rank has.
const never = 1000

// The model accepts trainings that are right: of one rank and several, with parts that are discarded, and with another
// number of ranks in the middle of an epoch.
func TestChaosModelAccepts(t *testing.T) {
	for batch := 1; batch <= 4; batch++ {
		for world := 1; world <= 3; world++ {
			for next := 1; next <= 3; next++ {
				m := newModel(batch)
				var first, second []attempt
				var states []loader.State
				for rank := range world {
					a := m.play(t, attempt{rank: rank, world: world}, m.damaged, 2, 1)
					if strings.HasPrefix(a.lines[1], "0 ") {
						a.ledger = append(a.ledger, place{1, 7}) // in advance
					}
					first = append(first, a)
					states = append(states, *a.state)
				}
				require.NoError(t, m.add(first))
				for rank := range next {
					a := attempt{rank: rank, world: next, resume: states}
					if next == world {
						a.resume = states[rank : rank+1]
					}
					second = append(second, m.play(t, a, m.damaged, never, never))
				}
				require.NoError(t, m.add(second), "batches of %d, %d ranks, then %d", batch, world, next)
				assert.NoError(t, m.judge(), "batches of %d, %d ranks, then %d", batch, world, next)
			}
		}
	}
}

// A sample that fails once may be missing only if its failure lies before the state.
func TestChaosModelDiscardsLedgers(t *testing.T) {
	m := newModel(1)
	share := m.share(order.State{}, m.split(1), 0)
	early, late := place{0, share.At(1)}, place{0, share.At(8)}
	fails := func(p place) bool { return m.damaged(p) || p == early }
	a := m.play(t, attempt{world: 1}, fails, 4, 3)
	a.ledger = append(a.ledger, late) // it was loaded in advance
	require.NoError(t, m.add([]attempt{a}))
	assert.True(t, m.failed[early])
	assert.False(t, m.failed[late])

	lost := m.play(t, attempt{world: 1, resume: []loader.State{*a.state}},
		func(p place) bool { return m.damaged(p) || p == late }, never, never)
	lost.ledger = slices.DeleteFunc(lost.ledger, func(p place) bool { return p == late })
	assert.ErrorContains(t, m.add([]attempt{lost}), "instead of batch")

	again := newModel(1) // as if it had been delivered in the right order, but for this sample
	require.NoError(t, again.add([]attempt{a}))
	whole := again.play(t, attempt{world: 1, resume: []loader.State{*a.state}}, again.damaged, never, never)
	require.NoError(t, again.add([]attempt{whole}))
	require.NoError(t, again.judge())
	again.counts[0][late.id] = 0
	assert.EqualError(t, again.judge(), fmt.Sprintf("epoch 0 lacks sample %d, and no ledger has it", late.id))

	ended := newModel(1) // the failure is in the attempt that ends the training
	require.NoError(t, ended.add([]attempt{ended.play(t, attempt{world: 1}, fails, never, never)}))
	assert.NoError(t, ended.judge())
}

// Ranks repeat their last batches only as padding, at the end of an epoch.
func TestChaosModelOfPadding(t *testing.T) {
	for name, c := range map[string]struct {
		world  int
		damage bool // a sample of rank 0
		change func(lines []string) []string
		object string // empty: accepted
	}{
		"due":            {2, true, nil, ""},
		"none":           {2, false, nil, ""},
		"due, but lacks": {2, true, func(l []string) []string { return l[:len(l)-1] }, "ends before"},
		"not due":        {2, false, repeatLast, "after all that is due"},
		"one too many":   {2, true, repeatLast, "after all that is due"},
		"of one rank":    {1, true, repeatLast, "after all that is due"},
		"in the middle": {2, true, func(l []string) []string {
			return slices.Insert(slices.Clone(l), 1, "0 1"+l[0][len("0 0"):])
		}, "instead of batch 1"},
	} {
		m := newModel(1)
		m.epochs, m.bad = 1, map[int]bool{}
		if c.damage {
			m.bad[m.share(order.State{}, m.split(c.world), 0).At(2)] = true
		}
		a := m.play(t, attempt{world: c.world}, m.damaged, never, never)
		if c.change != nil {
			a.lines = c.change(a.lines)
		}
		if err := m.add([]attempt{a}); c.object == "" {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorContains(t, err, c.object, name)
		}
	}
}

// repeatLast has the last batch of epoch 0 once more.
func repeatLast(lines []string) []string {
	var epoch, index int
	var digest string
	_, _ = fmt.Sscan(lines[len(lines)-1], &epoch, &index, &digest)
	return append(slices.Clone(lines), fmt.Sprintf("%d %d %s", epoch, index+1, digest))
}

// The model objects to bytes of another sample, to samples that come twice, and to damaged ones.
func TestChaosModelJudges(t *testing.T) {
	m := newModel(2)
	a := m.play(t, attempt{world: 1}, m.damaged, never, never)
	a.lines[2] = "0 2 " + m.digest([]int{0, 0})
	assert.ErrorContains(t, m.add([]attempt{a}), "instead of batch 2 of epoch 0")

	m = newModel(2)
	require.NoError(t, m.add([]attempt{m.play(t, attempt{world: 1}, m.damaged, never, never)}))
	m.counts[1][4]++
	m.counts[1][3]++
	delete(m.failed, place{0, 3})
	assert.EqualError(t, m.judge(), "epoch 0: damaged sample 3 is in no ledger\nepoch 1 has damaged sample 3\n"+
		"epoch 1 has sample 4 2 times")
}

// A failure needs a cause.
func TestChaosExplains(t *testing.T) {
	for _, c := range []struct {
		class spool.Class
		now   string // what happened to the rank
		ever  string // what happened to any rank
		want  bool
	}{
		{spool.ErrIO, "bad read", "bad read", true},
		{spool.ErrIO, "killed", "bad read", false},
		{spool.ErrIO, "nothing", "outage", true},
		{spool.ErrCorrupt, "bad read", "bad read", false},
		{spool.ErrTruncated, "short read", "short read", false},
		{spool.ErrTruncated, "nothing", "file cut short", true},
		{spool.ErrCrashed, "helper killed", "helper killed", true},
		{spool.ErrCrashed, "nothing", "helper killed", false},
		{spool.ErrTimeout, "bad read", "bad read", false},
		{"", "full disk", "full disk", false},
	} {
		x := &chaos{events: map[string]int{c.ever: 1}}
		assert.Equal(t, c.want, x.explains(happening{names: []string{c.now}}, c.class), "%+v", c)
	}
	assert.Equal(t, []spool.Class{"io", "not-media", "io", ""}, classes("spool: /tmp/a: b: io: x\n"+
		"spool: not-media: io: x\n"+
		"spool: http://127.0.0.1:1/a.png: io: EOF\n"+
		"spool: b.png: empty: 0 bytes; nothing could be loaded: 3 more failed\n"+
		"panic\n"))
}
