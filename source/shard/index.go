package shard

import (
	"cmp"
	"slices"
	"strings"
)

// Index is where the members of an archive lie and which samples they make. It takes some 20 bytes a member, and the
// bytes of its name.
type Index struct {
	names   []byte
	members []place
	samples []first
	bad     map[int]error // what is wrong with a sample
	damage  error
}

// place is where a member lies, and where its name ends.
type place struct {
	offset, size int64
	end          uint32
	key          uint32 // bytes of the name before the first dot of its base
}

// first is the first member of a sample, and the sample's label.
type first struct {
	member int
	label  int64
}

// Member is a file in an archive.
type Member struct {
	Name   string // as in the archive, without a leading / or ./
	Offset int64  // of its bytes
	Size   int64

	key int
}

// Ext is the name behind the first dot of its base, in lower case: "jpg", or "seg.png".
func (m Member) Ext() string { return strings.ToLower(m.Name[m.key+1:]) }

// Sample is the members that have one key.
type Sample struct {
	Key     string
	Label   int64 // what the member cls says; -1 without
	Members []Member
	Err     error // what is wrong with it, if anything
}

// Len is the number of samples.
func (x *Index) Len() int { return len(x.samples) }

// Sample describes sample i.
func (x *Index) Sample(i int) Sample {
	from, to := x.samples[i].member, len(x.members)
	if i+1 < len(x.samples) {
		to = x.samples[i+1].member
	}
	s := Sample{Label: x.samples[i].label, Members: make([]Member, to-from), Err: x.bad[i]}
	for k := range s.Members {
		s.Members[k] = x.member(from + k)
	}
	s.Key = s.Members[0].Name[:s.Members[0].key]
	return s
}

// Damage is what ended the scan before the archive's end; nil if nothing did. What the index holds lies before it.
func (x *Index) Damage() error { return x.damage }

func (x *Index) member(i int) Member {
	p := &x.members[i]
	return Member{Name: string(x.name(i)), Offset: p.offset, Size: p.size, key: int(p.key)}
}

func (x *Index) name(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = x.members[i-1].end
	}
	return x.names[start:x.members[i].end]
}

// sampleOf is the sample that a member belongs to.
func (x *Index) sampleOf(member int) int {
	i, exact := slices.BinarySearchFunc(x.samples, member, func(f first, m int) int { return cmp.Compare(f.member, m) })
	if exact {
		return i
	}
	return i - 1
}
