package cache

import (
	"crypto/sha256"
	"encoding/binary"
)

// Kind is the kind of an entry's data.
type Kind string

// The kinds of entries.
const (
	Object Kind = "object" // all bytes of an object
	Range  Kind = "range"  // a part of an object
	Sample Kind = "sample" // a sample that a loader decoded
)

var kinds = []Kind{Object, Range, Sample}

// Key names an entry. NewKey returns one.
type Key struct {
	kind   Kind
	name   string
	digest digest
}

type digest [sha256.Size]byte

// NewKey returns the key of an entry. name is shown to people, and must contain no secrets. of is everything that
// determines the entry's bytes, such as URL, version and options; only its digest is stored.
func NewKey(kind Kind, name string, of ...string) Key {
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
