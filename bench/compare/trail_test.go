package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/spoolmedia/spool/bench"
)

// Each duel is one pair of neighbours, in the trails of all works. They have two thirds of the runs of separate pairs.
func TestTrails(t *testing.T) {
	runs, separate := 0, 0
	for _, w := range works() {
		var neighbours []bench.Duel
		for _, trail := range trails(w.duels) {
			assert.GreaterOrEqual(t, len(trail), 2, w.name)
			runs += len(trail)
			for i, name := range trail[1:] {
				p := paired(w.duels, bench.Run{Peer: trail[i]}, bench.Run{Peer: name})
				neighbours = append(neighbours, bench.Duel{Own: p.Own.Peer, Other: p.Other.Peer})
			}
		}
		assert.ElementsMatch(t, w.duels, neighbours, w.name)
		separate += 2 * len(w.duels)
	}
	t.Logf("%d runs in a round, %d in separate pairs", runs, separate)
	assert.Less(t, float64(runs), 0.71*float64(separate))
}

// A run between two others belongs to both pairs, and in the other direction the other contestant begins.
func TestTrailsTurn(t *testing.T) {
	star := duels("spool/a", "spool/b", "spool/c", "fast/d")
	forwards := trails(star)
	assert.Equal(t, []trail{{"spool", "a"}, {"b", "spool", "c"}, {"fast", "d"}}, forwards)
	assert.Equal(t, []trail{{"d", "fast"}, {"c", "spool", "b"}, {"a", "spool"}}, backwards(forwards))
	assert.Equal(t, trail{"fast", "d"}, forwards[2], "the trails themselves are unchanged")

	ring := duels("spool/a", "fast/a", "fast/b", "spool/b")
	assert.Equal(t, []trail{{"spool", "a", "fast", "b", "spool"}}, trails(ring))
	assert.True(t, slices.Equal(ring, duels("spool/a", "fast/a", "fast/b", "spool/b")), "duels are unchanged")
}
