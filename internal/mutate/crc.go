package mutate

// sum is a checksum whose first bit is the highest, in the high bits of 32.
type sum struct {
	bits  int
	table [256]uint32
}

var (
	flacHeaderSum = newSum(8, 0x07)
	flacFrameSum  = newSum(16, 0x8005)
	oggSum        = newSum(32, 0x04C11DB7)
)

func newSum(bits int, polynomial uint32) *sum {
	s := &sum{bits: bits}
	for i := range s.table {
		v := uint32(i) << 24
		for range 8 {
			carry := v >> 31
			v = v<<1 ^ carry*(polynomial<<(32-bits))
		}
		s.table[i] = v
	}
	return s
}

func (s *sum) of(data []byte) uint32 {
	var v uint32
	for _, b := range data {
		v = v<<8 ^ s.table[byte(v>>24)^b]
	}
	return v >> (32 - s.bits)
}
