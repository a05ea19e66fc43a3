// Package nearest finds the name that a misspelled one probably means, for messages.
package nearest

import (
	"slices"
	"strings"
)

// Word returns the candidate that a misspelled word probably means, or "". It ignores case, and reads _ as -.
func Word(word string, candidates []string) string {
	word = plain(word)
	best, least := "", max(1, len(word)/3)+1
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if d := distance(word, plain(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

func plain(word string) string { return strings.ReplaceAll(strings.ToLower(word), "_", "-") }

// distance returns how many letters must be inserted, removed, replaced, or swapped with the next one, to make b of a.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
