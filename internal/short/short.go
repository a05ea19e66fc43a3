// Package short makes tests smaller in short mode (go test -short), which make test and make check use. CI runs the
// same tests whole.
package short

import "testing"

// Of returns whole, or few in short mode.
func Of[T any](whole, few T) T {
	if testing.Short() {
		return few
	}
	return whole
}

// Some returns all cases, or every nth of them in short mode, the first included.
func Some[T any](cases []T, n int) []T {
	if !testing.Short() {
		return cases
	}
	some := make([]T, 0, (len(cases)+n-1)/n)
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}
