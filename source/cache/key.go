package cache

import (
	"crypto/sha256"
	"encoding/binary"
)

// Kind is what an entry is.
type Kind string

// The kinds of entries.
const (
	Object Kind = "object" // all bytes of an object
	Range  Kind = "range"  // some of them
	Sample Kind = "sample" // what a loader made of an object
)

var kinds = []Kind{Object, Range, Sample}

// Key names an entry. It is made by NewKey.
type Key struct {
	kind   Kind
	name   string
	digest digest
}

type digest [sha256.Size]byte

// NewKey makes the key of an entry: name is what people are shown, and has no secrets in it; of is all that decides
// the entry's bytes, such as address, version and options, and is kept as a digest only.
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
