package kernel_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/fuzzed"
)

// byteSource draws random numbers from a fuzzer's bytes, so that the fuzzer can vary one decision at a time. When the
// bytes run out, it continues with a fixed sequence.
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
	return n<<48 | n<<32 | n<<16 | n // callers use high bits or low bits
}

// decisions adds a fuzz target whose input is a source of random numbers.
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

// FuzzVideo pushes random frames in random pieces. Every instruction set gives the rounded result of real arithmetic,
// or the result of swscale, and stays within its memory.
func FuzzVideo(f *testing.F) {
	decisions(f, func(t *testing.T, r *rand.Rand) { checkVideo(t, r, randomFootage(r, 70)) })
}

// FuzzSink runs random plans on rows in random pieces. Every instruction set gives the model's result and stays within
// its memory.
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
