package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/spoolmedia/spool/cbridge/kernel"
	"github.com/spoolmedia/spool/internal/fuzzed"
)

// FuzzVideo pushes random frames in random pieces. Every instruction set gives the rounded result of real arithmetic,
// or the result of swscale, and stays within its memory.
func FuzzVideo(f *testing.F) {
	fuzzed.Decisions(f, func(t *testing.T, r *rand.Rand) { checkVideo(t, r, randomFootage(r, 70)) })
}

// FuzzSink runs random plans on rows in random pieces. Every instruction set gives the model's result and stays within
// its memory.
func FuzzSink(f *testing.F) {
	fuzzed.Decisions(f, func(t *testing.T, r *rand.Rand) {
		p := randomPlan(r, 70)
		in := randomInput(r, p)
		want := in.output(p)
		for level := range kernel.Levels {
			got := run(t, p, level, func(s *kernel.Sink) { pushRandomly(t, r, s, in) })
			requireOutput(t, p, want, got, level)
		}
	})
}
