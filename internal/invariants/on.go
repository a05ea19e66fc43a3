//go:build invariants || race

package invariants

// Enabled is a constant, so disabled checks cost nothing.
const Enabled = true

// Poison overwrites freed bytes, so that a use after release is visible.
func Poison(b []byte) {
	for i := range b {
		b[i] = 0xCC
	}
}
