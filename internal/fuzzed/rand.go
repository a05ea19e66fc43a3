package fuzzed

import (
	"encoding/binary"
	"math/rand/v2"
)

// Rand returns random numbers that are drawn from a fuzzer's bytes, so that the fuzzer can vary one decision at a time.
// When the bytes run out, it continues with a fixed sequence.
func Rand(data []byte) *rand.Rand {
	return rand.New(&source{data, rand.NewPCG(uint64(len(data)), 2)})
}

type source struct {
	data []byte
	then rand.Source
}

func (s *source) Uint64() uint64 {
	if len(s.data) < 2 {
		return s.then.Uint64()
	}
	n := uint64(binary.LittleEndian.Uint16(s.data))
	s.data = s.data[2:]
	return n<<48 | n<<32 | n<<16 | n // callers use high bits or low bits
}
