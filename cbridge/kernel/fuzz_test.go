package kernel_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/fuzzed"
)

// byteSource draws random numbers from a fuzzer's bytes, so that it can vary one decision at a time, and
// from a fixed sequence when these are used up.
type byteSource struct {
	data []byte
	then rand.Source
}

func (s *byteSource) Uint64() uint64 {
	if len(s.data) < 2 {
		return s.then.Uint64()
	}
	n := uint64(binary.LittleEndian.Uint16(s.data))
	s.data = s.data[2:]
	return n<<48 | n<<32 | n<<16 | n // high bits and low bits matter to different callers
}

// decisions is a target whose input is random numbers.
func decisions(f *testing.F, check func(t *testing.T, r *rand.Rand)) {
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 1))
		data := make([]byte, 8*seed)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzed.Accept()
		check(t, rand.New(&byteSource{data, rand.NewPCG(uint64(len(data)), 2)}))
	})
}

// A frame of any form, pushed in any pieces: every instruction set gives what real numbers do, rounded, or what swscale
// gives, and stays in its memory.
func FuzzVideo(f *testing.F) {
	decisions(f, func(t *testing.T, r *rand.Rand) { checkVideo(t, r, randomFootage(r, 70)) })
}

// Any plan, fed in any pieces: every instruction set gives what the model gives and stays in its memory.
func FuzzSink(f *testing.F) {
	decisions(f, func(t *testing.T, r *rand.Rand) {
		p := randomPlan(r, 70)
		in := randomInput(r, p)
		want := in.output(p)
		for level := range kernel.Levels {
			got := run(t, p, level, func(s *kernel.Sink) { pushRandomly(t, r, s, in) })
			requireOutput(t, p, want, got, level)
		}
	})
}
