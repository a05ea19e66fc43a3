package main

import (
	"slices"

	"github.com/spoolmedia/spool/bench"
)

// trail is a series of runs, by contestant. Each two neighbours are a duel, so that a run between two others belongs to
// both of their pairs.
type trail []string

// trails covers each duel once. It needs about two thirds of the runs that separate pairs do.
func trails(duels []bench.Duel) (all []trail) {
	for left := slices.Clone(duels); len(left) > 0; {
		at := beginning(left)
		t := trail{at}
		for {
			i := slices.IndexFunc(left, func(d bench.Duel) bool { return d.Own == at || d.Other == at })
			if i < 0 {
				break
			}
			if d := left[i]; d.Own == at {
				at = d.Other
			} else {
				at = d.Own
			}
			left = slices.Delete(left, i, i+1)
			t = append(t, at)
		}
		all = append(all, t)
	}
	return all
}

// beginning returns a contestant with an odd number of duels, where a trail has to begin or end. If there is none, it
// returns any.
func beginning(duels []bench.Duel) string {
	for _, d := range duels {
		for _, name := range [...]string{d.Own, d.Other} {
			odd := false
			for _, o := range duels {
				odd = odd != (o.Own == name || o.Other == name)
			}
			if odd {
				return name
			}
		}
	}
	return duels[0].Own
}

// backwards returns trails in reverse order, so that the other contestant of each pair begins.
func backwards(all []trail) (reversed []trail) {
	for _, t := range slices.Backward(all) {
		turned := slices.Clone(t)
		slices.Reverse(turned)
		reversed = append(reversed, turned)
	}
	return reversed
}

// paired returns the pair of two neighbours' runs.
func paired(duels []bench.Duel, a, b bench.Run) bench.Pair {
	if slices.ContainsFunc(duels, func(d bench.Duel) bool { return d.Own == a.Peer && d.Other == b.Peer }) {
		return bench.Pair{Own: a, Other: b}
	}
	return bench.Pair{Own: b, Other: a}
}
