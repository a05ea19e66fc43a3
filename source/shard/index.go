package shard

import (
	"cmp"
	"slices"
	"strings"
)

// Index is the positions of an archive's members and the samples that they form. It takes some 20 bytes per member, and
// the bytes of its name.
type Index struct {
	names   []byte
	members []memberPosition
	samples []sampleStart
	bad     map[int]error // errors of samples
	damage  error
}

// memberPosition is the position of a member, and the end of its name.
type memberPosition struct {
	offset, size int64
	end          uint32
	key          uint32 // bytes of the name before the first dot of its base
}

// sampleStart is the first member of a sample, and the sample's label.
type sampleStart struct {
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

// Ext returns the name after the first dot of its base, in lower case: "jpg", or "seg.png".
func (m Member) Ext() string { return strings.ToLower(m.Name[m.key+1:]) }

// Sample is the members with one key.
type Sample struct {
	Key     string
	Label   int64 // of the member cls; -1 without
	Members []Member
	Err     error // nil if the sample is valid
}

// Len returns the number of samples.
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

// Damage returns the error that ended the scan before the archive's end, or nil. The index holds what precedes it.
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

// sampleOf returns the sample of a member.
func (x *Index) sampleOf(member int) int {
	i, exact := slices.BinarySearchFunc(x.samples, member,
		func(f sampleStart, m int) int { return cmp.Compare(f.member, m) })
	if exact {
		return i
	}
	return i - 1
}
