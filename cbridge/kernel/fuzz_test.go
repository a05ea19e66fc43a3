package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/fuzzed"
)

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
		check(t, fuzzed.Rand(data))
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
