package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/internal/seed"
)

// Go counts the memory of an engine as C divides it, for any plan.
func TestScratchBytesAreThoseOfC(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.Of(t), 0))
	for range 5000 {
		p := randomPlan(r, 5000)
		prepared, err := p.Prepare()
		require.NoError(t, err)
		require.Equal(t, prepared.EngineBytes(), prepared.ScratchBytes(), "%+v", p)
	}
}
