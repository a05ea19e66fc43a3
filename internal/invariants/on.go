//go:build invariants || race

package invariants

// Enabled is a constant so that the checks cost nothing where it is false.
const Enabled = true

// Poison overwrites freed bytes, so that a use after release shows.
func Poison(b []byte) {
	for i := range b {
		b[i] = 0xCC
	}
}
