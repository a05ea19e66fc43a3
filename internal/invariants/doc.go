// Package invariants says whether this build checks what correct programs never violate: it does
// with the tag "invariants" and under the race detector.
package invariants
