package loader

import (
	"context"
	"math/rand/v2"

	"github.com/spoolmedia/spool/order"
)

// Dataset is samples of any kind by their numbers, as PyTorch's map-style datasets are: Len is __len__ and Get is
// __getitem__. Both are called from several goroutines at a time.
type Dataset[T any] interface {
	Len() int
	// Get loads sample i of [0, Len()). ctx ends when the sample is not wanted any more, or its time is over. What is random
	// of the sample is to be drawn from Rand(ctx).
	Get(ctx context.Context, i int) (T, error)
}

// drawKey is that of an order.Draw in a context.
type drawKey struct{}

// opGet is what a dataset's own draws are drawn by, as opClip is for clips.
const opGet = 18

// Rand gives the random numbers of the sample that Get is loading: a function of the loader's seed, the epoch, the
// sample's number and how often it came before in the epoch, whatever worker loads it and when, and after a resume as
// before. Each call begins them anew. With the context of anybody else they are those of sample 0 of epoch 0 and seed 0.
func Rand(ctx context.Context) *rand.Rand {
	by, _ := ctx.Value(drawKey{}).(order.Draw)
	draws := by.Rand(opGet)
	return rand.New(&draws)
}
