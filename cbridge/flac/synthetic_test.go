package flac_test

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// bitWriter writes bits, the highest first.
type bitWriter struct {
	bytes []byte
	n     int // used bits of the last byte; 0: all
}

func (w *bitWriter) put(v uint64, n int) {
	for n > 0 {
		if w.n == 0 {
			w.bytes = append(w.bytes, 0)
		}
		k := min(n, 8-w.n)
		n -= k
		w.bytes[len(w.bytes)-1] |= byte(v >> n & (1<<k - 1) << (8 - w.n - k))
		w.n = (w.n + k) % 8
	}
}

// unary writes n zeros and a one.
func (w *bitWriter) unary(n uint64) {
	for ; n > 63; n -= 63 {
		w.put(0, 63)
	}
	w.put(1, int(n)+1)
}

func (w *bitWriter) align() { w.n = 0 }

// checksum computes a CRC of width bits, bit by bit.
func checksum(data []byte, width int, polynomial uint32) uint32 {
	var sum uint32
	for _, b := range data {
		for i := 7; i >= 0; i-- {
			top := sum>>(width-1)&1 ^ uint32(b)>>i&1
			sum = sum << 1 & (1<<width - 1)
			if top == 1 {
				sum ^= polynomial
			}
		}
	}
	return sum
}

// synthetic is a random stream with all features of the format, and its original samples.
type synthetic struct {
	*rand.Rand
	rate, channels, bits int
	variable             bool
	block                int // of the stream, the size of each block or, if variable, of the largest
	file                 []byte
	samples              [][]int64 // per channel
	starts               []int     // offsets of the frames in the file
	firsts               []int64   // first samples of the frames
}

var tableRates = []int{0, 88200, 176400, 192000, 8000, 16000, 22050, 24000, 32000, 44100, 48000, 96000}

func newSynthetic(seed uint64, frames int) *synthetic {
	s := &synthetic{Rand: rand.New(rand.NewPCG(seed, 1))}
	s.rate = []int{44100, 8000, 96000, 12345, 7000, 655350, 1}[s.IntN(7)]
	s.channels = 1 + s.IntN(8)
	if s.IntN(2) == 0 {
		s.channels = 2
	}
	s.bits = []int{4 + s.IntN(29), 16, 24, 8, 32}[s.IntN(5)]
	s.variable = s.IntN(3) == 0
	s.block = []int{16, 192, 576, 1152, 4096, 17 + s.IntN(3000)}[s.IntN(6)]
	s.samples = make([][]int64, s.channels)
	var body []byte
	for i := range frames {
		n := s.block
		if s.variable || i == frames-1 {
			n = 1 + s.IntN(s.block)
		}
		s.starts, s.firsts = append(s.starts, len(body)), append(s.firsts, int64(len(s.samples[0])))
		body = append(body, s.frame(i, n)...)
	}
	s.file = append(s.metadata(), body...)
	for i := range s.starts {
		s.starts[i] += len(s.file) - len(body)
	}
	return s
}

func (s *synthetic) metadata() []byte {
	w := &bitWriter{}
	if s.IntN(4) == 0 {
		w.bytes = append([]byte("ID3\x04\x00\x00\x00\x00\x01\x00"), make([]byte, 128)...)
	}
	w.bytes = append(w.bytes, "fLaC"...)
	w.put(0, 8)
	w.put(34, 24)
	w.put(uint64(s.block), 16)
	w.put(uint64(s.block), 16)
	w.put(0, 48)
	w.put(uint64(s.rate), 20)
	w.put(uint64(s.channels-1), 3)
	w.put(uint64(s.bits-1), 5)
	w.put(uint64(len(s.samples[0])), 36)
	w.bytes = append(w.bytes, make([]byte, 16)...)
	w.put(0x81, 8) // last block, padding
	size := s.IntN(100)
	w.put(uint64(size), 24)
	w.bytes = append(w.bytes, make([]byte, size)...)
	return w.bytes
}

// tones returns n samples of depth bits, of a random type of signal.
func (s *synthetic) tones(n, depth int) []int64 {
	x := make([]int64, n)
	top := int64(1)<<(depth-1) - 1
	wasted := 0
	if s.IntN(4) == 0 {
		wasted = s.IntN(depth)
	}
	kind, at := s.IntN(6), int64(0)
	for i := range x {
		switch kind {
		case 0: // a constant value
			x[i] = top / 3
		case 1:
			x[i] = s.Int64N(2*top+2) - top - 1
		case 2:
			x[i] = []int64{top, -top - 1}[s.IntN(2)]
		case 3: // small values
			x[i] = s.Int64N(min(5, top+1))
		default: // a random walk with jumps
			at += s.Int64N(top/64+3) - (top/64+3)/2
			if s.IntN(200) == 0 {
				at = -at
			}
			at = max(-top-1, min(top, at))
			x[i] = at
		}
		x[i] = x[i] >> wasted << wasted
	}
	return x
}

func (s *synthetic) frame(number, n int) []byte {
	channels := make([][]int64, s.channels)
	for c := range channels {
		channels[c] = s.tones(n, s.bits)
		if c > 0 && s.IntN(2) == 0 { // similar to the previous channel
			for i, v := range channels[c-1] {
				channels[c][i] = max(v-1, -1<<(s.bits-1))
			}
		}
	}
	w := &bitWriter{}
	w.put(0x3FFE<<1, 15)
	first := uint64(number)
	w.put(0, 1)
	if s.variable {
		w.bytes[1] |= 1
		first = uint64(len(s.samples[0]))
	}
	mode := s.channels - 1
	if s.channels == 2 {
		mode = []int{1, 8, 9, 10}[s.IntN(4)]
	}
	s.describe(w, n, mode, first)
	for c := range channels {
		s.samples[c] = append(s.samples[c], channels[c]...)
	}
	sides := make([]int, s.channels)
	if mode >= 8 {
		a, b := channels[0], channels[1]
		mid, side := make([]int64, n), make([]int64, n)
		for i := range a {
			mid[i], side[i] = (a[i]+b[i])>>1, a[i]-b[i]
		}
		channels = map[int][][]int64{8: {a, side}, 9: {side, b}, 10: {mid, side}}[mode]
		sides = map[int][]int{8: {0, 1}, 9: {1, 0}, 10: {0, 1}}[mode]
	}
	for c, x := range channels {
		s.subframe(w, x, s.bits+sides[c])
	}
	w.align()
	w.put(uint64(checksum(w.bytes, 16, 0x8005)), 16)
	return w.bytes
}

// describe writes a header after its first 16 bits.
func (s *synthetic) describe(w *bitWriter, n, mode int, number uint64) {
	block := 6 + s.IntN(2)
	if n > 256 {
		block = 7
	}
	for code, size := range []int{0, 192, 576, 1152, 2304, 4608, 0, 0, 256, 512, 1024, 2048, 4096} {
		if n == size {
			block = code
		}
	}
	rate := 0
	for code, r := range tableRates {
		if r == s.rate {
			rate = code
		}
	}
	switch {
	case s.rate%1000 == 0 && s.rate < 256000 && s.IntN(2) == 0:
		rate = 12
	case s.rate < 1<<16 && s.IntN(2) == 0:
		rate = 13
	case s.rate%10 == 0 && s.IntN(2) == 0:
		rate = 14
	case s.rate == 1:
		rate = 0
	}
	depth := max(0, map[int]int{8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7}[s.bits]-8*s.IntN(2))
	w.put(uint64(block), 4)
	w.put(uint64(rate), 4)
	w.put(uint64(mode), 4)
	w.put(uint64(depth), 3)
	w.put(0, 1)
	if number < 0x80 {
		w.put(number, 8)
	} else {
		bytes := (bits.Len64(number) - 2) / 5
		for bits.Len64(number) > 5*bytes+1 {
			bytes++
		}
		for bytes > 2 && bits.Len64(number) <= 5*(bytes-1)+1 {
			bytes--
		}
		w.put(0xFF<<(8-bytes)&0xFF|number>>(6*(bytes-1)), 8)
		for i := bytes - 2; i >= 0; i-- {
			w.put(0x80|number>>(6*i)&0x3F, 8)
		}
	}
	switch block {
	case 6:
		w.put(uint64(n-1), 8)
	case 7:
		w.put(uint64(n-1), 16)
	}
	switch rate {
	case 12:
		w.put(uint64(s.rate/1000), 8)
	case 13:
		w.put(uint64(s.rate), 16)
	case 14:
		w.put(uint64(s.rate/10), 16)
	}
	w.put(uint64(checksum(w.bytes, 8, 0x07)), 8)
}

var fixedPredictors = [][]int64{{}, {1}, {2, -1}, {3, -3, 1}, {4, -6, 4, -1}}

func (s *synthetic) subframe(w *bitWriter, x []int64, depth int) {
	var all int64
	same := true
	for _, v := range x {
		all |= v
		same = same && v == x[0]
	}
	wasted := 0
	if all != 0 && s.IntN(3) > 0 {
		wasted = min(bits.TrailingZeros64(uint64(all)), depth-1)
	}
	depth -= wasted
	short := make([]int64, len(x))
	for i, v := range x {
		short[i] = v >> wasted
	}
	head := func(kind int) {
		w.put(uint64(kind), 7)
		w.put(uint64(min(wasted, 1)), 1)
		if wasted > 0 {
			w.unary(uint64(wasted - 1))
		}
	}
	raw := func(values []int64) {
		for _, v := range values {
			w.put(uint64(v), depth)
		}
	}
	if same && s.IntN(4) > 0 {
		head(0)
		raw(short[:1])
		return
	}
	order, precision, shift := s.IntN(5), 0, 0
	linear := s.IntN(2) == 0
	if order >= len(x) || s.IntN(10) == 0 {
		head(1)
		raw(short)
		return
	}
	predictor := fixedPredictors[order]
	if linear {
		order = 1 + s.IntN(min(32, len(x)))
		precision, shift = 1+s.IntN(15), s.IntN(15)
		predictor = make([]int64, order)
		for i := range predictor {
			predictor[i] = s.Int64N(1<<precision) - 1<<(precision-1)
			if i > 1 {
				predictor[i] /= int64(i) // so that predictions stay close
			}
		}
	}
	residual := make([]int64, len(x))
	for i := order; i < len(x); i++ {
		var sum int64
		for j, c := range predictor {
			sum += c * short[i-1-j]
		}
		residual[i] = short[i] - sum>>shift
		if residual[i] >= 1<<31 || residual[i] <= -1<<31 {
			head(1)
			raw(short)
			return
		}
	}
	if linear {
		head(32 + order - 1)
		raw(short[:order])
		w.put(uint64(precision-1), 4)
		w.put(uint64(shift), 5)
		for _, c := range predictor {
			w.put(uint64(c), precision)
		}
	} else {
		head(8 + order)
		raw(short[:order])
	}
	s.residual(w, residual, order)
}

func (s *synthetic) residual(w *bitWriter, x []int64, order int) {
	method, partitions := s.IntN(2), s.IntN(7)
	for len(x)%(1<<partitions) != 0 || len(x)>>partitions < order {
		partitions--
	}
	w.put(uint64(method), 2)
	w.put(uint64(partitions), 4)
	size := len(x) >> partitions
	for i := range 1 << partitions {
		part := x[max(i*size, order):][:(i+1)*size-max(i*size, order)]
		var largest uint64
		for _, v := range part {
			largest = max(largest, uint64(v<<1^v>>63))
		}
		length := bits.Len64(largest)
		k := max(0, length-s.IntN(9))
		if k > 14+16*method || s.IntN(8) == 0 {
			if length <= 31 && (method == 1 || k > 14 || s.IntN(2) == 0) {
				w.put(15+16*uint64(method), 4+method)
				w.put(uint64(length), 5)
				for _, v := range part {
					w.put(uint64(v), length)
				}
				continue
			}
			k = min(k, 14+16*method)
		}
		w.put(uint64(k), 4+method)
		for _, v := range part {
			u := uint64(v<<1 ^ v>>63)
			w.unary(u >> k)
			w.put(u, k)
		}
	}
}

// bytes returns n samples of a channel from first, in the decoder's format.
func (s *synthetic) bytes(channel int, first int64, n int) []byte {
	var b []byte
	for _, v := range s.samples[channel][first:][:n] {
		if s.bits <= 16 {
			b = binary.NativeEndian.AppendUint16(b, uint16(v<<(16-s.bits)))
		} else {
			b = binary.NativeEndian.AppendUint32(b, uint32(v<<(32-s.bits)))
		}
	}
	return b
}
