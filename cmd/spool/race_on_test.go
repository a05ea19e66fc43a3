//go:build race

package main

import "testing"

// withoutRace skips a test that starts many processes. With the race detector each start takes a second, and the
// detector's own mappings and allocations are among those that tests make fail.
func withoutRace(t *testing.T) {
	t.Helper()
	t.Skip("make test-tables runs it, without the race detector")
}
