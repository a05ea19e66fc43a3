package loader_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/spoolmedia/spool/loader"
)

// Loaders have a worker for each core that the process may use, of which the machine may have more: GOMAXPROCS is less
// in a container with a quota. They keep the number that held when they were made.
func TestWorkersAreTheCoresOfTheProcess(t *testing.T) {
	of := runtime.NumCPU() + 1
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(of))
	for _, workers := range []int{0, loader.Auto} {
		ld, err := loader.Images(open(t, "photos"), loader.ImageOptions{Spec: spec(8),
			Options: loader.Options{Workers: workers}})
		require.NoError(t, err)
		runtime.GOMAXPROCS(of + 2)
		for b, err := range ld.Batches(context.Background()) {
			require.NoError(t, err)
			b.Release()
		}
		runtime.GOMAXPROCS(of)
		decode := ld.Report().Stages[5]
		require.Equal(t, "decode", decode.Name)
		assert.Equal(t, of, decode.Workers, workers)
		require.NoError(t, ld.Close())
	}
}
