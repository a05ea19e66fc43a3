package index

// The cost up to which reading on is cheaper than a seek. A seek takes about as long as reading and dropping so many
// packets or bytes.
const (
	readOnPackets = 64
	readOnBytes   = 256 << 10
)

// ReadOn reports whether reading on from packet at is cheaper than a seek to packet to.
func (x *Index) ReadOn(at, to int) bool {
	if at > to || to-at > readOnPackets {
		return false
	}
	if at == to {
		return true
	}
	first, last := x.Packets[at].Pos, x.Packets[to].Pos
	if first >= 0 && last >= 0 { // includes packets of other streams in between
		return last >= first && last-first <= readOnBytes
	}
	bytes := int64(0)
	for _, p := range x.Packets[at:to] {
		bytes += int64(p.Size)
	}
	return bytes <= readOnBytes
}
