package cache

import (
	"crypto/sha256"
	"encoding/binary"
)

// EntryKind is what an entry holds.
type EntryKind string

// The kinds of entries.
const (
	Object EntryKind = "object" // all bytes of an object
	Range  EntryKind = "range"  // a part of an object
	Sample EntryKind = "sample" // a sample that a loader decoded
)

var kinds = []EntryKind{Object, Range, Sample}

// Key names an entry. NewKey returns one.
type Key struct {
	kind   EntryKind
	name   string
	digest digest
}

type digest [sha256.Size]byte

// NewKey returns the key of an entry. name is shown to people, and must contain no secrets. of is everything that
// determines the entry's bytes, such as URL, version and options; only its digest is stored.
func NewKey(kind EntryKind, name string, of ...string) Key {
	h := sha256.New()
	for _, s := range append([]string{string(kind)}, of...) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	k := Key{kind: kind, name: name}
	h.Sum(k.digest[:0])
	return k
}
