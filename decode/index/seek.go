package index

// What reading on may cost before a seek is cheaper. A seek takes about as long as reading so many packets or bytes that
// are thrown away.
const (
	readOnPackets = 64
	readOnBytes   = 256 << 10
)

// ReadOn reports whether reading from packet at on is cheaper than a seek to packet to.
func (x *Index) ReadOn(at, to int) bool {
	if at > to || to-at > readOnPackets {
		return false
	}
	if at == to {
		return true
	}
	first, last := x.Packets[at].Pos, x.Packets[to].Pos
	if first >= 0 && last >= 0 { // other streams' packets in between count as well
		return last >= first && last-first <= readOnBytes
	}
	bytes := int64(0)
	for _, p := range x.Packets[at:to] {
		bytes += int64(p.Size)
	}
	return bytes <= readOnBytes
}
