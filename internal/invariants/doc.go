// Package invariants defines whether this build checks what correct programs never violate. The checks are enabled by
// the build tag "invariants" and by the race detector.
package invariants
